import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Seg } from "../../parts/form/choice_field.tsx";
import { Fault } from "../../parts/form/fault.tsx";
import { lazyPart } from "../../parts/load/lazy.tsx";
import { Loading } from "../../parts/load/loading.tsx";
import type { Loaded } from "../../parts/load/use_loaded.ts";
import { Name } from "../../parts/show/name.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Table } from "../../parts/table/table.tsx";
import { countryText } from "../../text/country.ts";
import { sizeText } from "../../text/format.ts";
import type { Overview } from "../home/rates.ts";
import { type Names, type Narrowing, shadeOf, type Usage, usageOf, type View } from "./usage.ts";
import { t, tc } from "../../text/language.ts";
import { rich } from "../../text/translate.ts";

const WorldMap = lazyPart(() =>
  import("../../parts/chart/world_map.tsx").then(({ default: map }) => map)
);

const VIEWS = [
  ["devices", t("Devices")],
  ["names", t("Names")],
  ["countries", t("Countries")],
  ["networks", t("Networks")],
] as const;

const COLUMN: Readonly<Record<View, string>> = {
  devices: t("Device"),
  names: t("Name"),
  countries: t("Country"),
  networks: t("Network"),
};

function columnsOf(
  word: string,
  nameOf: (row: Usage) => string,
  onChoice: (key: string, name: string) => void,
): readonly Column<Usage>[] {
  return [
    {
      name: "name",
      word,
      sort: nameOf,
      cell: (row) => (
        <button
          type="button"
          class="link"
          data-row
          onClick={() => onChoice(row.key, row.name)}
        >
          <Name>{nameOf(row)}</Name>
        </button>
      ),
    },
    {
      name: "down",
      word: tc("traffic", "Down"),
      width: "112px",
      num: true,
      phone: "side",
      sort: ({ down }) => -down,
      cell: ({ down }) => sizeText(down),
    },
    {
      name: "up",
      word: tc("traffic", "Up"),
      width: "112px",
      num: true,
      phone: "end",
      sort: ({ up }) => -up,
      cell: ({ up }) => sizeText(up),
    },
  ];
}

/** Who exchanged how much with the Internet: by device, name, country or network. */
export function UsagePanel(
  { sources, view, within, time, titleOf, onView, onWholeTime, onChoice }: {
    sources: {
      readonly overview: Loaded<Overview>;
      /** Null where the time is too long for names. */
      readonly names: Loaded<Names> | null;
    };
    view: View;
    within: Narrowing | null;
    /** The stretch of time that was chosen; empty: the whole. */
    time: string;
    /** What an address of a device is called. */
    titleOf: (address: string) => string;
    onView: (view: View) => void;
    onWholeTime: () => void;
    onChoice: (key: string, name: string) => void;
  },
): VNode {
  const { overview, names } = sources;
  const needsNames = view === "names" || within?.view === "names";
  const rows = useMemo(
    () => usageOf({ overview: overview.body, names: names?.body ?? null }, view, within),
    [overview.body, names?.body, view, within],
  );
  const columns = useMemo(
    () =>
      columnsOf(
        COLUMN[view],
        ({ name }) => view === "devices" ? titleOf(name) : name,
        onChoice,
      ),
    [view, titleOf, onChoice],
  );
  const problem = needsNames ? names?.problem ?? null : overview.problem;
  return (
    <section class="panel bleed" aria-labelledby="usage">
      <header>
        <h2 id="usage">
          {within === null ? t("Who uses it") : (
            <>
              {rich(t("With {name}"), { name: <Name>{within.name}</Name> })}
            </>
          )}
        </h2>
        <Seg
          label={t("Show")}
          value={view}
          options={VIEWS}
          onValue={(value) => onView(value as View)}
        />
      </header>
      {time !== "" && (
        <p class="pad row wrap">
          <span class="grow">{time}</span>
          <button type="button" class="btn small" onClick={onWholeTime}>{t("Whole time")}</button>
        </p>
      )}
      {view === "countries" && rows !== null && rows.length > 0 && (
        <Countries rows={rows} onChoice={onChoice} />
      )}
      {needsNames && names === null
        ? (
          <p class="pad s quiet">
            {t("Names are summed up for at most a week. Choose a shorter time.")}
          </p>
        )
        : rows === null
        ? problem === null
          ? <Loading what={t("traffic")} rows={5} />
          : <Fault warning title={t("Traffic is not available.")}>{problem.message}</Fault>
        : rows.length === 0
        ? <p class="pad s quiet">{t("No traffic with the Internet in this time.")}</p>
        : (
          <Table
            label={t("Traffic")}
            columns={columns}
            rows={rows}
            keyOf={({ key }) => key}
            view={`${view} ${within?.key ?? ""}`}
            isStateless
          />
        )}
    </section>
  );
}

/** The countries of the list on a map. */
function Countries({ rows, onChoice }: {
  rows: readonly Usage[];
  onChoice: (key: string, name: string) => void;
}): VNode {
  const bytes = new Map(rows.map(({ key, down, up }) => [key, down + up]));
  const most = Math.max(...bytes.values());
  return (
    <WorldMap
      shadeOf={(code) => shadeOf(bytes.get(code) ?? 0, most)}
      titleOf={(code) => `${countryText(code)}: ${sizeText(bytes.get(code) ?? 0)}`}
      onPick={(code) => bytes.has(code) && onChoice(code, countryText(code))}
    />
  );
}
