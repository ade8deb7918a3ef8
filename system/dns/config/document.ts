import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { pointer, Problem } from "../../core/errors/problem.ts";
import { storedSettings } from "./rules.ts";
import { DnsSettings, Provider } from "./schema.ts";
import { DEFAULT_SETTINGS, DnsSettingsUpdate } from "./settings_schema.ts";

/** The settings of upstream resolvers (`configs/base/dns.json`). */
export const dnsDocument: Document<DnsSettings> = {
  path: "base/dns.json",
  topic: "dns",
  schema: DnsSettings,
  fallback: DEFAULT_SETTINGS,
  read: readSettings,
  older: {
    path: "base/api.json",
    read: (raw) => isRecord(raw) && isRecord(raw["DNS"]) ? readSettings(raw["DNS"]) : null,
  },
  keyOf: (element) =>
    typeof element === "object" && element !== null && "IPAddress" in element
      ? String(element.IPAddress)
      : JSON.stringify(element),
};

/** Reads the settings; invalid and duplicate resolvers are rejected. */
function readSettings(raw: unknown): Reading<DnsSettings> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new Problem(400, "DNS settings must be an object");
  }
  const fields = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
  const rejected: RejectedEntry[] = [];
  for (const name of ["UpstreamProviders", "FamilyProviders"] as const) {
    if (name in fields) fields[name] = providers(fields[name], name, rejected);
  }
  const first = (fields["UpstreamProviders"] as Provider[] | undefined)?.[0];
  const parsed = DnsSettingsUpdate.safeParse({
    UpstreamTLSHost: first?.TLSHost,
    UpstreamIPAddress: first?.IPAddress,
    TlsDisable: first?.DisableTls,
    ...fields,
  });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Problem(400, `${pointer(issue!.path)}: ${issue!.message}`);
  }
  return { value: storedSettings(parsed.data, DEFAULT_SETTINGS), rejected };
}

function providers(raw: unknown, list: string, rejected: RejectedEntry[]): readonly Provider[] {
  const found: Provider[] = [];
  (Array.isArray(raw) ? raw : []).forEach((entry, index) => {
    const parsed = Provider.safeParse(entry);
    const isDuplicate = parsed.success &&
      found.some(({ IPAddress }) => IPAddress === parsed.data.IPAddress);
    if (parsed.success && !isDuplicate) found.push(parsed.data);
    else {
      rejected.push({
        pointer: pointer([list, index]),
        message: parsed.success ? "It is in the list twice" : parsed.error.issues[0]!.message,
        raw: entry,
      });
    }
  });
  return found;
}
