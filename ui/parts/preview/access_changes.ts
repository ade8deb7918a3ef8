import type { AccessChange, Device, Devices, PatchEntry } from "../../wire.ts";
import { endName } from "../../text/format.ts";
import { t, tn } from "../../text/language.ts";

/** One row of who gains or loses access. */
export interface AccessRow {
  readonly who: string;
  readonly traffic: string;
  readonly reason: string;
}

const MAX_ROWS = 8;

/** The devices, and those that a change adds. */
export function withAdded(devices: Devices, patch: readonly PatchEntry[]): Devices {
  const added = patch.filter(({ document, path, before, after }) =>
    document === "devices" && path.length === 1 && before === undefined && after !== undefined
  );
  if (added.length === 0) return devices;
  const entries = added.map(({ path, after }) => [path[0]!, after as Device] as const);
  return { ...Object.fromEntries(entries), ...devices };
}

/** `everything`, `TCP 22, 80, 443`, `TCP 53, UDP 53`. */
export function serviceText(whats: readonly string[]): string {
  if (whats.includes("all")) return t("everything");
  const pairs = whats.map((what) => what.split(" ", 2) as [string, string?]);
  const byProtocol = Map.groupBy(pairs, ([protocol]) => protocol.toUpperCase());
  return [...byProtocol].map(([protocol, list]) =>
    [protocol, list.map(([, port]) => port).filter((port) => port !== undefined).join(", ")]
      .join(" ").trim()
  ).join(", ");
}

/** Everything that flips between the same two ends for the same reason. */
interface Connection {
  readonly from: string;
  readonly to: string;
  readonly traffic: string;
  readonly reason: string;
}

function connections(flips: readonly AccessChange[]): readonly Connection[] {
  const bundles = Map.groupBy(flips, (flip) => `${flip.from}\n${flip.to}\n${flip.reason}`);
  return [...bundles.values()].map((bundle) => {
    const [first] = bundle as [AccessChange];
    return { ...first, traffic: serviceText(bundle.map((flip) => flip.traffic)) };
  });
}

/** Rows of flips: both ways of a pair are one, and long lists fold to one row per end. */
export function accessRows(flips: readonly AccessChange[], devices: Devices): readonly AccessRow[] {
  const name = (end: string) => endName(end, devices);
  const all = connections(flips);
  const left = [...all];
  const rows: AccessRow[] = [];
  while (left.length > 0) {
    const connection = left.shift() as Connection;
    const back = left.findIndex((other) =>
      other.from === connection.to && other.to === connection.from &&
      other.traffic === connection.traffic
    );
    if (back >= 0) left.splice(back, 1);
    rows.push({
      who: back >= 0
        ? t("{one} with {other}", { one: name(connection.from), other: name(connection.to) })
        : t("{end} to {many}", { end: name(connection.from), many: name(connection.to) }),
      traffic: back >= 0
        ? t("{traffic}, both directions", { traffic: connection.traffic })
        : connection.traffic,
      reason: connection.reason,
    });
  }
  return rows.length <= MAX_ROWS ? rows : fold(all, devices);
}

/** One row per end that occurs most: `Mira’s laptop to TV, Printer and 12 more`. */
function fold(flips: readonly Connection[], devices: Devices): readonly AccessRow[] {
  const distinct = (side: "from" | "to") => new Set(flips.map((flip) => flip[side])).size;
  const key = distinct("from") <= distinct("to") ? "from" : "to";
  const other = key === "from" ? "to" : "from";
  const buckets = Map.groupBy(flips, (flip) => `${flip[key]}\n${flip.traffic}\n${flip.reason}`);
  return [...buckets.values()].map((bucket) => {
    const [first] = bucket as [Connection];
    const names = bucket.map((flip) => endName(flip[other], devices));
    const shown = names.slice(0, 2).join(", ");
    const many = names.length > 2
      ? t("{shown} and {names} more", { shown, names: names.length - 2 })
      : shown;
    const end = endName(first[key], devices);
    return {
      who: key === "from"
        ? t("{end} to {many}", { end, many })
        : t("{many} to {end}", { many, end }),
      traffic: first.traffic,
      reason: first.reason,
    };
  });
}

/** `none`, or how many ways between two ends flip. */
export function connectionCount(flips: readonly AccessChange[]): string {
  return flips.length === 0
    ? t("none")
    : tn("{count} connection", "{count} connections", connections(flips).length);
}
