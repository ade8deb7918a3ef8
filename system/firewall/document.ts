import type { Document, Reading, RejectedEntry } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { withoutNulls } from "../core/config/read_list.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
import {
  contentOf,
  keyOf,
  RULE_KINDS,
  RULE_LISTS,
  type RuleList,
  type RuleLists,
  type RuleOf,
} from "./rule_kinds.ts";
import { atOnce } from "../core/time/slices.ts";
import { DEFAULT_FIREWALL, Firewall } from "./schema.ts";

/** Gathers what a file says, bad entries rejected. */
class Reader {
  readonly rejected: RejectedEntry[] = [];
  readonly #raw: Record<string, unknown>;

  constructor(raw: Record<string, unknown>) {
    this.#raw = raw;
  }

  flag(name: "PingLan" | "PingWan"): boolean {
    const value = this.#raw[name];
    if (typeof value === "boolean") return value;
    if (value !== undefined && value !== null) this.#keep([name], "Write true or false", value);
    return DEFAULT_FIREWALL[name];
  }

  /** The entries of a list, in a step for each; of equal ones the first. */
  *list<L extends RuleList>(name: L): Generator<void, Firewall[L]> {
    const listed = this.#raw[name];
    if (listed === undefined || listed === null) return DEFAULT_FIREWALL[name];
    if (!Array.isArray(listed)) {
      this.#keep([name], "Write a list", listed);
      return DEFAULT_FIREWALL[name];
    }
    const known = new Set<string>();
    const rules: RuleOf<L>[] = [];
    for (const [i, entry] of listed.entries() as ArrayIterator<[number, unknown]>) {
      yield;
      const parsed = RULE_KINDS[name].shape.safeParse(withoutNulls(entry));
      if (!parsed.success) {
        const issue = parsed.error.issues[0];
        const where = issue?.path.length ? `${issue.path.join("/")}: ` : "";
        this.#keep([name, i], `${where}${issue?.message ?? "Not a rule"}`, entry);
        continue;
      }
      const rule = parsed.data as RuleOf<L>;
      const content = contentOf(name, rule);
      if (known.has(content)) continue;
      known.add(content);
      rules.push(rule);
    }
    return rules as Firewall[L];
  }

  #keep(path: readonly PropertyKey[], message: string, raw: unknown): void {
    this.rejected.push({ pointer: pointer(path), message, raw });
  }
}

function* readSteps(raw: unknown): Generator<void, Reading<Firewall>> {
  if (!isRecord(raw)) throw new Problem(400, "The firewall file must hold one JSON object");
  const reader = new Reader(raw);
  const lists: Partial<RuleLists> = {};
  for (const name of RULE_LISTS) Object.assign(lists, { [name]: yield* reader.list(name) });
  const value: Firewall = {
    ...raw,
    ...lists as RuleLists,
    PingLan: reader.flag("PingLan"),
    PingWan: reader.flag("PingWan"),
  };
  return { value, rejected: reader.rejected };
}

/** What the router opens, blocks and forwards beside what devices hold. */
export const firewallDocument: Document<Firewall> = {
  path: "base/firewall.json",
  topic: "rules",
  schema: Firewall,
  fallback: DEFAULT_FIREWALL,
  read: (raw) => atOnce(readSteps(raw)),
  readSteps,
  keyOf,
};
