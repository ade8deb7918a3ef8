import type { Config } from "../../config.ts";
import type { Observations, UplinkObservation } from "../../core/engine/change.ts";
import { MAX_UPLINKS } from "../../uplink/schema.ts";

/** Routing table of the first uplink, also the mark of its connections; one per uplink: 200–239. */
const FIRST_TABLE = 200;
const TABLES = Array.from({ length: MAX_UPLINKS }, (_, at) => FIRST_TABLE + at);

type Remembered = NonNullable<Observations["uplinks"]>;

function tableOf(uplinks: Remembered, name: string): number | undefined {
  return Object.hasOwn(uplinks, name) ? uplinks[name]!.table : undefined;
}

/**
 * The routing table of every uplink by name. An uplink keeps its table: its connections carry the
 * number as their mark. A new one gets the lowest unused table; where none is left, that of the uplink
 * that was removed first. Uplinks beyond the number of tables have none. Pure.
 */
export function uplinkTables(
  { interfaces }: Pick<Config, "interfaces">,
  { uplinks = {} }: Pick<Observations, "uplinks">,
): ReadonlyMap<string, number> {
  const names = interfaces.filter(({ Type }) => Type === "Uplink").map(({ Name }) => Name);
  const tables = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of names) {
    const table = tableOf(uplinks, name);
    if (table === undefined || !TABLES.includes(table) || taken.has(table)) continue;
    tables.set(name, table);
    taken.add(table);
  }
  const had = Object.keys(uplinks).filter((name) => !tables.has(name))
    .flatMap((name) => tableOf(uplinks, name) ?? []);
  const free = [
    ...TABLES.filter((table) => !had.includes(table)),
    ...new Set(had.filter((table) => TABLES.includes(table))),
  ].filter((table) => !taken.has(table));
  for (const name of names) {
    if (tables.has(name)) continue;
    const table = free.shift();
    if (table === undefined) break;
    tables.set(name, table);
  }
  return tables;
}

/**
 * Records the tables of all uplinks in what was observed, so that they keep them; returns the same
 * object where nothing differs. A removed uplink keeps its table until another needs it: it may come
 * back by a revert or a restore. Pure.
 */
export function withTables(
  config: Pick<Config, "interfaces">,
  observed: Observations,
): Observations {
  const { uplinks = {} } = observed;
  const tables = uplinkTables(config, observed);
  const owners = new Map([...tables].map(([name, table]) => [table, name]));
  const stays = [...tables].every(([name, table]) => tableOf(uplinks, name) === table) &&
    Object.keys(uplinks).every((name) => {
      const table = tableOf(uplinks, name);
      return table === undefined || (owners.get(table) ?? name) === name;
    });
  if (stays) return observed;
  const lost = Object.entries(uplinks).map(([name, one]): [string, UplinkObservation] => {
    const { table, ...rest } = one;
    const owner = table === undefined ? undefined : owners.get(table) ?? name;
    return [name, table !== undefined && owner === name ? { ...rest, table } : rest];
  });
  const next = new Map(lost);
  for (const [name, table] of tables) {
    const known = next.get(name) ?? { lease: null, down: false };
    next.set(name, { ...known, table });
  }
  return { ...observed, uplinks: Object.fromEntries(next) };
}
