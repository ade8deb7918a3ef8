import type { VNode } from "preact";
import { Icon } from "../show/icon.tsx";

/** What stands below an input: its problem, else its help; `id` is what the input is described by. */
export function FieldNote(
  { id, problem, help }: {
    id: string | undefined;
    problem: string | null | undefined;
    help: string | undefined;
  },
): VNode | null {
  if (problem) {
    return (
      <span class="problem" id={id}>
        <Icon name="alert" small />
        {problem}
      </span>
    );
  }
  return help ? <span class="help" id={id}>{help}</span> : null;
}
