import type { ApiProblem } from "../api/problem.ts";
import type { Preview, Refusal } from "../wire.ts";
import { t } from "../text/language.ts";

/** Why a change is refused, for a person. */
export interface Conflict {
  readonly kind: Refusal["kind"];
  readonly title: string;
  readonly text: string;
  /** Further sentences, each of its own. */
  readonly details: readonly string[];
  /** The change that awaits confirmation, where that is the conflict. */
  readonly change?: string;
  /** Address of the client that it would lock out. */
  readonly source?: string;
  /** True where only access tests break: nobody is cut off by applying it anyway. */
  readonly test?: boolean;
}

/** The conflict of a change, from its preview. */
export function conflictsOf({ refusals }: Preview): readonly Conflict[] {
  return refusals.map(conflict);
}

/** The conflict in a problem of the API; null for any other problem. */
export function conflictOf({ status, message, members }: ApiProblem): Conflict | null {
  if (status !== 409) return null;
  const kind = kindOf(members);
  return kind === null ? null : conflict({ kind, detail: message, members });
}

const KINDS: readonly Refusal["kind"][] = ["window", "guard", "lockout", "path"];

function kindOf({ refusal }: Refusal["members"]): Refusal["kind"] | null {
  return KINDS.find((kind) => kind === refusal) ?? null;
}

/** The API’s advice on how to continue, which the buttons give here. */
const ADVICE = /\.? Confirm it within a window, or force it$|; confirm or undo it first$/;

function conflict({ kind, detail, members }: Refusal): Conflict {
  const text = detail.replace(ADVICE, "");
  switch (kind) {
    case "window":
      return {
        kind,
        title: t("Another change awaits confirmation."),
        text: t("Confirm or revert it first. Only one change can be pending"),
        details: [],
        ...(typeof members["change"] === "string" ? { change: members["change"] } : {}),
      };
    case "lockout":
      return {
        kind,
        title: t("This would lock you out."),
        text: ruleText(members) ?? t("No rule would allow access to this page"),
        details: [],
        ...(typeof members["source"] === "string" ? { source: members["source"] } : {}),
      };
    case "path":
      return {
        kind,
        title: t("This changes the path that you are connected through."),
        text,
        details: [],
      };
    case "guard":
      return brokenTests(members, text) ??
        { kind, title: t("This needs to be confirmed."), text, details: [] };
  }
}

function ruleText({ rule }: Refusal["members"]): string | null {
  const text = typeof rule === "string" ? rule : (rule as { text?: unknown } | null)?.text;
  return typeof text === "string" ? text : null;
}

function brokenTests(members: Refusal["members"], text: string): Conflict | null {
  const name = members["test"];
  if (typeof name !== "string") return null;
  const tests = readTests(members["tests"]);
  const first = tests.find((test) => test.name === name)?.text ??
    text.split(`"${name}": `).at(-1) ?? text;
  return {
    kind: "guard",
    title: t("This would fail the test “{name}”.", { name }),
    text: first,
    details: tests.filter((test) => test.name !== name)
      .map((test) => t("Also fails “{name}”: {test}", { name: test.name, test: test.text })),
    test: true,
  };
}

function readTests(value: unknown): readonly { readonly name: string; readonly text: string }[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one) => typeof one?.name === "string" && typeof one?.text === "string");
}
