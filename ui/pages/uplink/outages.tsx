import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import { Name } from "../../parts/show/name.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Table } from "../../parts/table/table.tsx";
import { clock, day, lengthText } from "../../text/time.ts";
import { useLoaded } from "../../parts/load/use_loaded.ts";
import type { Outage } from "./wire.ts";
import { t } from "../../text/language.ts";

/** Seconds that an outage lasted; one that lasts is longer than any. */
function length({ Start, End }: Outage): number {
  return End === 0 ? Number.MAX_SAFE_INTEGER : End - Start;
}

const COLUMNS: readonly Column<Outage>[] = [
  {
    name: "uplink",
    word: "WAN",
    sort: ({ Iface }) => Iface,
    cell: (one) => (
      <div class="who">
        <span class={one.End === 0 ? "dot warning" : "dot off"} aria-hidden="true" />
        <Name>{one.Iface}</Name>
      </div>
    ),
  },
  {
    name: "since",
    word: t("Since"),
    soft: true,
    phone: "sub",
    // The latest first.
    sort: ({ Start }) => -Start,
    cell: ({ Start }) => `${day(Start * 1000)}, ${clock(Start * 1000)}`,
  },
  {
    name: "reason",
    word: t("Reason"),
    soft: true,
    wraps: true,
    phone: "line",
    sort: ({ Reason }) => Reason,
    cell: ({ Reason }) => <Name>{Reason}</Name>,
  },
  {
    name: "length",
    word: t("Duration"),
    width: "104px",
    num: true,
    phone: "side",
    sort: (one) => -length(one),
    cell: (one) => one.End === 0 ? "ongoing" : lengthText(one.End - one.Start),
  },
];

/** Times without an uplink, the latest first. */
export function Outages({ pulse }: { pulse: number }): VNode {
  const loaded = useLoaded<readonly Outage[]>({ path: "/wan/outages" }, [pulse]);
  const list = useMemo(() => loaded.body ?? [], [loaded.body]);
  return (
    <section class="panel bleed" aria-labelledby="outages">
      <header>
        <h2 id="outages">{t("Outages")}</h2>
      </header>
      {loaded.problem !== null && (
        <Fault warning title={t("The outages could not be loaded.")}>
          {loaded.problem.message}
        </Fault>
      )}
      {loaded.body === null
        ? loaded.problem === null && <Loading what={t("outages")} rows={2} />
        : list.length === 0
        ? <p class="pad s quiet">{t("No outages.")}</p>
        : (
          <Table
            label={t("Outages")}
            columns={COLUMNS}
            rows={list}
            keyOf={(one) => `${one.Iface} ${one.Start}`}
            remember="sluice.outages.sort"
          />
        )}
    </section>
  );
}
