import type { Document, Reading } from "../../core/config/document.ts";
import { readList } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
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
    const known = new Set<string>();
    const { value, rejected } = readList<HostMapping>(raw, {
      schema: HostMapping,
      fault({ Hostname }) {
        const name = qualifiedName(Hostname);
        if (known.has(name)) return "The name is in the list twice";
        known.add(name);
        return null;
      },
    });
    return { value: sorted(value), rejected };
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
