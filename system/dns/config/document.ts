import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { issueMessage, readList, withoutNulls } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
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
  if (!isRecord(raw)) throw new Problem(400, "DNS settings must be an object");
  const fields: Record<string, unknown> = { ...withoutNulls(raw) };
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
  if (!parsed.success) throw new Problem(400, issueMessage(parsed.error));
  return { value: storedSettings(parsed.data, DEFAULT_SETTINGS), rejected };
}

function providers(raw: unknown, list: string, rejected: RejectedEntry[]): readonly Provider[] {
  const read = readList<Provider>(Array.isArray(raw) ? raw : [], {
    schema: Provider,
    at: [list],
    fault: ({ IPAddress }, before) =>
      before.some((one) => one.IPAddress === IPAddress) ? "It is in the list twice" : null,
  });
  rejected.push(...read.rejected);
  return read.value;
}
