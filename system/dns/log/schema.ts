import * as z from "zod";
import { Ip } from "../../core/net/grammar.ts";
import { formatAddress, parseAddress, unmapped } from "../../core/net/net.ts";
import { domainName } from "../block/names.ts";

/** Entries of each list in the settings. */
export const MAX_LIST_ENTRIES = 1000;

/** A client address whose queries are not logged; parsed to its canonical text. */
export const PrivateHost = z.string().trim().pipe(Ip)
  .transform((text) => formatAddress(unmapped(parseAddress(text)!)));

/**
 * A domain whose queries are not logged, in any script, with or without a final dot;
 * `*.example.com` covers its subdomains. Stored as written, in ASCII and lower case.
 */
export const IgnoredDomain = z.string().trim()
  .max(254, { error: "Use at most 254 characters" })
  .transform((text) => {
    const wildcard = text.startsWith("*.") ? "*." : "", bare = text.slice(wildcard.length);
    const name = domainName(bare);
    return name === null ? bare : `${wildcard}${name}${bare.endsWith(".") ? "." : ""}`;
  })
  .pipe(
    z.string().regex(
      /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.?$/,
      {
        error: "Enter a domain such as example.com, or *.example.com for its subdomains",
      },
    ),
  );

/** Settings of the query log (`configs/dns/log_rules.json`). */
export const LogConfig = z.object({
  HostPrivacyIPList: z.array(PrivateHost).max(MAX_LIST_ENTRIES, {
    error: `Enter at most ${MAX_LIST_ENTRIES} addresses`,
  }),
  DomainIgnoreList: z.array(IgnoredDomain).max(MAX_LIST_ENTRIES, {
    error: `Enter at most ${MAX_LIST_ENTRIES} domains`,
  }),
  /** False: queries are only published as live events and not stored. */
  StoreLocalMemory: z.boolean({ error: "Enter true or false" }),
  /** Days after which a query is deleted, 1 to 365. */
  RetentionDays: z.int().min(1, { error: "Enter 1 to 365 days" })
    .max(365, { error: "Enter 1 to 365 days" }),
  /** Maximum size on disk in megabytes (10^6 bytes), 10 to 100 000; the oldest queries are deleted first. */
  RetentionMegabytes: z.int().min(10, { error: "Enter 10 to 100000 megabytes" })
    .max(100_000, { error: "Enter 10 to 100000 megabytes" }),
}).meta({ id: "QueryLogConfig" });
export type LogConfig = z.output<typeof LogConfig>;

/** Defaults that also suit a small disk. */
export const DEFAULT_LOG_CONFIG: LogConfig = {
  HostPrivacyIPList: [],
  DomainIgnoreList: [],
  StoreLocalMemory: true,
  RetentionDays: 7,
  RetentionMegabytes: 200,
};

/**
 * Result of a query. `pass`: resolved upstream or from the cache. `local`: a name of the local zone.
 * `permit`: allowed by an override. `block`: blocked by a list or an override. `rewrite`: answered by
 * an override. `quarantine`: the device is in quarantine. `rebind`: blocked by DNS rebinding
 * protection. `refused`: not answered, for example because the client is unauthorized.
 */
export const VERDICTS = [
  "pass",
  "local",
  "permit",
  "block",
  "rewrite",
  "quarantine",
  "rebind",
  "refused",
] as const;
export type LogVerdict = (typeof VERDICTS)[number];

/** The question section of a query. */
const LogQuestion = z.object({ Name: z.string(), Qtype: z.int(), Qclass: z.int() }).meta({
  id: "QueryQuestion",
});

/** A resource record of an answer: header and type-specific fields such as `A`, `AAAA`, `Target`. */
export const LogAnswer = z.looseObject({
  Hdr: z.object({
    Name: z.string(),
    Rrtype: z.int(),
    Class: z.int(),
    Ttl: z.int(),
    Rdlength: z.int(),
  }),
}).meta({ id: "QueryAnswer" });
export type LogAnswer = z.output<typeof LogAnswer>;

/** A query and its result, as history and events report it. */
export const LogEntry = z.object({
  Q: z.array(LogQuestion),
  A: z.array(LogAnswer),
  /** `NOERROR`, `NODATA`, `NXDOMAIN`, `BLOCKED` or `OTHERERROR`. */
  Type: z.string(),
  /** Name of the first answer record, else the query name. */
  FirstName: z.string(),
  /** Data of the first answer record; "" for none. */
  FirstAnswer: z.string(),
  /** `address:port` that received the query. */
  Local: z.string(),
  /** `address:port` of the client. */
  Remote: z.string(),
  Categories: z.array(z.string()),
  /** RFC 3339 in UTC. */
  Timestamp: z.string(),
  /** Increases with time; unique on one router. */
  id: z.int(),
  verdict: z.enum(VERDICTS),
  /** The block list or override that decided; "" for none. */
  by: z.string(),
  /** Response code (RFC 1035 4.1.1). */
  rcode: z.int(),
  /** Address of the upstream resolver; "" for an answer from the cache or the local zone. */
  upstream: z.string(),
  /** Milliseconds until the answer was sent. */
  ms: z.number(),
  /** Identity of the device; "" for an address without a device. */
  identity: z.string(),
}).meta({ id: "QueryLogEntry" });
export type LogEntry = z.output<typeof LogEntry>;
