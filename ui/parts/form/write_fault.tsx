import type { ComponentChildren, VNode } from "preact";
import { Fault } from "./fault.tsx";
import { isUnknown, textOf } from "../../api/problem.ts";
import { t } from "../../text/language.ts";

/**
 * Why a write failed, under what did not happen (`failed`: `The clock was not set.`). Where the answer
 * was lost, nothing says that it did not happen.
 */
export function WriteFault({ failed, error, focusable, children = textOf(error) }: {
  failed: string;
  error: unknown;
  /** It can get the focus, as the first error of a form. */
  focusable?: boolean;
  /** In the place of the message of the error. */
  children?: ComponentChildren;
}): VNode {
  return (
    <Fault
      {...(focusable ? { focusable } : {})}
      title={isUnknown(error) ? t("No answer was received.") : failed}
    >
      {children}
    </Fault>
  );
}
