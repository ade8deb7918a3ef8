import type { Document } from "../core/config/document.ts";
import { readList } from "../core/config/read_list.ts";
import { Problem } from "../core/errors/problem.ts";
import { isRecord } from "../core/config/json.ts";
import { readUpdates } from "./rules.ts";
import { HostName, MAX_THEMES, Theme, Themes, Updates } from "./schema.ts";

/** What the router is called: `base/hostname`, a JSON text; "" takes the machine's own name. */
export const hostNameDocument: Document<string> = {
  path: "base/hostname",
  topic: "hostname",
  schema: HostName,
  fallback: "",
  read(raw) {
    // Older files hold the name in quotes within quotes.
    const name = HostName.safeParse(typeof raw === "string" ? raw.replaceAll('"', "") : raw);
    if (!name.success) throw new Problem(400, name.error.issues[0]!.message);
    return { value: name.data, rejected: [] };
  },
};

/** Which release is wanted, and how updates are found: `base/updates.json`. */
export const updatesDocument: Document<Updates> = {
  path: "base/updates.json",
  topic: "updates",
  schema: Updates,
  fallback: Updates.parse({}),
  read(raw) {
    if (!isRecord(raw)) throw new Problem(400, "The wanted release is one JSON object");
    return readUpdates(raw);
  },
};

/** Custom colours of the pages: `base/custom_themes.json`. */
export const themesDocument: Document<readonly Theme[]> = {
  path: "base/custom_themes.json",
  topic: "themes",
  schema: Themes,
  fallback: [],
  read(raw) {
    if (!Array.isArray(raw)) throw new Problem(400, "The themes are one JSON array");
    return readList<Theme>(raw, {
      schema: Theme,
      fault: ({ id }, before) =>
        before.length >= MAX_THEMES || before.some((one) => one.id === id)
          ? "It stands in the list twice, or is one too many"
          : null,
    });
  },
  keyOf: (element) =>
    typeof element === "object" && element !== null && "id" in element
      ? String(element.id)
      : JSON.stringify(element),
};
