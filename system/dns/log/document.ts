import type * as z from "zod";
import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { pointer, Problem } from "../../core/errors/problem.ts";
import { bareName } from "./rules.ts";
import { DEFAULT_LOG_CONFIG, IgnoredDomain, LogConfig, PrivateHost } from "./schema.ts";

/** The document of the query log's settings (`configs/dns/log_rules.json`). */
export const dnsLogDocument: Document<LogConfig> = {
  path: "dns/log_rules.json",
  topic: "dns",
  schema: LogConfig,
  fallback: DEFAULT_LOG_CONFIG,
  read,
  older: { path: "../state/dns/log_rules.json", read },
};

/** Reads the settings; invalid and duplicate list entries are rejected one by one. */
function read(raw: unknown): Reading<LogConfig> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new Problem(400, "The query log settings must be an object");
  }
  const given = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
  const rejected: RejectedEntry[] = [];
  const value = LogConfig.safeParse({
    ...DEFAULT_LOG_CONFIG,
    ...given,
    HostPrivacyIPList: list("HostPrivacyIPList", PrivateHost),
    DomainIgnoreList: list("DomainIgnoreList", IgnoredDomain),
  });
  if (!value.success) {
    const [issue] = value.error.issues;
    throw new Problem(400, `${pointer(issue!.path)}: ${issue!.message}`);
  }
  return { value: value.data, rejected };

  function list(name: keyof LogConfig, entry: z.ZodType<string>): readonly string[] {
    const found = new Map<string, string>();
    const listed = given[name];
    (Array.isArray(listed) ? listed : []).forEach((one: unknown, index) => {
      const parsed = entry.safeParse(one);
      if (parsed.success && !found.has(bareName(parsed.data))) {
        found.set(bareName(parsed.data), parsed.data);
        return;
      }
      rejected.push({
        pointer: pointer([name, index]),
        message: parsed.success ? "This is a duplicate entry" : parsed.error.issues[0]!.message,
        raw: one,
      });
    });
    return [...found.values()];
  }
}
