import { z } from "zod";
import { Ip } from "../../core/net/grammar.ts";
import { formatAddress, parseAddress } from "../../core/net/net.ts";
import { domainName } from "../block/names.ts";

/** Entries of each list of the settings. */
export const MOST_ENTRIES = 1000;

/** An address whose queries are neither kept nor told; yields its canonical text. */
export const PrivateHost = z.string().trim().pipe(Ip)
  .transform((text) => formatAddress(parseAddress(text)!));

/**
 * A name whose queries are neither kept nor told, in any script, with a final dot or without;
 * `*.example.com` means everything below it. Kept as written, in ASCII and lower case.
 */
export const IgnoredDomain = z.string().trim()
  .max(254, { error: "Use at most 254 characters" })
  .transform((text) => {
    const below = text.startsWith("*.") ? "*." : "", bare = text.slice(below.length);
    const name = domainName(bare);
    return name === null ? bare : `${below}${name}${bare.endsWith(".") ? "." : ""}`;
  })
  .pipe(
    z.string().regex(
      /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.?$/,
      {
        error: "Write a domain, such as example.com, or *.example.com for all below it",
      },
    ),
  );

/** What is kept of queries, and for how long (`configs/dns/log_rules.json`). */
export const LogConfig = z.object({
  HostPrivacyIPList: z.array(PrivateHost).max(MOST_ENTRIES, {
    error: `Name at most ${MOST_ENTRIES} addresses`,
  }),
  DomainIgnoreList: z.array(IgnoredDomain).max(MOST_ENTRIES, {
    error: `Name at most ${MOST_ENTRIES} domains`,
  }),
  /** False: nothing is kept; queries are told while they happen and no more. */
  StoreLocalMemory: z.boolean({ error: "Write true or false" }),
  /** Days after which a query is forgotten, 1 to 365. */
  RetentionDays: z.int().min(1, { error: "Keep 1 to 365 days" })
    .max(365, { error: "Keep 1 to 365 days" }),
  /** Megabytes (10^6 bytes) that the log may take on disk, 10 to 100 000; the oldest goes first. */
  RetentionMegabytes: z.int().min(10, { error: "Allow 10 to 100000 megabytes" })
    .max(100_000, { error: "Allow 10 to 100000 megabytes" }),
});
export type LogConfig = z.output<typeof LogConfig>;

/** In force until someone decides: a week, and little room on a small disk. */
export const DEFAULT_LOG: LogConfig = {
  HostPrivacyIPList: [],
  DomainIgnoreList: [],
  StoreLocalMemory: true,
  RetentionDays: 7,
  RetentionMegabytes: 200,
};

/**
 * What became of a query. `pass`: asked outside or from memory. `local`: a name of home. `permit`:
 * an override let it through. `block`: a list or an override took it. `answer`: an override answered.
 * `quarantine`: the device reaches nothing. `rebind`: an outside name pointed into home. `refused`:
 * it was not answered at all, as from a stranger.
 */
export const VERDICTS = [
  "pass",
  "local",
  "permit",
  "block",
  "answer",
  "quarantine",
  "rebind",
  "refused",
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A query as it was asked. */
export const LogQuestion = z.object({ Name: z.string(), Qtype: z.int(), Qclass: z.int() });

/** A record of an answer: its header and the record's own fields, such as `A`, `AAAA`, `Target`. */
export const LogAnswer = z.looseObject({
  Hdr: z.object({
    Name: z.string(),
    Rrtype: z.int(),
    Class: z.int(),
    Ttl: z.int(),
    Rdlength: z.int(),
  }),
});
export type LogAnswer = z.output<typeof LogAnswer>;

/** One query and what became of it, as history and events tell it. */
export const LogEntry = z.object({
  Q: z.array(LogQuestion),
  A: z.array(LogAnswer),
  /** `NOERROR`, `NODATA`, `NXDOMAIN`, `BLOCKED` or `OTHERERROR`. */
  Type: z.string(),
  /** Name of the first answer, else of the question. */
  FirstName: z.string(),
  /** Data of the first answer; "" for none. */
  FirstAnswer: z.string(),
  /** `address:port` that was asked. */
  Local: z.string(),
  /** `address:port` that asked. */
  Remote: z.string(),
  Categories: z.array(z.string()),
  /** RFC 3339 in UTC. */
  Timestamp: z.string(),
  /** Grows with time; unique on one router. */
  id: z.int(),
  verdict: z.enum(VERDICTS),
  /** The list, override or name that decided; "" when none did. */
  by: z.string(),
  /** Answer code (RFC 1035 4.1.1). */
  rcode: z.int(),
  /** Address of the resolver that was asked; "" for an answer from memory or from home. */
  upstream: z.string(),
  /** Milliseconds until it was answered. */
  ms: z.number(),
  /** Identity of the device; "" when the address is nobody's. */
  identity: z.string(),
});
export type LogEntry = z.output<typeof LogEntry>;
