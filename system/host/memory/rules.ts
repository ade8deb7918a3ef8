import type { RulesetOp } from "../../core/kernel/plan.ts";
import { parseRange4 } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Chain, Element, NftSet, Ruleset, Table, Verdict } from "../../core/kernel/ruleset.ts";

/** Tables by `family name`. */
export type Tables = ReadonlyMap<string, Table>;

/**
 * The tables after a transaction, refused as a whole where nftables would refuse it: absent tables,
 * sets, chains and elements, a name that exists, a reference to what is not there, and the removal of
 * what is in use. Throws Problem 502.
 */
export function transact(tables: Tables, ops: readonly RulesetOp[]): Tables {
  const next = new Map(tables);
  for (const op of ops) step(next, op);
  return next;
}

/** The tables of a load, which replaces all existing ones. Throws Problem 502. */
export function load(ruleset: Ruleset): Tables {
  for (const table of ruleset.tables) checkTable(table);
  return new Map(ruleset.tables.map((table) => [tableKey(table.family, table.name), table]));
}

/** The key of a table in {@link Tables}. */
export function tableKey(family: string, name: string): string {
  return `${family} ${name}`;
}

function step(tables: Map<string, Table>, op: RulesetOp): void {
  if (op.op === "add-table") {
    const key = tableKey(op.table.family, op.table.name);
    if (tables.has(key)) throw refusal("File exists", `add table ${key}`);
    checkTable(op.table);
    tables.set(key, op.table);
    return;
  }
  const key = tableKey(op.family, op.table);
  const table = tables.get(key);
  if (table === undefined) throw refusal("No such file or directory", `${op.op} in table ${key}`);
  if (op.op === "delete-table") tables.delete(key);
  else tables.set(key, inTable(table, op));
}

type TableOp = Exclude<RulesetOp, { readonly op: "add-table" | "delete-table" }>;

function inTable(table: Table, op: TableOp): Table {
  switch (op.op) {
    case "add-set":
      if (table.sets.some((set) => set.name === op.set.name)) {
        throw refusal("File exists", `add set ${op.set.name}`);
      }
      checkSet(table, op.set);
      return { ...table, sets: [...table.sets, op.set] };
    case "delete-set":
      setOf(table, op.set);
      if (table.chains.some((chain) => usesSet(chain, op.set))) {
        throw refusal("Device or resource busy", `delete set ${op.set}`);
      }
      return { ...table, sets: table.sets.filter((set) => set.name !== op.set) };
    case "add-elements":
      return withSet(table, addElements(table, setOf(table, op.set), op.elements));
    case "delete-elements":
      return withSet(table, deleteElements(setOf(table, op.set), op.elements));
    case "add-chain": {
      if (table.chains.some((chain) => chain.name === op.chain.name)) {
        throw refusal("File exists", `add chain ${op.chain.name}`);
      }
      const next = { ...table, chains: [...table.chains, op.chain] };
      checkChain(next, op.chain);
      return next;
    }
    case "replace-rules": {
      const old = chainOf(table, op.chain.name);
      checkChain(table, op.chain);
      const chain = { ...old, rules: op.chain.rules };
      return { ...table, chains: table.chains.map((one) => one === old ? chain : one) };
    }
    case "delete-chain":
      chainOf(table, op.chain);
      if (usesChain(table, op.chain)) {
        throw refusal("Device or resource busy", `delete chain ${op.chain}`);
      }
      return { ...table, chains: table.chains.filter((chain) => chain.name !== op.chain) };
  }
}

function addElements(table: Table, set: NftSet, added: readonly Element[]): NftSet {
  const elements = new Map(set.elements);
  for (const element of added) {
    const key = element.key.join(" . ");
    checkElement(table, set, element);
    const old = elements.get(key);
    // Adding an existing element is no error; other data under the same key is one.
    if (old !== undefined && JSON.stringify(old.value) !== JSON.stringify(element.value)) {
      throw refusal("File exists", `add element ${set.name} { ${key} }`);
    }
    if (old === undefined && set.interval) checkOverlap(set.name, elements, element);
    elements.set(key, element);
  }
  return { ...set, elements };
}

function deleteElements(set: NftSet, removed: readonly Element[]): NftSet {
  const elements = new Map(set.elements);
  for (const element of removed) {
    const key = element.key.join(" . ");
    if (!elements.delete(key)) {
      // Intervals are looked up by nft itself, which has its own message.
      const text = set.interval && set.key.length === 1
        ? "element does not exist"
        : "No such file or directory";
      throw refusal(text, `delete element ${set.name} { ${key} }`);
    }
  }
  return { ...set, elements };
}

function checkTable(table: Table): void {
  unique(table.sets.map((set) => set.name), "set");
  unique(table.chains.map((chain) => chain.name), "chain");
  for (const set of table.sets) checkSet(table, set);
  for (const chain of table.chains) checkChain(table, chain);
}

function checkSet(table: Table, set: NftSet): void {
  addElements(table, { ...set, elements: new Map() }, [...set.elements.values()]);
}

function checkElement(table: Table, set: NftSet, element: Element): void {
  const where = `element ${set.name} { ${element.key.join(" . ")} }`;
  if (element.key.length !== set.key.length) throw refusal("Invalid argument", where);
  const wanted = set.value === undefined
    ? "none"
    : set.value === "verdict"
    ? "verdict"
    : `${set.value.length}`;
  const given = element.value === undefined
    ? "none"
    : isVerdict(element.value)
    ? "verdict"
    : `${element.value.length}`;
  if (wanted !== given) throw refusal("Invalid argument", where);
  if (element.value !== undefined && isVerdict(element.value)) {
    checkTarget(table, element.value, where);
  }
}

function checkChain(table: Table, chain: Chain): void {
  for (const rule of chain.rules) {
    const where = `rule ${chain.name}: ${rule.comment}`;
    for (const match of rule.matches) if (match.kind === "in") requireSet(table, match.set, where);
    if ("map" in rule.action) requireSet(table, rule.action.map, where);
    if ("set" in rule.action) requireSet(table, rule.action.set, where);
    checkTarget(table, rule.action, where);
  }
}

function checkTarget(table: Table, action: { readonly kind: string }, where: string): void {
  const target = targetOf(action);
  if (target !== null && !table.chains.some((chain) => chain.name === target)) {
    throw refusal("No such file or directory", where);
  }
}

/** Two intervals of one set may be equal, never overlap. */
function checkOverlap(name: string, elements: ReadonlyMap<string, Element>, added: Element): void {
  if (added.key.length !== 1) return;
  const range = parseRange4(added.key[0] ?? "");
  if (range === null) return;
  for (const element of elements.values()) {
    const other = parseRange4(element.key[0] ?? "");
    if (other !== null && range.first <= other.last && other.first <= range.last) {
      throw refusal(
        "interval overlaps with an existing one",
        `add element ${name} { ${added.key[0]} }`,
      );
    }
  }
}

function usesSet(chain: Chain, set: string): boolean {
  return chain.rules.some((rule) =>
    rule.matches.some((match) => match.kind === "in" && match.set === set) ||
    "map" in rule.action && rule.action.map === set ||
    "set" in rule.action && rule.action.set === set
  );
}

function usesChain(table: Table, name: string): boolean {
  return table.chains.some((chain) => chain.rules.some((rule) => targetOf(rule.action) === name)) ||
    table.sets.some((set) =>
      set.value === "verdict" &&
      [...set.elements.values()].some(({ value }) =>
        value !== undefined && isVerdict(value) && targetOf(value) === name
      )
    );
}

function targetOf(action: { readonly kind: string }): string | null {
  return (action.kind === "jump" || action.kind === "goto") && "chain" in action
    ? String(action.chain)
    : null;
}

function isVerdict(value: Verdict | readonly string[]): value is Verdict {
  return !Array.isArray(value);
}

function requireSet(table: Table, name: string, where: string): void {
  if (!table.sets.some((set) => set.name === name)) {
    throw refusal("No such file or directory", where);
  }
}

function setOf(table: Table, name: string): NftSet {
  const set = table.sets.find((one) => one.name === name);
  if (set === undefined) throw refusal("No such file or directory", `set ${name}`);
  return set;
}

function chainOf(table: Table, name: string): Chain {
  const chain = table.chains.find((one) => one.name === name);
  if (chain === undefined) throw refusal("No such file or directory", `chain ${name}`);
  return chain;
}

function withSet(table: Table, set: NftSet): Table {
  return { ...table, sets: table.sets.map((one) => one.name === set.name ? set : one) };
}

function unique(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw refusal("File exists", `add ${what} ${name}`);
    seen.add(name);
  }
}

function refusal(text: string, where: string): Problem {
  return new Problem(502, `nftables refused: Error: ${text} (${where})`);
}
