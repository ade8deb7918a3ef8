import type { Document, Reading, RejectedEntry } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
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
    const given = isRecord(entry)
      ? Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null))
      : entry;
    if (isRecord(given) && isBuiltIn(String(given["Name"]))) return;
    const parsed = Plugin.safeParse(given);
    const [issue] = parsed.error?.issues ?? [];
    const message = issue?.message ??
      (found.length >= MAX_PLUGINS
        ? `A router has at most ${MAX_PLUGINS} plugins`
        : entryFault(parsed.data!, found)?.message);
    if (message === undefined) found.push(parsed.data!);
    else {
      rejected.push({
        pointer: pointer(["Plugins", index, ...(issue?.path ?? [])]),
        message,
        raw: entry,
      });
    }
  });
  return { value: { ...others, Plugins: found }, rejected };
}

/** Compose files that plugins may name beside those of known add-ons. */
export const composePathsDocument: Document<readonly string[]> = {
  path: "base/custom_compose_paths.json",
  topic: "compose_paths",
  schema: ComposePath.array().max(64),
  fallback: [],
  read(raw) {
    if (!Array.isArray(raw)) throw new Problem(400, "The compose files are one JSON array");
    const value: string[] = [], rejected: RejectedEntry[] = [];
    raw.forEach((entry: unknown, index) => {
      const parsed = ComposePath.safeParse(entry);
      if (parsed.success && value.length < 64) value.push(parsed.data);
      else {
        const message = parsed.error?.issues[0]?.message ?? "It is one too many";
        rejected.push({ pointer: pointer([index]), message, raw: entry });
      }
    });
    return { value, rejected };
  },
};
