import type { VNode } from "preact";
import { numberWords } from "../../text/words.ts";

/** Says that a list is longer than what is drawn of it, and how to come to the rest. */
export function MoreRows({ number }: { number: number }): VNode | null {
  if (number <= 0) return null;
  return <p class="pad s quiet">{numberWords(number)} more. Use the filter to narrow down.</p>;
}
