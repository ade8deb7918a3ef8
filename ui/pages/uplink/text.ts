import type { Uplink } from "./wire.ts";

/** The mark of an uplink and what it does, in a word or two. */
export function stateOf(one: Uplink): readonly ["dot" | "dot warning" | "dot off", string] {
  if (!one.Up) return ["dot warning", capital(one.Reason)];
  if (one.IP === "") return ["dot warning", "No address"];
  return one.Active ? ["dot", "In use"] : ["dot off", "Standby"];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Milliseconds with their unit. */
export function milliseconds(value: number): string {
  return value >= 10 ? `${Math.round(value)} ms` : `${Math.round(value * 10) / 10} ms`;
}
