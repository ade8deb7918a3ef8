/** The row of a table that an element is in, by its key; undefined outside of tables. */
function rowOf(element: Element): string | undefined {
  return element.closest<HTMLElement>("[data-key]")?.dataset["key"];
}

/**
 * Remembers what has the focus, and returns what gives it back. Tables fill the elements of their rows
 * anew: where the element shows another row by then, the content of the page has the focus instead, so
 * that a key pressed next acts on nothing that was not chosen.
 */
export function rememberFocus(): () => void {
  const opener = document.activeElement;
  if (!(opener instanceof HTMLElement)) return () => {};
  const row = rowOf(opener);
  return () => {
    if (!opener.isConnected) return;
    if (rowOf(opener) === row) opener.focus();
    else document.getElementById("main")?.focus({ preventScroll: true });
  };
}
