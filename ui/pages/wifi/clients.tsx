import type { VNode } from "preact";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import { usePulse } from "../../parts/load/use_pulse.ts";
import { Icon } from "../../parts/show/icon.tsx";
import { Name } from "../../parts/show/name.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Table } from "../../parts/table/table.tsx";
import { devices, radioEvents } from "../../state/store.ts";
import { lengthText } from "../../text/time.ts";
import { nameOf } from "../../text/format.ts";
import { deviceHref } from "../devices/last_seen.ts";
import { bandText, rateText, retryShare, retryText, signalText } from "./client_text.ts";
import type { WifiClient } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Milliseconds between two loads of the stations. */
const LOAD_INTERVAL_MS = 5000;

const COLUMNS: readonly Column<WifiClient>[] = [
  {
    name: "name",
    word: t("Name"),
    cell: ({ mac }) => (
      <a href={deviceHref(mac)} data-row>
        <Name>{nameOf(mac, devices.value?.[mac])}</Name>
      </a>
    ),
    sort: ({ mac }) => nameOf(mac, devices.value?.[mac]),
  },
  {
    name: "network",
    word: t("Network"),
    cell: ({ ssid }) => <Name>{ssid}</Name>,
    sort: ({ ssid }) => ssid,
    phone: "sub",
  },
  {
    name: "band",
    word: t("Band"),
    cell: ({ band }) => bandText(band),
    sort: ({ band }) => Number(band),
    num: true,
    width: "80px",
    from: "desk",
    phone: "none",
  },
  {
    name: "signal",
    word: t("Signal"),
    cell: ({ signal }) => signalText(signal),
    sort: ({ signal }) => -signal,
    num: true,
    width: "96px",
    phone: "side",
  },
  {
    name: "rate",
    word: t("Rate down / up"),
    cell: rateText,
    sort: ({ down }) => -down,
    num: true,
    from: "desk",
    phone: "line",
  },
  {
    name: "retries",
    word: t("Retries"),
    cell: retryText,
    sort: (client) => retryShare(client) ?? -1,
    num: true,
    width: "80px",
    from: "desk",
    phone: "none",
  },
  {
    name: "security",
    word: t("Security"),
    cell: ({ security }) => security,
    sort: ({ security }) => security,
    width: "96px",
    from: "desk",
    phone: "none",
  },
  {
    name: "since",
    word: t("Connected"),
    cell: ({ seconds }) => lengthText(seconds),
    sort: ({ seconds }) => seconds,
    num: true,
    width: "112px",
    phone: "under",
  },
];

/** Who is on the air now. */
export function ClientList(): VNode {
  const pulse = usePulse(LOAD_INTERVAL_MS);
  const { body, problem } = useLoaded<{ readonly items: readonly WifiClient[] }>(
    { path: "/wifi/clients" },
    [pulse, radioEvents.value],
  );
  if (problem !== null) {
    return <Fault warning title={t("The clients are not available.")}>{problem.message}</Fault>;
  }
  if (body === null) return <Loading what={t("clients")} rows={3} />;
  if (body.items.length === 0) {
    return (
      <section class="panel empty" aria-label={t("No clients")}>
        <Icon name="wifi" />
        <p class="s soft">{t("No client is connected.")}</p>
        <a class="btn" href="/admin/devices/add">{t("Add a device")}</a>
      </section>
    );
  }
  return (
    <section class="panel bleed" aria-label={t("Connected clients")}>
      <Table
        label={t("Wi-Fi clients")}
        columns={COLUMNS}
        rows={body.items}
        keyOf={({ mac, network }) => `${network} ${mac}`}
        remember="sluice.wifi.clients"
        start={{ column: "name", down: false }}
        stamp={({ signal, seconds, down, sent, retries }) =>
          `${signal} ${seconds} ${down} ${sent} ${retries}`}
        isStateless
      />
    </section>
  );
}
