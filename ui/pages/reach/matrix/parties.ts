import type { ReachMatrix } from "./wire.ts";
import { t } from "../../../text/language.ts";

/** A row or a column of the matrix: a group, one device, the Internet or the router. */
export interface Party {
  /** Tells it from every other row, also from the same device in another group. */
  readonly key: string;
  readonly label: string;
  readonly kind: "group" | "device" | "internet" | "router";
  /** Name of the group; "" for devices without one. Null where it is no group. */
  readonly group: string | null;
  /** Stands below its group. */
  readonly inside: boolean;
  /** Whether a group shows its devices; null where it is no group. */
  readonly open: boolean | null;
  /** Identities by the number of their class; one "" for the Internet and the router. */
  readonly members: ReadonlyMap<number, readonly string[]>;
}

/** What the rows and columns are made from, besides the matrix. */
export interface PartyNames {
  /** Name of a device by its identity. */
  readonly name: (identity: string) => string;
  /** Groups of a device; null where it is not known. */
  readonly groups: (identity: string) => readonly string[] | null;
}

/** Name of the row of devices that are in no group. */
const NO_GROUP = t("Without a group");

/** How many devices a party has. */
export function sizeOf(party: Party): number {
  return [...party.members.values()].reduce((sum, ids) => sum + ids.length, 0);
}

/**
 * Rows or columns in order: groups by name, below an open one its devices, then the Internet and the
 * router. Devices alone where none has a group. A filter finds groups by name, and devices by name or
 * identity, each once.
 */
export function partiesOf(
  { classes }: ReachMatrix,
  { name, groups }: PartyNames,
  shown: { readonly open: ReadonlySet<string>; readonly text: string },
): readonly Party[] {
  const wanted = shown.text.trim().toLowerCase();
  const found = (...texts: readonly string[]): boolean =>
    texts.some((text) => text.toLowerCase().includes(wanted));
  const byLabel = (a: Party, b: Party): number => a.label.localeCompare(b.label);
  const device = (id: string, at: number, group: string | null): Party => ({
    key: `device ${group ?? ""}/${id}`,
    label: name(id),
    kind: "device",
    group: null,
    inside: group !== null,
    open: null,
    members: new Map([[at, [id]]]),
  });
  const all = classes.flatMap(({ kind, members, groups: shared }, at) =>
    kind === "device" ? members.map((id) => ({ id, at, of: groups(id) ?? shared })) : []
  );
  const places = classes.flatMap(({ kind }, at): Party[] =>
    kind === "device" ? [] : [{
      key: kind,
      label: kind === "internet" ? t("Internet") : t("This router"),
      kind,
      group: null,
      inside: false,
      open: null,
      members: new Map([[at, [""]]]),
    }]
  ).filter(({ label }) => found(label));
  if (all.every(({ of }) => of.length === 0)) {
    return [
      ...all.map(({ id, at }) => device(id, at, null)).toSorted(byLabel)
        .filter(({ label, members }) => found(label, ...[...members.values()].flat())),
      ...places,
    ];
  }
  const grouped = new Map<string, { readonly id: string; readonly at: number }[]>();
  for (const { id, at, of } of all) {
    for (const group of of.length === 0 ? [""] : new Set(of)) {
      const there = grouped.get(group);
      if (there === undefined) grouped.set(group, [{ id, at }]);
      else there.push({ id, at });
    }
  }
  const named = [...grouped].toSorted(([a], [b]) =>
    a === "" ? 1 : b === "" ? -1 : a.localeCompare(b)
  );
  const rows = named.filter(([group]) => found(group || NO_GROUP)).flatMap(([group, members]) => {
    const open = shown.open.has(group);
    const header: Party = {
      key: `group ${group}`,
      label: group || NO_GROUP,
      kind: "group",
      group,
      inside: false,
      open,
      members: Map.groupBy(members, ({ at }) => at).entries().reduce(
        (map, [at, these]) => map.set(at, these.map(({ id }) => id)),
        new Map<number, string[]>(),
      ),
    };
    return open
      ? [header, ...members.map(({ id, at }) => device(id, at, group)).toSorted(byLabel)]
      : [header];
  });
  const alone = wanted === ""
    ? []
    : all.filter(({ id }) => found(name(id), id)).map(({ id, at }) => device(id, at, null))
      .toSorted(byLabel);
  return [...rows, ...alone, ...places];
}

/** Pairs of two parties that have one answer. */
export interface Part {
  /** Number of the answer in the matrix. */
  readonly answer: number;
  readonly pairs: number;
  /** Identities of both sides, in the order of their classes. */
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The answers between two parties, the most frequent first; empty for one device and itself. */
export function partsOf({ cells }: ReachMatrix, from: Party, to: Party): readonly Part[] {
  const parts = new Map<number, { pairs: number; from: Set<string>; to: Set<string> }>();
  for (const [row, sources] of from.members) {
    for (const [column, destinations] of to.members) {
      const answer = cells[row]?.[column] ?? -1;
      const same = row === column ? sources.filter((id) => destinations.includes(id)).length : 0;
      const pairs = sources.length * destinations.length - same;
      if (answer < 0 || pairs <= 0) continue;
      let part = parts.get(answer);
      if (part === undefined) {
        part = { pairs: 0, from: new Set(), to: new Set() };
        parts.set(answer, part);
      }
      part.pairs += pairs;
      for (const id of sources) part.from.add(id);
      for (const id of destinations) part.to.add(id);
    }
  }
  return [...parts].map(([answer, { pairs, from, to }]) => ({
    answer,
    pairs,
    from: [...from],
    to: [...to],
  })).toSorted((a, b) => b.pairs - a.pairs);
}
