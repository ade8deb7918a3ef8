import { speakable } from "../log/speakable.ts";

/** What an error says, without the values of a query. */
export function words(error: unknown): string {
  const shown = speakable(error);
  return shown instanceof Error ? shown.message : String(shown);
}
