import type { Aside, Document } from "../core/document.ts";
import { pointer, Problem } from "../core/problem.ts";
import { sorted, wholeName } from "./hostname_rules.ts";
import { HostMapping, HostMappings } from "./schema.ts";

/** The names that people gave (`configs/dns/hostnames.json`), sorted by name. */
export const hostnamesDocument: Document<readonly HostMapping[]> = {
  path: "dns/hostnames.json",
  topic: "dns",
  schema: HostMappings,
  fallback: [],
  read(raw) {
    if (!Array.isArray(raw)) throw new Problem(400, "The host names are an array");
    const known = new Map<string, HostMapping>();
    const aside: Aside[] = [];
    raw.forEach((entry: unknown, index) => {
      const parsed = HostMapping.safeParse(entry);
      const name = parsed.success ? wholeName(parsed.data.Hostname) : "";
      if (parsed.success && !known.has(name)) known.set(name, parsed.data);
      else {
        aside.push({
          pointer: pointer([index]),
          message: parsed.success ? "The name stands there twice" : parsed.error.issues[0]!.message,
          raw: entry,
        });
      }
    });
    return { value: sorted([...known.values()]), aside };
  },
  keyOf: (element) =>
    typeof element === "object" && element !== null && "Hostname" in element
      ? String(element.Hostname)
      : JSON.stringify(element),
};
