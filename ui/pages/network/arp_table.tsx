import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Table } from "../../parts/table/table.tsx";
import { deviceNames } from "../firewall/text.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import type { Neighbour } from "./wire.ts";
import { t } from "../../text/language.ts";

/** An address by the numbers of its parts, each as wide as the widest. */
function ordered(address: string): string {
  return address.split(".").map((part) => part.padStart(3, "0")).join(".");
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<Neighbour>[] {
  return [
    {
      name: "address",
      word: t("IP address"),
      sort: ({ IP }) => ordered(IP),
      cell: ({ IP }) => <b>{IP}</b>,
    },
    {
      name: "device",
      word: t("Device"),
      phone: "sub",
      sort: ({ IP }) => names.get(IP) ?? "",
      cell: ({ IP }) =>
        names.has(IP)
          ? <Name>{names.get(IP) ?? ""}</Name>
          : <span class="quiet">{t("unknown")}</span>,
    },
    {
      name: "card",
      word: t("MAC address"),
      soft: true,
      sort: ({ MAC }) => MAC,
      cell: ({ MAC }) => <span class="mono">{MAC}</span>,
    },
    {
      name: "link",
      word: t("Interface"),
      soft: true,
      width: "128px",
      phone: "side",
      sort: ({ Device }) => Device,
      cell: ({ Device }) => <Name>{Device}</Name>,
    },
  ];
}

/** The kernel's ARP table. */
export function Neighbours({ when }: { when: readonly unknown[] }): VNode {
  const arp = useLoaded<readonly Neighbour[]>({ path: "/arp" }, when);
  const list = useMemo(() => arp.body ?? [], [arp.body]);
  const columns = useMemo(() => columnsOf(deviceNames.value), [deviceNames.value]);
  return (
    <section class="panel bleed" aria-labelledby="neighbours">
      <header>
        <h2 id="neighbours">{t("ARP table")}</h2>
        <span class="note">{t("IP and MAC addresses by interface")}</span>
      </header>
      {arp.problem !== null
        ? <Fault warning title={t("ARP table unavailable.")}>{arp.problem.message}</Fault>
        : arp.body === null
        ? <Loading what={t("the ARP table")} rows={3} />
        : list.length === 0
        ? <p class="pad s quiet">{t("No entries.")}</p>
        : (
          <Table
            label={t("ARP table")}
            columns={columns}
            rows={list}
            keyOf={(one) => `${one.Device} ${one.IP}`}
            remember="sluice.neighbours.sort"
            isStateless
          />
        )}
    </section>
  );
}
