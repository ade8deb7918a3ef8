import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { FieldNote } from "./field_note.tsx";

/** A labelled input with help below it, or the problem in the place of the help. */
export function Field(
  { label, help, problem, value, onValue, class: extra, secret, list, ...input }: {
    label: string;
    help?: string;
    problem?: string | null;
    value: string;
    onValue: (value: string) => void;
    class?: string;
    secret?: boolean;
    type?: "text" | "datetime-local" | "time";
    name?: string;
    autocomplete?: "username" | "current-password" | "new-password" | "one-time-code" | "off";
    inputMode?: "numeric";
    pattern?: string;
    maxLength?: number;
    required?: boolean;
    readOnly?: boolean;
    /** Id of a datalist with what may be meant. */
    list?: string;
    placeholder?: string;
  },
): VNode {
  const id = useId();
  const described = problem || help ? `${id}-d` : undefined;
  return (
    <div class={problem ? "field bad" : "field"}>
      <label for={id}>{label}</label>
      <input
        {...input}
        {...(list === undefined ? {} : { type: "text" as const, list })}
        {...(secret ? { type: "password" } : { autocapitalize: "none", spellcheck: false })}
        id={id}
        class={`input${extra ? ` ${extra}` : ""}`}
        value={value}
        dir="auto"
        aria-invalid={problem ? true : undefined}
        aria-describedby={described}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <FieldNote id={described} problem={problem} help={help} />
    </div>
  );
}
