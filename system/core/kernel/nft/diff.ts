import { Differences } from "../../config/memo.ts";
import type { RulesetOp } from "../plan.ts";
import type { Chain, Element, NftSet, Ruleset, Table, Verdict } from "../ruleset.ts";

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

function sameVerdict(a: Verdict, b: Verdict): boolean {
  return a.kind === b.kind && ("chain" in a ? a.chain : "") === ("chain" in b ? b.chain : "");
}

/** True when both hold the same data (their keys are known to be equal). */
export function sameElement(a: Element, b: Element): boolean {
  if (a === b) return true;
  const x = a.value, y = b.value;
  if (x === y) return true;
  if (x === undefined || y === undefined) return false;
  if ("kind" in x) return "kind" in y && sameVerdict(x, y);
  return !("kind" in y) && sameList(x, y);
}

/** True when both sets were declared alike, whatever they hold. */
function sameShape(a: NftSet, b: NftSet): boolean {
  const value = (set: NftSet): readonly string[] =>
    set.value === undefined ? [] : typeof set.value === "string" ? [set.value] : set.value;
  return (a.key === b.key || sameList(a.key, b.key)) &&
    (a.value === b.value || sameList(value(a), value(b))) &&
    (a.interval ?? false) === (b.interval ?? false) &&
    (a.counter ?? false) === (b.counter ?? false) &&
    a.dynamic?.size === b.dynamic?.size && a.dynamic?.timeout === b.dynamic?.timeout;
}

function sameHook(a: Chain, b: Chain): boolean {
  return JSON.stringify(a.hook) === JSON.stringify(b.hook);
}

function sameRules(a: Chain, b: Chain): boolean {
  return a === b || a.rules === b.rules || JSON.stringify(a.rules) === JSON.stringify(b.rules);
}

type Elements = ReadonlyMap<string, Element>;

const editedKeys = new Differences<Elements, readonly string[]>();

/** Notes the only keys by which a set may differ from another; comparing them looks at no others. */
export function markEdited(from: NftSet, to: NftSet, keys: readonly string[]): void {
  editedKeys.note(from.elements, to.elements, keys);
}

/** Notes that two sets differ at most where two others do that they were made of in the same way. */
export function markEditedLike(
  from: NftSet,
  to: NftSet,
  others: { readonly from: NftSet; readonly to: NftSet },
): void {
  const keys = editedKeys.between(others.from.elements, others.to.elements);
  if (keys !== null) markEdited(from, to, keys);
}

/** True when both sets hold the same, declared alike. */
export function sameSet(a: NftSet, b: NftSet): boolean {
  if (a === b) return true;
  if (a.elements.size !== b.elements.size || !sameShape(a, b)) return false;
  for (const key of editedKeys.between(a.elements, b.elements) ?? b.elements.keys()) {
    const [one, other] = [a.elements.get(key), b.elements.get(key)];
    if (one === other) continue;
    if (one === undefined || other === undefined || !sameElement(one, other)) return false;
  }
  return true;
}

/** What one of two sets has and the other has not, as lists of elements to delete and to add. */
export function diffElements(
  a: NftSet,
  b: NftSet,
): { readonly gone: readonly Element[]; readonly come: readonly Element[] } {
  const gone: Element[] = [];
  const come: Element[] = [];
  if (a === b || a.elements === b.elements) return { gone, come };
  const keys = editedKeys.between(a.elements, b.elements);
  for (const key of keys ?? a.elements.keys()) {
    const [element, other] = [a.elements.get(key), b.elements.get(key)];
    if (element === undefined) continue;
    if (other === undefined || !sameElement(element, other)) gone.push(element);
  }
  for (const key of keys ?? b.elements.keys()) {
    const [element, other] = [b.elements.get(key), a.elements.get(key)];
    if (element === undefined) continue;
    if (other === undefined || !sameElement(element, other)) come.push(element);
  }
  return { gone, come };
}

/**
 * Deletions times elements of a set of joined ranges from which on its table is set anew instead: the
 * kernel walks the set for each deletion (measured: 2,500 of 5,000 take 22 s, the whole table anew
 * 0.1 s), while a new table begins to count anew.
 */
const TOO_MANY = 400_000;

/** True when the kernel would be busy for longer than a table is worth. */
function isSlowToTake(set: NftSet, gone: readonly Element[]): boolean {
  return set.interval === true && set.key.length > 1 &&
    gone.length * set.elements.size > TOO_MANY;
}

function byName<T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, T> {
  return new Map(list.map((item) => [item.name, item]));
}

/** Changes inside a table that both have; null when only a new table will do. */
function diffTable(a: Table, b: Table): readonly RulesetOp[] | null {
  const at = { family: a.family, table: a.name };
  const [setsA, setsB, chainsA, chainsB] = [
    byName(a.sets),
    byName(b.sets),
    byName(a.chains),
    byName(b.chains),
  ];
  const newChains: RulesetOp[] = [];
  const taken: RulesetOp[] = [];
  const newSets: RulesetOp[] = [];
  const given: RulesetOp[] = [];
  const rules: RulesetOp[] = [];
  const removed: RulesetOp[] = [];
  for (const chain of b.chains) {
    const before = chainsA.get(chain.name);
    if (before && !sameHook(before, chain)) return null;
    // Declared empty first: verdicts and rules of others may already lead to it.
    if (!before) newChains.push({ op: "add-chain", ...at, chain: { ...chain, rules: [] } });
    if (before ? !sameRules(before, chain) : chain.rules.length > 0) {
      rules.push({ op: "replace-rules", ...at, chain });
    }
  }
  for (const set of b.sets) {
    const before = setsA.get(set.name);
    if (before === set) continue;
    if (!before) {
      newSets.push({ op: "add-set", ...at, set });
      continue;
    }
    if (!sameShape(before, set)) return null;
    const { gone, come } = diffElements(before, set);
    if (isSlowToTake(before, gone)) return null;
    const { key, value, interval } = set;
    const shape = {
      key,
      ...(value === undefined ? {} : { value }),
      ...(interval === undefined ? {} : { interval }),
    };
    const part = { ...at, set: set.name, shape };
    if (gone.length > 0) taken.push({ op: "delete-elements", ...part, elements: gone });
    if (come.length > 0) given.push({ op: "add-elements", ...part, elements: come });
  }
  for (const chain of a.chains) {
    if (chainsB.has(chain.name)) continue;
    // Emptied before anything it refers to goes.
    rules.push({ op: "replace-rules", ...at, chain: { ...chain, rules: [] } });
  }
  for (const set of a.sets) {
    // Sets before chains: a map's verdicts hold the chains they lead to.
    if (!setsB.has(set.name)) removed.push({ op: "delete-set", ...at, set: set.name });
  }
  for (const chain of a.chains) {
    if (!chainsB.has(chain.name)) removed.push({ op: "delete-chain", ...at, chain: chain.name });
  }
  return [...newChains, ...taken, ...newSets, ...given, ...rules, ...removed];
}

/**
 * The changes that make ruleset `b` of ruleset `a`, in an order that one transaction accepts. Empty
 * when they are equal. Sets that are one object in both are not looked into.
 */
export function diffRulesets(a: Ruleset, b: Ruleset): readonly RulesetOp[] {
  if (a === b) return [];
  const key = (table: Table): string => `${table.family} ${table.name}`;
  const before = new Map(a.tables.map((table) => [key(table), table]));
  const after = new Map(b.tables.map((table) => [key(table), table]));
  const ops: RulesetOp[] = [];
  for (const table of a.tables) {
    if (after.has(key(table))) continue;
    ops.push({ op: "delete-table", family: table.family, table: table.name });
  }
  for (const table of b.tables) {
    const old = before.get(key(table));
    if (old === table) continue;
    const inner = old ? diffTable(old, table) : null;
    if (inner) {
      ops.push(...inner);
      continue;
    }
    if (old) ops.push({ op: "delete-table", family: old.family, table: old.name });
    ops.push({ op: "add-table", table });
  }
  return ops;
}
