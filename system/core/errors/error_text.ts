/**
 * The error that may be shown and logged. A failed query tells its text and its values, which may be
 * secrets: the cause is named instead.
 */
export function loggableError(error: unknown): unknown {
  let shown = error;
  while (shown instanceof Error && "query" in shown && "params" in shown) {
    shown = shown.cause ?? new Error("The database refused");
  }
  return shown;
}

/** What an error says, without the values of a query. */
export function errorText(error: unknown): string {
  const shown = loggableError(error);
  return shown instanceof Error ? shown.message : String(shown);
}
