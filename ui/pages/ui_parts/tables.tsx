import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { Name } from "../../parts/show/name.tsx";
import type { Column } from "../../parts/table/column.ts";
import { type Selection } from "../../parts/table/selection.ts";
import { FilterBar, hasText } from "../../parts/table/filter_bar.tsx";
import { Table } from "../../parts/table/table.tsx";
import { type Flow, FLOWS, MANY_FLOWS } from "./samples.ts";

const COLUMNS: readonly Column<Flow>[] = [
  {
    name: "from",
    word: "From",
    sort: ({ from }) => from,
    cell: ({ from }) => (
      <div class="who">
        <a href="/admin/devices" data-row>
          <Name>{from}</Name>
        </a>
      </div>
    ),
  },
  { name: "to", word: "To", soft: true, phone: "sub", cell: ({ to }) => <Name>{to}</Name> },
  {
    name: "link",
    word: "Link",
    width: "96px",
    from: "desk",
    phone: "none",
    cell: ({ link }) => link,
  },
  {
    name: "bytes",
    word: "Traffic",
    width: "112px",
    num: true,
    phone: "side",
    sort: ({ bytes }) => -bytes,
    cell: ({ bytes }) => `${bytes} MB`,
  },
];

/** A table with a filter and a choice, short and long. */
export function Tables(): VNode {
  const text = useSignal("");
  const long = useSignal("few");
  const choice = useSignal<Selection>(new Set());
  const all = long.value === "many" ? MANY_FLOWS : FLOWS;
  const rows = useMemo(
    () => all.filter(({ from, to }) => hasText(`${from} ${to}`, text.value)),
    [all, text.value],
  );
  return (
    <section aria-label="Tables">
      <FilterBar
        label="Filter samples"
        hint="From or to"
        text={text.value}
        onText={(next) => text.value = next}
        facets={[
          { name: "few", word: "Few", number: FLOWS.length },
          { name: "many", word: "Many", number: MANY_FLOWS.length },
        ]}
        chosen={long.value}
        onFacet={(name) => long.value = name}
      />
      <div class="panel bleed">
        {rows.length === 0 ? <p class="pad s quiet">Nothing is like “{text.value}”.</p> : (
          <Table
            label="Samples"
            columns={COLUMNS}
            rows={rows}
            keyOf={({ id }) => id}
            start={{ column: "bytes", down: false }}
            view={`${text.value}\n${long.value}`}
            choice={choice.value}
            onChoice={(next) => choice.value = next}
            nameOf={({ from }) => from}
            below={({ note }) =>
              note === undefined ? null : (
                <tr class="finding" role="row">
                  <td role="cell">
                    <div class="soft any">{note}</div>
                  </td>
                </tr>
              )}
          />
        )}
      </div>
      <p class="s quiet" role="status">{choice.value.size} chosen</p>
    </section>
  );
}
