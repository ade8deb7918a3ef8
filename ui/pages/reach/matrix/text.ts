import { count } from "../../../text/format.ts";
import type { Question } from "../text.ts";
import { type Part, partsOf, type Party, sizeOf } from "./parties.ts";
import type { AccessLevel, ReachMatrix } from "./wire.ts";

/** A mark of the matrix. `mixed`: the devices of a group differ. */
export type Mark = AccessLevel | "mixed" | "itself";

/** What a cell says, in a word and in a mark whose shape says the same; a colour only repeats it. */
export interface CellText {
  readonly word: string;
  readonly tone: string;
  readonly mark: Mark;
}

/** What a cell says by how far one reaches. */
const EXTENTS: Readonly<Record<AccessLevel, CellText>> = {
  everything: { word: "yes", tone: "success-t", mark: "everything" },
  part: { word: "some ports", tone: "success-t", mark: "part" },
  nothing: { word: "no", tone: "quiet", mark: "nothing" },
  denied: { word: "denied", tone: "danger-t", mark: "denied" },
};

/** What stands in a cell that has no answer: a device has no other of its kind. */
const ITSELF: CellText = { word: "itself", tone: "quiet", mark: "itself" };
const MIXED: CellText = { word: "differs", tone: "quiet", mark: "mixed" };

/** What each mark means. */
export const LEGEND: readonly (readonly [Mark, string])[] = [
  ["everything", "All ports"],
  ["part", "Some ports"],
  ["nothing", "Not allowed (default)"],
  ["denied", "Blocked by a policy or rule"],
  ["mixed", "Differs between devices"],
];

/** What is said of pairs with one answer. */
export function textOfPart(matrix: ReachMatrix, { answer }: Part): CellText & {
  readonly reason: string;
} {
  const found = matrix.answers[answer];
  return found === undefined
    ? { ...ITSELF, reason: "" }
    : { ...EXTENTS[found.access], reason: found.reason };
}

/** The access between two parties in a word, with the reason where there is one alone. */
export function cellOf(
  matrix: ReachMatrix,
  from: Party,
  to: Party,
): CellText & { readonly reason: string } {
  const texts = partsOf(matrix, from, to).map((part) => textOfPart(matrix, part));
  const [first] = texts;
  if (first === undefined) return { ...ITSELF, reason: "" };
  if (texts.length === 1) return first;
  return texts.every(({ mark }) => mark === first.mark)
    ? { ...first, reason: `${texts.length} different rules` }
    : { ...MIXED, reason: "Depends on the device" };
}

/** A party with how many devices it has: `kids, 4 devices`. */
export function partyNote(party: Party): string {
  return party.kind === "group" ? count(sizeOf(party), "device") : "";
}

/** The ends of an access test between two parties; null where one is a group, or both are the same. */
export function endsOf(
  matrix: ReachMatrix,
  from: Party,
  to: Party,
): Pick<Question, "from" | "to"> | null {
  const end = (party: Party): string =>
    party.kind === "device" ? [...party.members.values()].flat()[0] ?? "" : party.kind;
  return from.kind === "group" || to.kind === "group" || partsOf(matrix, from, to).length === 0
    ? null
    : { from: end(from), to: end(to) };
}

/** The address of the access test of a connection. */
export function reachHref(question: Question): string {
  return `/admin/reach?${new URLSearchParams({ ...question })}`;
}
