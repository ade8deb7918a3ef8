import type { Document, Reading, RejectedEntry } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { issueMessage, readList, withoutNulls } from "../core/config/read_list.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
import { isBuiltIn } from "./built_in.ts";
import { entryFault } from "./rules.ts";
import { ApiFile, ComposePath, MAX_PLUGINS, Plugin } from "./schema.ts";

/** The plugins, and settings of existing routers beside them: `base/api.json`. */
export const pluginsDocument: Document<ApiFile> = {
  path: "base/api.json",
  topic: "plugins",
  schema: ApiFile,
  fallback: { Plugins: [] },
  read,
  secret: ([first, second]) =>
    first === "PlusToken" || first === "InfluxDB" && second === "Token" ||
    // What else stands there is not ours to show.
    first !== undefined && /token|password|secret|key/i.test(first),
  keyOf: (element) => isRecord(element) ? String(element["Name"]) : JSON.stringify(element),
};

/** Reads the file leniently. Parts of Sluice that existing routers list as plugins are left out. */
function read(raw: unknown): Reading<ApiFile> {
  if (!isRecord(raw)) throw new Problem(400, "The file of plugins is one JSON object");
  const { Plugins: listed, ...others } = raw;
  const found: Plugin[] = [], rejected: RejectedEntry[] = [];
  (Array.isArray(listed) ? listed : []).forEach((entry: unknown, index) => {
    const given = withoutNulls(entry);
    if (isRecord(given) && isBuiltIn(String(given["Name"]))) return;
    const parsed = Plugin.safeParse(given);
    const message = !parsed.success
      ? issueMessage(parsed.error)
      : found.length >= MAX_PLUGINS
      ? `A router has at most ${MAX_PLUGINS} plugins`
      : entryFault(parsed.data, found)?.message ?? null;
    if (message === null) found.push(parsed.data!);
    else rejected.push({ pointer: pointer(["Plugins", index]), message, raw: entry });
  });
  return { value: { ...others, Plugins: found }, rejected };
}

/** Compose files that a router has at most. */
const MAX_COMPOSE_PATHS = 64;

/** Compose files that plugins may name beside those of known add-ons. */
export const composePathsDocument: Document<readonly string[]> = {
  path: "base/custom_compose_paths.json",
  topic: "compose_paths",
  schema: ComposePath.array().max(MAX_COMPOSE_PATHS),
  fallback: [],
  read(raw) {
    if (!Array.isArray(raw)) throw new Problem(400, "The compose files are one JSON array");
    return readList(raw, {
      schema: ComposePath,
      fault: (_, before) => before.length < MAX_COMPOSE_PATHS ? null : "It is one too many",
    });
  },
};
