/** Which row a key leads to from one of so many; null where it leads nowhere. */
export function keyTarget(key: string, at: number, length: number): number | null {
  if (at < 0 || length === 0) return null;
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

/** Which tab a key leads to; the same one for other keys. */
export function nextTab(key: string, at: number, length: number): number {
  switch (key) {
    case "ArrowRight":
      return (at + 1) % length;
    case "ArrowLeft":
      return (at - 1 + length) % length;
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return at;
  }
}

/** The next line after one that begins with a letter; null for none and for other keys. */
export function byLetter(
  key: string,
  items: readonly { readonly text: string }[],
  at: number,
): number | null {
  if (key.length !== 1 || key === " ") return null;
  const letter = key.toLowerCase();
  const around = items.map((_, step) => (at + 1 + step) % items.length);
  return around.find((index) => items[index]?.text.toLowerCase().startsWith(letter)) ?? null;
}

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
