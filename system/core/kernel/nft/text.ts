import type { RulesetOp } from "../plan.ts";
import type { Chain, Element, KeyType, NftSet, Ruleset, Table } from "../ruleset.ts";
import { normalizeMac, parseRange4 } from "../../net/net.ts";
import { family, identifier, keyText } from "./grammar.ts";
import { ruleText, verdictText } from "./rule_text.ts";
import { atOnce } from "../../time/slices.ts";

/** What a set must be known by to write its elements. */
type SetShape = Pick<NftSet, "key" | "value" | "interval">;

/** An element as nft writes it, without its set. Throws RangeError when it does not fit the set. */
export function elementText(element: Element, set: SetShape): string {
  if (element.key.length !== set.key.length) {
    throw new RangeError(`A key needs ${set.key.length} parts: ${element.key.join(" . ")}`);
  }
  const key = element.key.map((part, i) => keyText(set.key[i]!, part, set.interval ?? false));
  return data(key.join(" . "), element, set);
}

function data(key: string, element: Element, set: SetShape): string {
  const value = element.value;
  if (set.value === undefined) {
    if (value !== undefined) throw new RangeError(`A plain set has no data: ${key}`);
    return key;
  }
  if (value === undefined) throw new RangeError(`A map needs data: ${key}`);
  if (set.value === "verdict") {
    if (!("kind" in value)) throw new RangeError(`A verdict map needs a verdict: ${key}`);
    return `${key} : ${verdictText(value)}`;
  }
  if ("kind" in value || value.length !== set.value.length) {
    throw new RangeError(`A map needs ${set.value.length} parts of data: ${key}`);
  }
  const types = set.value;
  return `${key} : ${value.map((part, i) => keyText(types[i]!, part, false)).join(" . ")}`;
}

function looksLike(part: string): KeyType {
  if (parseRange4(part) !== null) return "ipv4_addr";
  if (normalizeMac(part) !== null) return "ether_addr";
  if (/^\d+(-\d+)?$/.test(part)) return "inet_service";
  if (/^\d+(\.\d+){3}-/.test(part)) return "ipv4_addr";
  return ["tcp", "udp", "icmp"].includes(part) ? "inet_proto" : "ifname";
}

function guess(element: Element): SetShape {
  const value = element.value;
  const key = element.key.map(looksLike);
  if (value === undefined) return { key, interval: true };
  return { key, interval: true, value: "kind" in value ? "verdict" : value.map(looksLike) };
}

const KEY_TYPES = ["ipv4_addr", "ifname", "ether_addr", "inet_proto", "inet_service"];

function typeText(types: readonly string[]): string {
  for (const type of types) {
    if (!KEY_TYPES.includes(type)) throw new RangeError(`Unknown key type ${type}`);
  }
  return types.join(" . ");
}

function setLines(set: NftSet): readonly string[] {
  const value = set.value === undefined
    ? ""
    : ` : ${set.value === "verdict" ? "verdict" : typeText(set.value)}`;
  const elements = [...set.elements.values()].map((element) => elementText(element, set));
  return [
    `${set.value === undefined ? "set" : "map"} ${identifier(set.name)} {`,
    `  type ${typeText(set.key)}${value}`,
    ...(set.interval ? ["  flags interval"] : []),
    ...(set.dynamic ? dynamicLines(set.dynamic) : []),
    ...(set.counter ? ["  counter"] : []),
    ...(elements.length > 0 ? [`  elements = { ${elements.join(", ")} }`] : []),
    "}",
  ];
}

function dynamicLines({ size, timeout }: NonNullable<NftSet["dynamic"]>): readonly string[] {
  if (![size, timeout].every((number) => Number.isSafeInteger(number) && number > 0)) {
    throw new RangeError("A dynamic set needs a size and a timeout");
  }
  return [`  size ${size}`, "  flags dynamic,timeout", `  timeout ${timeout}s`];
}

/** The line that hooks a base chain; null for any other. Throws RangeError. */
export function hookText(chain: Chain): string | null {
  if (!chain.hook) return null;
  const { type, hook, priority, policy } = chain.hook;
  const text = [type, hook, policy];
  if (!text.every((word) => /^[a-z]+$/.test(word)) || !Number.isInteger(priority)) {
    throw new RangeError(`Cannot hook chain ${chain.name}`);
  }
  return `type ${type} hook ${hook} priority ${priority}; policy ${policy};`;
}

function chainLines(chain: Chain): readonly string[] {
  const hook = hookText(chain);
  return [
    `chain ${identifier(chain.name)} {`,
    ...(hook ? [`  ${hook}`] : []),
    ...chain.rules.map((rule) => `  ${ruleText(rule)}`),
    "}",
  ];
}

/** The lines of a table, those of each set and of each chain together. */
function* tableParts(table: Table): Generator<readonly string[], void> {
  const inside = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);
  yield [`table ${family(table.family)} ${identifier(table.name)} {`, '  comment "sluice"'];
  for (const set of table.sets) yield inside(setLines(set));
  for (const chain of table.chains) yield inside(chainLines(chain));
  yield ["}"];
}

function ruleLines(name: string, chain: Chain): readonly string[] {
  return chain.rules.map((rule) => `add rule ${name} ${identifier(chain.name)} ${ruleText(rule)}`);
}

/** The nft statements of one change, line by line. Throws RangeError for what nft must not see. */
export function opLines(op: RulesetOp): readonly string[] {
  if (op.op === "add-table") return [...tableParts(op.table)].flat();
  const name = `${family(op.family)} ${identifier(op.table)}`;
  switch (op.op) {
    case "delete-table":
      return [`delete table ${name}`];
    case "add-set":
      return [`table ${name} {`, ...setLines(op.set).map((line) => `  ${line}`), "}"];
    case "delete-set":
      return [`delete set ${name} ${identifier(op.set)}`];
    case "add-chain":
      return [
        `add chain ${name} ${identifier(op.chain.name)}` +
        (op.chain.hook ? ` { ${hookText(op.chain)} }` : ""),
        ...ruleLines(name, op.chain),
      ];
    case "replace-rules":
      return [
        `flush chain ${name} ${identifier(op.chain.name)}`,
        ...ruleLines(name, op.chain),
      ];
    case "delete-chain":
      return [`delete chain ${name} ${identifier(op.chain)}`];
    case "add-elements":
    case "delete-elements": {
      if (op.elements.length === 0) return [];
      const verb = op.op === "add-elements" ? "add" : "delete";
      const texts = op.elements.map((element) => elementText(element, op.shape ?? guess(element)));
      return [`${verb} element ${name} ${identifier(op.set)} { ${texts.join(", ")} }`];
    }
  }
}

/** Changes as one nft script, which the kernel takes whole or not at all. */
export function renderOps(ops: readonly RulesetOp[]): string {
  return ops.flatMap(opLines).map((line) => `${line}\n`).join("");
}

/**
 * Changes of plain elements as one line that may follow a ruleset in its file; null for others.
 * Intervals are left out: nft merges and splits them by what is loaded already.
 */
export function renderElementLine(ops: readonly RulesetOp[]): string | null {
  const isPlain = ops.every((op) =>
    (op.op === "add-elements" || op.op === "delete-elements") && op.shape !== undefined &&
    op.shape.interval !== true
  );
  const lines = isPlain ? ops.flatMap(opLines) : [];
  return lines.length === 0 ? null : `${lines.join("; ")}\n`;
}

/**
 * A ruleset as one nft script that replaces its tables, there or not, in one transaction. Tables that
 * it does not name stay as they are.
 */
export function renderLoad(ruleset: Ruleset): string {
  return atOnce(renderLoadSteps(ruleset));
}

/** The same in a step for each set and chain. */
export function* renderLoadSteps(ruleset: Ruleset): Generator<void, string> {
  const texts: string[] = [];
  for (const table of ruleset.tables) {
    const name = `${family(table.family)} ${identifier(table.name)}`;
    // Naming the table first makes the deletion hold on an empty kernel as well.
    texts.push(`table ${name}\ndelete table ${name}\n`);
    for (const lines of tableParts(table)) {
      texts.push(`${lines.join("\n")}\n`);
      yield;
    }
  }
  return texts.join("");
}
