import type { RulesetOp } from "../../../system/core/kernel/plan.ts";
import type {
  Chain,
  Element,
  NftSet,
  Ruleset,
  Table,
} from "../../../system/core/kernel/ruleset.ts";

function named<T extends { readonly name: string }>(list: readonly T[], name: string): T {
  const found = list.find((one) => one.name === name);
  if (!found) throw new Error(`No such ${name}`);
  return found;
}

function refersTo(table: Table, name: string): boolean {
  return table.chains.some((chain) =>
    chain.rules.some((rule) =>
      rule.matches.some((match) => match.kind === "in" && match.set === name) ||
      ("map" in rule.action && rule.action.map === name) ||
      ("chain" in rule.action && rule.action.chain === name)
    )
  ) ||
    table.sets.some((set) =>
      [...set.elements.values()].some((element) =>
        element.value !== undefined && "chain" in element.value && element.value.chain === name
      )
    );
}

function withElements(set: NftSet, op: RulesetOp["op"], elements: readonly Element[]): NftSet {
  const next = new Map(set.elements);
  for (const element of elements) {
    const key = element.key.join(" . ");
    if (op === "add-elements") {
      if (next.has(key)) throw new Error(`Element exists: ${key}`);
      next.set(key, element);
    } else if (!next.delete(key)) throw new Error(`No such element: ${key}`);
  }
  return { ...set, elements: next };
}

function changed(table: Table, op: RulesetOp): Table {
  const replaced = <T extends { readonly name: string }>(
    list: readonly T[],
    one: T,
  ): readonly T[] => {
    named(list, one.name);
    return list.map((old) => old.name === one.name ? one : old);
  };
  const removed = <T extends { readonly name: string }>(list: readonly T[], name: string) => {
    named(list, name);
    if (refersTo(table, name)) throw new Error(`Still in use: ${name}`);
    return list.filter((one) => one.name !== name);
  };
  switch (op.op) {
    case "add-set":
      return { ...table, sets: [...table.sets, op.set] };
    case "delete-set":
      return { ...table, sets: removed(table.sets, op.set) };
    case "add-elements":
    case "delete-elements": {
      const set = withElements(named(table.sets, op.set), op.op, op.elements);
      return { ...table, sets: replaced(table.sets, set) };
    }
    case "add-chain":
      return { ...table, chains: [...table.chains, op.chain] };
    case "replace-rules": {
      const chain = { ...named(table.chains, op.chain.name), rules: op.chain.rules };
      return { ...table, chains: replaced(table.chains, chain) };
    }
    case "delete-chain":
      return { ...table, chains: removed(table.chains, op.chain) };
    default:
      throw new Error(`Not inside a table: ${op.op}`);
  }
}

/** A ruleset after changes, refusing what the kernel would: missing things, things still in use. */
export function applyOps(ruleset: Ruleset, ops: readonly RulesetOp[]): Ruleset {
  let tables = ruleset.tables;
  for (const op of ops) {
    if (op.op === "add-table") tables = [...tables, op.table];
    else if (op.op === "delete-table") {
      tables = tables.filter((one) => one.family !== op.family || one.name !== op.table);
    } else {
      if (!tables.some((one) => one.family === op.family && one.name === op.table)) {
        throw new Error(`No table ${op.family} ${op.table}`);
      }
      tables = tables.map((one) =>
        one.family === op.family && one.name === op.table ? changed(one, op) : one
      );
    }
  }
  return { tables };
}

function sorted<T>(list: readonly T[], name: (one: T) => string): readonly T[] {
  return [...list].sort((a, b) => name(a) < name(b) ? -1 : 1);
}

/** A ruleset as plain data in an order of its own, so that equal ones compare equal. */
export function canonical(ruleset: Ruleset): unknown {
  return sorted(ruleset.tables, (table) => `${table.family} ${table.name}`).map((table) => ({
    family: table.family,
    name: table.name,
    sets: sorted(table.sets, (set) => set.name).map((set) => ({
      ...set,
      elements: sorted([...set.elements], ([key]) => key),
    })),
    chains: sorted(table.chains, (chain: Chain) => chain.name),
  }));
}
