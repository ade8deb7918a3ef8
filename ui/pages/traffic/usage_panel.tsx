import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Seg } from "../../parts/form/choice_field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import type { Loaded } from "../../parts/load/use_loaded.ts";
import { Name } from "../../parts/show/name.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Table } from "../../parts/table/table.tsx";
import { sizeText } from "../../text/format.ts";
import type { Overview, Talker } from "../home/rates.ts";
import { type Narrowing, usageOf, type View } from "./usage.ts";

const VIEWS = [["devices", "Devices"], ["countries", "Countries"], [
  "networks",
  "Networks",
]] as const;

function columnsOf(
  word: string,
  nameOf: (row: Talker) => string,
  onName: (name: string) => void,
): readonly Column<Talker>[] {
  return [
    {
      name: "name",
      word,
      sort: nameOf,
      cell: (row) => (
        <button type="button" class="link" data-row onClick={() => onName(row.name)}>
          <Name>{nameOf(row)}</Name>
        </button>
      ),
    },
    {
      name: "down",
      word: "Down",
      width: "112px",
      num: true,
      phone: "side",
      sort: ({ down }) => -down,
      cell: ({ down }) => sizeText(down),
    },
    {
      name: "up",
      word: "Up",
      width: "112px",
      num: true,
      phone: "end",
      sort: ({ up }) => -up,
      cell: ({ up }) => sizeText(up),
    },
  ];
}

/** Who exchanged how much with the Internet: by device, country or network. */
export function UsagePanel({ overview, view, within, titleOf, onView, onChoice }: {
  overview: Loaded<Overview>;
  view: View;
  within: Narrowing | null;
  /** What an address of a device is called. */
  titleOf: (address: string) => string;
  onView: (view: View) => void;
  onChoice: (name: string) => void;
}): VNode {
  const { body, problem } = overview;
  const rows = useMemo(
    () => body === null ? [] : usageOf(body, view, within),
    [body, view, within],
  );
  const columns = useMemo(() => {
    const word = view === "devices" ? "Device" : view === "countries" ? "Country" : "Network";
    return columnsOf(word, ({ name }) => view === "devices" ? titleOf(name) : name, onChoice);
  }, [view, titleOf, onChoice]);
  return (
    <section class="panel bleed" aria-labelledby="usage">
      <header>
        <h2 id="usage">{within === null ? "Who uses it" : `With ${within.name}`}</h2>
        <Seg
          label="Show"
          value={view}
          options={VIEWS}
          onValue={(value) => onView(value as View)}
        />
      </header>
      {body === null
        ? problem === null
          ? <Loading what="traffic" rows={5} />
          : <Fault warning title="Traffic is not available.">{problem.message}</Fault>
        : rows.length === 0
        ? <p class="pad s quiet">No traffic with the Internet in this time.</p>
        : (
          <Table
            label="Traffic"
            columns={columns}
            rows={rows}
            keyOf={({ name }) => name}
            view={`${view} ${within?.name ?? ""}`}
          />
        )}
    </section>
  );
}
