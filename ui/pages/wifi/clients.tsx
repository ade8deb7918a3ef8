import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Table } from "../../parts/table/table.tsx";
import { devices, radioEvents } from "../../state/store.ts";
import { lengthWords } from "../../text/time.ts";
import { nameOf } from "../../text/words.ts";
import { deviceHref } from "../devices/last_seen.ts";
import { type Client, clientsOf } from "./client_rows.ts";
import type { Stations, WifiNetwork } from "./wire.ts";

/** Milliseconds between two loads of the stations. */
const LOAD_INTERVAL_MS = 5000;

const COLUMNS: readonly Column<Client>[] = [
  {
    name: "name",
    word: "Name",
    cell: ({ mac }) => (
      <a href={deviceHref(mac)} data-row>
        <Name>{nameOf(mac, devices.value?.[mac])}</Name>
      </a>
    ),
    sort: ({ mac }) => nameOf(mac, devices.value?.[mac]),
  },
  {
    name: "network",
    word: "Network",
    cell: ({ ssid }) => <Name>{ssid}</Name>,
    sort: ({ ssid }) => ssid,
  },
  {
    name: "signal",
    word: "Signal",
    cell: ({ signal }) => signal === 0 ? "" : `${signal} dBm`,
    sort: ({ signal }) => -signal,
    num: true,
    width: "96px",
  },
  {
    name: "rate",
    word: "Rate down / up",
    cell: ({ down, up }) => down === 0 && up === 0 ? "" : `${down} / ${up} Mbit/s`,
    sort: ({ down }) => -down,
    num: true,
    from: "desk",
    phone: "line",
  },
  {
    name: "security",
    word: "Security",
    cell: ({ security }) => security,
    sort: ({ security }) => security,
    width: "96px",
    from: "desk",
    phone: "none",
  },
  {
    name: "since",
    word: "Connected",
    cell: ({ seconds }) => lengthWords(seconds),
    sort: ({ seconds }) => seconds,
    num: true,
    width: "112px",
  },
];

/** Who is on the air now. */
export function ClientList({ networks }: { networks: readonly WifiNetwork[] | null }): VNode {
  const pulse = usePulse(LOAD_INTERVAL_MS);
  const [found, setFound] = useState<readonly Client[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const on = (networks ?? []).filter(({ enabled }) => enabled);
  const names = on.map(({ name }) => name).join();
  useEffect(() => {
    if (networks === null) return;
    let current = true;
    const load = async () => {
      try {
        const lists = await Promise.all(on.map(async (network) => {
          const path = `/hostapd/${network.name}/all_stations`;
          return clientsOf(network, (await call<Stations>({ path })).body);
        }));
        if (!current) return;
        setFound(lists.flat());
        setProblem(null);
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        if (current) setProblem(error.message);
      }
    };
    void load();
    return () => {
      current = false;
    };
  }, [names, pulse, radioEvents.value]);
  if (problem !== null) {
    return <Fault warning title="The clients are not available.">{problem}</Fault>;
  }
  if (found === null) return <Loading what="clients" rows={3} />;
  if (found.length === 0) {
    return (
      <section class="panel empty" aria-label="No clients">
        <Icon name="wifi" />
        <p class="s soft">No client is connected.</p>
        <a class="btn" href="/admin/devices/add">Add a device</a>
      </section>
    );
  }
  return (
    <Table
      label="Wi-Fi clients"
      columns={COLUMNS}
      rows={found}
      keyOf={({ mac, network }) => `${network} ${mac}`}
      remember="sluice.wifi.clients"
      start={{ column: "name", down: false }}
      stamp={({ signal, seconds, down }) => `${signal} ${seconds} ${down}`}
    />
  );
}
