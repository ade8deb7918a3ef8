import { keyTarget } from "../form/keys.ts";

/** Moves the focus between the links of rows (`data-row`) inside of what has the handler. */
export function moveRowFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const to = keyTarget(
    event.key,
    rows.indexOf(document.activeElement as HTMLElement),
    rows.length,
  );
  if (to === null) return;
  event.preventDefault();
  rows[to]?.focus();
}
