import type { Uplink } from "./wire.ts";
import { numberText } from "../../text/format.ts";
import { t } from "../../text/language.ts";

/** The mark of an uplink and what it does, in a word or two. */
export function stateOf(one: Uplink): readonly ["dot" | "dot warning" | "dot off", string] {
  if (!one.Up) return ["dot warning", capital(one.Reason)];
  if (one.IP === "") return ["dot warning", t("No address")];
  return one.Active ? ["dot", t("In use")] : ["dot off", t("Standby")];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Milliseconds with their unit. */
export function milliseconds(value: number): string {
  const rounded = value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
  return t("{value} ms", { value: numberText(rounded) });
}
