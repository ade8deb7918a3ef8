import type { KernelStep, RulesetOp } from "../../core/kernel/plan.ts";
import type { Chain, Element, NftSet, Ruleset, Table } from "../../core/kernel/ruleset.ts";

interface MirroredTable {
  readonly family: Table["family"];
  readonly name: string;
  readonly sets: Map<string, MirroredSet>;
  readonly chains: Map<string, Chain>;
}

interface MirroredSet {
  readonly set: NftSet;
  readonly elements: Map<string, Element>;
}

/**
 * The ruleset that was applied to the kernel. Applied steps are only recorded, and replayed when the
 * ruleset is read, so that a change costs nothing here.
 */
export class Mirror {
  readonly #tables = new Map<string, MirroredTable>();
  #steps: KernelStep[] = [];
  #known = false;

  /** Records an applied step. */
  note(step: KernelStep): void {
    if (step.kind === "load") this.#known = true;
    // Steps on top of an unknown state say nothing about the whole.
    if (this.#known && (step.kind === "load" || step.kind === "ruleset")) this.#steps.push(step);
  }

  /** The applied ruleset; null before the first load. */
  ruleset(): Ruleset | null {
    if (!this.#known) return null;
    const steps = this.#steps;
    this.#steps = [];
    for (const step of steps) this.#replay(step);
    return {
      tables: [...this.#tables.values()].map(({ family, name, sets, chains }) => ({
        family,
        name,
        sets: [...sets.values()].map(({ set, elements }) => ({ ...set, elements })),
        chains: [...chains.values()],
      })),
    };
  }

  #replay(step: KernelStep): void {
    if (step.kind === "load") {
      for (const table of step.ruleset.tables) this.#tables.set(keyOf(table), mirrored(table));
    }
    if (step.kind === "ruleset") { for (const op of step.ops) this.#change(op); }
  }

  #change(op: RulesetOp): void {
    if (op.op === "add-table") {
      this.#tables.set(keyOf(op.table), mirrored(op.table));
      return;
    }
    const key = `${op.family} ${op.table}`;
    const table = this.#tables.get(key);
    if (op.op === "delete-table") this.#tables.delete(key);
    else if (table !== undefined) changeTable(table, op);
  }
}

type TableOp = Exclude<RulesetOp, { readonly op: "add-table" | "delete-table" }>;

function changeTable(table: MirroredTable, op: TableOp): void {
  switch (op.op) {
    case "add-set":
      table.sets.set(op.set.name, mirroredSet(op.set));
      return;
    case "delete-set":
      table.sets.delete(op.set);
      return;
    case "add-elements":
      for (const element of op.elements) {
        table.sets.get(op.set)?.elements.set(element.key.join(" . "), element);
      }
      return;
    case "delete-elements":
      for (const { key } of op.elements) table.sets.get(op.set)?.elements.delete(key.join(" . "));
      return;
    case "add-chain":
    case "replace-rules": {
      // Replacing rules leaves the hook of an existing chain.
      const hook = op.chain.hook ?? table.chains.get(op.chain.name)?.hook;
      table.chains.set(op.chain.name, { ...op.chain, ...(hook === undefined ? {} : { hook }) });
      return;
    }
    case "delete-chain":
      table.chains.delete(op.chain);
  }
}

function mirrored(table: Table): MirroredTable {
  return {
    family: table.family,
    name: table.name,
    sets: new Map(table.sets.map((set) => [set.name, mirroredSet(set)])),
    chains: new Map(table.chains.map((chain) => [chain.name, chain])),
  };
}

function mirroredSet(set: NftSet): MirroredSet {
  return { set: { ...set, elements: new Map() }, elements: new Map(set.elements) };
}

function keyOf(table: Table): string {
  return `${table.family} ${table.name}`;
}
