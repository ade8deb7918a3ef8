import type { AccessLevel, MatrixClass, ReachMatrix } from "./wire.ts";

/** What a cell says, in a word and in a mark whose shape says the same; a colour only repeats it. */
export interface CellText {
  readonly word: string;
  readonly tone: string;
  readonly mark: AccessLevel | "itself";
}

/** What a cell says by how far one reaches. */
const EXTENTS: Readonly<Record<AccessLevel, CellText>> = {
  everything: { word: "yes", tone: "success-t", mark: "everything" },
  part: { word: "some ports", tone: "success-t", mark: "part" },
  nothing: { word: "no", tone: "quiet", mark: "nothing" },
  denied: { word: "denied", tone: "danger-t", mark: "denied" },
};

/** What stands in a cell that has no answer: an end that is alone has no other of its kind. */
const ITSELF: CellText = { word: "itself", tone: "quiet", mark: "itself" };

/** What each mark means. */
export const LEGEND: readonly (readonly [AccessLevel, string])[] = [
  ["everything", "All ports"],
  ["part", "Some ports"],
  ["nothing", "Not allowed (default)"],
  ["denied", "Blocked by a policy or rule"],
];

/** A party as its header calls it: one name, and how many are alike. */
export function classText(one: MatrixClass, name: (identity: string) => string): string {
  if (one.kind === "internet") return "Internet";
  if (one.kind === "router") return "This router";
  const [first = "", ...rest] = one.members;
  return rest.length === 0 ? name(first) : `${name(first)} and ${rest.length} more`;
}

/** Numbers of the parties that have the text in a name, an identity or a group; all for none. */
export function found(
  classes: readonly MatrixClass[],
  text: string,
  name: (identity: string) => string,
): readonly number[] {
  const wanted = text.trim().toLowerCase();
  const has = (known: string): boolean => known.toLowerCase().includes(wanted);
  return classes.flatMap((one, at) =>
    has(classText(one, name)) || one.groups.some(has) ||
      one.members.some((identity) => has(identity) || has(name(identity)))
      ? [at]
      : []
  );
}

/** The access between two classes in words. */
export function cellOf(
  matrix: ReachMatrix,
  from: number,
  to: number,
): CellText & { readonly reason: string } {
  const answer = matrix.answers[matrix.cells[from]?.[to] ?? -1];
  return answer === undefined
    ? { ...ITSELF, reason: "" }
    : { ...EXTENTS[answer.access], reason: answer.reason };
}

/** The address of Reach with these two ends; null where one end has no other. */
export function reachHref(matrix: ReachMatrix, from: number, to: number): string | null {
  const [a, b] = [matrix.classes[from], matrix.classes[to]];
  if (!a || !b || (matrix.cells[from]?.[to] ?? -1) < 0) return null;
  const end = (one: MatrixClass, nth: number): string =>
    one.kind === "device" ? one.members[nth] ?? "" : one.kind;
  const query = { from: end(a, 0), to: end(b, from === to ? 1 : 0), protocol: "tcp", port: "443" };
  return `/admin/reach?${new URLSearchParams(query)}`;
}
