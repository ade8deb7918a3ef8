import type { Devices, PatchEntry } from "../../wire.ts";
import { nameOf } from "../../text/format.ts";

/** One line of a difference. `at` heads the lines that follow it. */
export interface DiffLine {
  readonly sign: "at" | "add" | "remove";
  readonly text: string;
}

const REMOVES = /^(?:\S+\s+){0,2}?(?:delete|del|destroy|flush|remove)\b/i;

/** The difference of a configuration, removed before added, under the place it is in. */
export function configLines(patch: readonly PatchEntry[], devices: Devices): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let current = "";
  for (const entry of patch) {
    const [first, ...others] = entry.path;
    const head = first === undefined
      ? entry.document
      : `${entry.document}, ${
        entry.document === "devices" ? nameOf(first, devices[first]) : first
      }`;
    if (head !== current) lines.push({ sign: "at", text: head });
    current = head;
    const key = keyText(others, entry.after ?? entry.before);
    if (entry.before !== undefined) lines.push(...valueLines("remove", key, entry.before));
    if (entry.after !== undefined) lines.push(...valueLines("add", key, entry.after));
  }
  return lines;
}

/** `"PSKEntry.Type": `; an element of a list stands under the name of its list. */
function keyText(path: readonly string[], value: unknown): string {
  const names = path.at(-1) === value ? path.slice(0, -1) : path;
  return names.length > 0 ? `"${names.join(".")}": ` : "";
}

function valueLines(sign: "add" | "remove", key: string, value: unknown): DiffLine[] {
  const short = JSON.stringify(value) ?? "null";
  const text = short.length <= 72 ? short : JSON.stringify(value, null, 2);
  return `${key}${text}`.split("\n").map((line) => ({ sign, text: line }));
}

const ELEMENT = /^(?:nft )?(add|delete) element (\S+ \S+) (\S+) \{ (.*) \}$/;

/** Kernel lines with the sign of what each does; elements stand under the table they are in. */
export function systemLines(system: readonly string[]): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let current = "";
  for (const text of system) {
    const [, verb, table = "kernel", set, element] = ELEMENT.exec(text) ?? [];
    if (table !== current) lines.push({ sign: "at", text: table });
    current = table;
    if (verb === undefined) {
      lines.push({ sign: REMOVES.test(text) ? "remove" : "add", text });
    } else lines.push({ sign: verb === "add" ? "add" : "remove", text: `${set}  ${element}` });
  }
  return lines;
}
