import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { pointer, Problem } from "../../core/errors/problem.ts";
import { settingsOf } from "./rules.ts";
import { DnsSettings, Provider } from "./schema.ts";
import { DEFAULT_SETTINGS, SentSettings } from "./settings_schema.ts";

/** Whom the resolver asks (`configs/base/dns.json`). */
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

/** Reads the settings; a resolver that is none, or stands twice, is rejected. */
function readSettings(raw: unknown): Reading<DnsSettings> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new Problem(400, "The settings of the resolver are an object");
  }
  const given = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
  const rejected: RejectedEntry[] = [];
  for (const name of ["UpstreamProviders", "FamilyProviders"] as const) {
    if (name in given) given[name] = providers(given[name], name, rejected);
  }
  const first = (given["UpstreamProviders"] as Provider[] | undefined)?.[0];
  const sent = SentSettings.safeParse({
    UpstreamTLSHost: first?.TLSHost,
    UpstreamIPAddress: first?.IPAddress,
    TlsDisable: first?.DisableTls,
    ...given,
  });
  if (!sent.success) {
    const [issue] = sent.error.issues;
    throw new Problem(400, `${pointer(issue!.path)}: ${issue!.message}`);
  }
  return { value: settingsOf(sent.data, DEFAULT_SETTINGS), rejected };
}

function providers(raw: unknown, list: string, rejected: RejectedEntry[]): readonly Provider[] {
  const found: Provider[] = [];
  (Array.isArray(raw) ? raw : []).forEach((entry, index) => {
    const parsed = Provider.safeParse(entry);
    const twice = parsed.success &&
      found.some(({ IPAddress }) => IPAddress === parsed.data.IPAddress);
    if (parsed.success && !twice) found.push(parsed.data);
    else {
      rejected.push({
        pointer: pointer([list, index]),
        message: parsed.success ? "It stands in the list twice" : parsed.error.issues[0]!.message,
        raw: entry,
      });
    }
  });
  return found;
}
