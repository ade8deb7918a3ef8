import type { Question } from "../text.ts";
import { type Part, partsOf, type Party, sizeOf } from "./parties.ts";
import type { AccessLevel, ReachMatrix } from "./wire.ts";
import { t, tn } from "../../../text/language.ts";

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
  everything: { word: t("yes"), tone: "success-t", mark: "everything" },
  part: { word: t("some ports"), tone: "success-t", mark: "part" },
  nothing: { word: t("no"), tone: "quiet", mark: "nothing" },
  denied: { word: t("denied"), tone: "danger-t", mark: "denied" },
};

/** What stands in a cell that has no answer: a device has no other of its kind. */
const ITSELF: CellText = { word: t("itself"), tone: "quiet", mark: "itself" };
const MIXED: CellText = { word: t("differs"), tone: "quiet", mark: "mixed" };

/** What each mark means. */
export const LEGEND: readonly (readonly [Mark, string])[] = [
  ["everything", t("All ports")],
  ["part", t("Some ports")],
  ["nothing", t("Not allowed (default)")],
  ["denied", t("Blocked by a policy or rule")],
  ["mixed", t("Differs between devices")],
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
    ? { ...first, reason: t("{texts} different rules", { texts: texts.length }) }
    : { ...MIXED, reason: t("Depends on the device") };
}

/** A party with how many devices it has: `kids, 4 devices`. */
export function partyNote(party: Party): string {
  return party.kind === "group" ? tn("{count} device", "{count} devices", sizeOf(party)) : "";
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
