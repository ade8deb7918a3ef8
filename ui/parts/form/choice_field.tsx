import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { FieldNote } from "./field_note.tsx";

/** A labelled choice of one among a few. */
export function SelectField(
  { label, help, problem, value, options, onValue, disabled }: {
    label: string;
    help?: string | undefined;
    problem?: string | null;
    value: string;
    options: readonly (readonly [string, string])[];
    onValue: (value: string) => void;
    disabled?: boolean;
  },
): VNode {
  const id = useId();
  const described = problem || help ? `${id}-d` : undefined;
  return (
    <div class={problem ? "field bad" : "field"}>
      <label for={id}>{label}</label>
      <select
        id={id}
        class="select"
        value={value}
        disabled={disabled}
        aria-invalid={problem ? true : undefined}
        aria-describedby={described}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {options.map(([option, text]) => <option key={option} value={option}>{text}</option>)}
      </select>
      <FieldNote id={described} problem={problem} help={help} />
    </div>
  );
}

/** A choice of one among very few that fit in a row. */
export function Seg(
  { label, value, options, onValue }: {
    label: string;
    value: string;
    options: readonly (readonly [string, string])[];
    onValue: (value: string) => void;
  },
): VNode {
  const id = useId();
  return (
    <div class="seg" role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <label key={option}>
          <input
            type="radio"
            name={id}
            checked={option === value}
            onChange={() => onValue(option)}
          />
          {text}
        </label>
      ))}
    </div>
  );
}

/** A box to tick, with what it does beside it. */
export function CheckField(
  { label, help, value, onValue, disabled }: {
    label: string;
    help?: string | undefined;
    value: boolean;
    onValue: (value: boolean) => void;
    disabled?: boolean;
  },
): VNode {
  const id = useId();
  return (
    <div class="tick">
      <input
        class="check"
        type="checkbox"
        id={id}
        checked={value}
        disabled={disabled}
        aria-describedby={help ? `${id}-d` : undefined}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {help && <span class="help" id={`${id}-d`}>{help}</span>}
    </div>
  );
}
