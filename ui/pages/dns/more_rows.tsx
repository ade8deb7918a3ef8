import type { VNode } from "preact";
import { numberText } from "../../text/format.ts";
import { t } from "../../text/language.ts";

/** Says that a list is longer than what is drawn of it, and how to come to the rest. */
export function MoreRows({ number }: { number: number }): VNode | null {
  if (number <= 0) return null;
  return (
    <p class="pad s quiet">
      {t("{number} more. Use the filter to narrow down.", { number: numberText(number) })}
    </p>
  );
}
