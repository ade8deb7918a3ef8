import type * as z from "zod";
import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { issueMessage, readList, withoutNulls } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
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
  if (!isRecord(raw)) throw new Problem(400, "The query log settings must be an object");
  const given = withoutNulls(raw);
  const rejected: RejectedEntry[] = [];
  const value = LogConfig.safeParse({
    ...DEFAULT_LOG_CONFIG,
    ...given,
    HostPrivacyIPList: list("HostPrivacyIPList", PrivateHost),
    DomainIgnoreList: list("DomainIgnoreList", IgnoredDomain),
  });
  if (!value.success) throw new Problem(400, issueMessage(value.error));
  return { value: value.data, rejected };

  function list(name: keyof LogConfig, entry: z.ZodType<string>): readonly string[] {
    const found = new Set<string>(), listed = given[name];
    const read = readList(Array.isArray(listed) ? listed : [], {
      schema: entry,
      at: [name],
      fault(one) {
        if (found.has(bareName(one))) return "This is a duplicate entry";
        found.add(bareName(one));
        return null;
      },
    });
    rejected.push(...read.rejected);
    return read.value;
  }
}
