import type { ComponentChildren, VNode } from "preact";
import { useId, useRef } from "preact/hooks";
import { nextTab } from "../form/keys.ts";
import "../../styles/parts/tabs.css";

/** Views of one subject, one at a time: ← and → choose, Home and End go to the ends. */
export function Tabs(
  { label, tabs, chosen, onChoose, children }: {
    label: string;
    tabs: readonly (readonly [name: string, text: string])[];
    chosen: string;
    onChoose: (name: string) => void;
    children: ComponentChildren;
  },
): VNode {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  function key(event: KeyboardEvent): void {
    const at = tabs.findIndex(([name]) => name === chosen);
    const to = nextTab(event.key, at, tabs.length);
    const name = tabs[to]?.[0];
    if (to === at || name === undefined) return;
    event.preventDefault();
    onChoose(name);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={key}>
        {tabs.map(([name, text]) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} tabIndex={0}>
        {children}
      </div>
    </>
  );
}
