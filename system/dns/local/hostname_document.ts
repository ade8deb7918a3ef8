import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { pointer, Problem } from "../../core/errors/problem.ts";
import { qualifiedName, sorted } from "./hostname_rules.ts";
import { LOCAL_DOMAIN } from "./local_names.ts";
import { HostMapping, HostMappings, MAX_HOSTNAMES } from "../config/schema.ts";

/** Local DNS records (`configs/dns/hostnames.json`), sorted by name. */
export const hostnamesDocument: Document<readonly HostMapping[]> = {
  path: "dns/hostnames.json",
  older: { path: "../state/dns/local_mappings", isText: true, read: readMappings },
  topic: "dns",
  schema: HostMappings,
  fallback: [],
  read(raw) {
    if (!Array.isArray(raw)) throw new Problem(400, "Local DNS records must be an array");
    const known = new Map<string, HostMapping>();
    const rejected: RejectedEntry[] = [];
    raw.forEach((entry: unknown, index) => {
      const parsed = HostMapping.safeParse(entry);
      const name = parsed.success ? qualifiedName(parsed.data.Hostname) : "";
      if (parsed.success && !known.has(name)) known.set(name, parsed.data);
      else {
        rejected.push({
          pointer: pointer([index]),
          message: parsed.success
            ? "The name is in the list twice"
            : parsed.error.issues[0]!.message,
          raw: entry,
        });
      }
    });
    return { value: sorted([...known.values()]), rejected };
  },
  keyOf: (element) =>
    typeof element === "object" && element !== null && "Hostname" in element
      ? String(element.Hostname)
      : JSON.stringify(element),
};

/**
 * Reads the names of an existing router, an address and a name in each line. They include names that
 * devices claimed, always below {@link LOCAL_DOMAIN}, which are not to become permanent: only names of
 * other domains are imported. Null for none.
 */
function readMappings(text: unknown): Reading<readonly HostMapping[]> | null {
  const found = new Map<string, HostMapping>();
  for (const line of String(text).split("\n")) {
    const [IPAddress, ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    for (const Hostname of names) {
      const parsed = HostMapping.safeParse({ Hostname, IPAddress });
      if (!parsed.success || isLocal(parsed.data.Hostname)) continue;
      // As on that router, the first line with a name wins.
      if (found.size < MAX_HOSTNAMES && !found.has(parsed.data.Hostname)) {
        found.set(parsed.data.Hostname, parsed.data);
      }
    }
  }
  return found.size === 0 ? null : { value: sorted([...found.values()]), rejected: [] };
}

function isLocal(hostname: string): boolean {
  return qualifiedName(hostname).endsWith(`.${LOCAL_DOMAIN}`);
}
