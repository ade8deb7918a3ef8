import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { FieldNote } from "./field_note.tsx";

/** A labelled text of several lines. */
export function TextArea(
  { label, help, problem, value, onValue, rows = 3 }: {
    label: string;
    help?: string;
    problem?: string | null;
    value: string;
    onValue: (value: string) => void;
    rows?: number;
  },
): VNode {
  const id = useId();
  const described = problem || help ? `${id}-d` : undefined;
  return (
    <div class={problem ? "field bad" : "field"}>
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="input"
        rows={rows}
        spellcheck={false}
        aria-invalid={problem ? true : undefined}
        aria-describedby={described}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <FieldNote id={described} problem={problem} help={help} />
    </div>
  );
}
