/** Moves the focus between the links of rows (`data-row`) inside of what has the handler. */
export function walk(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const to = target(event.key, at, rows.length);
  if (to === null || at < 0) return;
  event.preventDefault();
  rows[to]?.focus();
}

function target(key: string, at: number, length: number): number | null {
  switch (key) {
    case "ArrowDown":
      return Math.min(at + 1, length - 1);
    case "ArrowUp":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return null;
  }
}
