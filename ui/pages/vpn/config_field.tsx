import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { FieldNote } from "../../parts/form/field_note.tsx";
import { t } from "../../text/language.ts";

/** A WireGuard configuration file, chosen or pasted. */
export function ConfigField(
  { label, problem, value, onValue }: {
    label: string;
    problem: string | null;
    value: string;
    onValue: (value: string) => void;
  },
): VNode {
  const id = useId();
  const described = `${id}-d`;
  return (
    <div class={problem ? "field bad" : "field"}>
      <label for={id}>{label}</label>
      <input
        type="file"
        class="input"
        accept=".conf,text/plain"
        aria-label={t("{label}: choose a file", { label })}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) void file.text().then(onValue);
        }}
      />
      <textarea
        id={id}
        class="input mono"
        rows={6}
        value={value}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={problem ? true : undefined}
        aria-describedby={described}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <FieldNote
        id={described}
        problem={problem}
        help={t("Begins with [Interface]. Commands are refused")}
      />
    </div>
  );
}
