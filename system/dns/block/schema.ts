import * as z from "zod";
import { line, PATTERNS } from "../../core/net/grammar.ts";
import { formatAddress, parseAddress, unmapped } from "../../core/net/net.ts";
import { Label } from "../../devices/schema.ts";
import { domainName } from "./names.ts";
import { invalidSource } from "./lists/source.ts";
import { Schedule } from "../../core/time/schedule.ts";

/** The override list that is used when none is named. */
export const DEFAULT_OVERRIDE_LIST = "Default";

/** Maximum number of block lists. */
export const MAX_LISTS = 64;
/** Maximum number of override lists, and of overrides of one type in each. */
export const MAX_OVERRIDE_LISTS = 64, MAX_OVERRIDES = 10_000;
const MAX_EXCLUSIONS = 4096;
/** Lists are updated once an hour at most. */
export const MIN_REFRESH_S = 3600;

const Tags = z.array(Label).max(64, { error: "Enter at most 64 tags" }).default([]);

/** An IP address in its canonical text, an IPv4-mapped one as IPv4. */
export const PlainIp = z.string().trim().meta(PATTERNS.ip).transform((text, context) => {
  const address = parseAddress(text);
  if (address !== null) return formatAddress(unmapped(address));
  context.addIssue({
    code: "custom",
    message: "Enter an IP address without a zone, such as 192.168.2.10",
  });
  return z.NEVER;
});

/** A domain name in any script, final dot optional; stored in ASCII and lower case with its final dot. */
const DottedName = z.string().trim().max(1024, { error: "This is too long for a domain name" })
  .transform((text, context) => {
    const name = domainName(text);
    if (name !== null) return `${name}.`;
    context.addIssue({
      code: "custom",
      message: text.startsWith("*.")
        ? `Omit "*.": a domain includes its subdomains`
        : "Enter a domain name such as ads.example.com.",
    });
    return z.NEVER;
  });

/** The domain of an override, which includes its subdomains; `.` is every name. */
const OverrideDomain = z.string().trim().transform((text) => text === "." ? "." : text).pipe(
  z.union([DottedName, z.literal(".")]),
);

/** The source of a list: http, https, or `upload:<name>`. */
export const ListUri = z.string().trim().superRefine((text, context) => {
  const problem = invalidSource(text);
  if (problem !== null) context.addIssue({ code: "custom", message: problem });
}).meta({
  pattern: "^\\s*([Hh][Tt][Tt][Pp][Ss]?:|upload:)\\S",
  maxLength: 2048,
  examples: ["https://lists.example/ads"],
});

/** A block list. With tags: only for devices with one of them. */
export const BlockList = z.object({
  URI: ListUri,
  Enabled: z.boolean().default(true),
  Tags,
  /** Category of the list, for the UI and the query log. */
  Category: line(64).default(""),
  /** Only logs the category; blocks nothing. */
  DontBlock: z.boolean().default(false),
}).meta({ id: "BlockList" });
export type BlockList = z.output<typeof BlockList>;

/** `permit` or `block` in any case; stored as sent. No flag, which the API document could not say. */
export const OverrideType = z.string().regex(/^([Pp][Ee][Rr][Mm][Ii][Tt]|[Bb][Ll][Oo][Cc][Kk])$/, {
  error: "Enter permit or block",
});

/** `*` or "" for all clients, else an address. */
const ClientIp = z.string().trim().transform((text) => text === "" ? "*" : text).pipe(
  z.union([PlainIp, z.literal("*")]),
);

/** An override (custom rule) of one domain and its subdomains. */
export const DomainOverride = z.object({
  Type: OverrideType,
  Domain: OverrideDomain,
  /** The address to answer; "" to block or permit. */
  ResultIP: z.union([PlainIp, z.literal("")]).default(""),
  ResultCNAME: z.union([DottedName, z.literal("")]).default(""),
  ClientIP: ClientIp.default("*"),
  /** Unix seconds at which it expires; 0 never. */
  Expiration: z.int().min(0).default(0),
  Tags,
  /** Groups whose members it applies to; absent or empty for all. */
  Groups: z.array(Label).max(64, { error: "Enter at most 64 groups" }).optional(),
  /** When it applies; absent for always. */
  Schedule: Schedule.optional(),
}).refine(({ ResultIP, ResultCNAME }) => ResultIP === "" || ResultCNAME === "", {
  error: "Enter an address or a name, not both",
  path: ["ResultCNAME"],
}).refine(({ Domain, ResultCNAME }) => ResultCNAME !== Domain, {
  error: "A domain cannot be rewritten to itself",
  path: ["ResultCNAME"],
}).meta({ id: "DomainOverride" });
export type DomainOverride = z.output<typeof DomainOverride>;

/** True for an override that applies at any time. */
export function isPermanent({ Expiration, Schedule }: DomainOverride): boolean {
  return Expiration === 0 && Schedule === undefined;
}

/** Name of an override list, as in a path. */
export const OverrideListName = line(64)
  .refine((name) => name !== "", { error: "Enter a name" })
  .refine((name) => !name.includes("/"), { error: "Omit the character /" });

const Overrides = z.array(DomainOverride)
  .max(MAX_OVERRIDES, { error: `Enter at most ${MAX_OVERRIDES} domains` }).default([]);

/** Overrides that are enabled together. With tags: only for devices with one of them. */
export const OverrideList = z.object({
  PermitDomains: Overrides,
  BlockDomains: Overrides,
  Enabled: z.boolean().default(true),
  Tags,
  Name: OverrideListName,
}).meta({ id: "OverrideList" });
export type OverrideList = z.output<typeof OverrideList>;

/** Block lists, overrides and their settings (`configs/dns/block_rules.json`). */
export const BlockConfig = z.object({
  BlockLists: z.array(BlockList)
    .max(MAX_LISTS, { error: `Enter at most ${MAX_LISTS} block lists` }).default([]),
  OverrideLists: z.array(OverrideList)
    .max(MAX_OVERRIDE_LISTS, { error: `Enter at most ${MAX_OVERRIDE_LISTS} override lists` })
    .default([]),
  /** Addresses of excluded devices, for which nothing is blocked. */
  ClientIPExclusions: z.array(PlainIp)
    .max(MAX_EXCLUSIONS, { error: `Enter at most ${MAX_EXCLUSIONS} clients` }).default([]),
  /** Seconds between list updates, at least an hour; 0 is a week. */
  RefreshSeconds: z.int().min(0).max(366 * 86_400, {
    error: "Enter at most 31622400 seconds (366 days)",
  }).refine((seconds) => seconds === 0 || seconds >= MIN_REFRESH_S, {
    error: `Enter at least ${MIN_REFRESH_S} seconds (an hour), or 0 for the default of a week`,
  }).describe("Seconds between list updates: at least 3600, or 0 for the default of a week")
    .default(0),
  /** Address that every name resolves to for devices in quarantine; "" for none. */
  QuarantineHostIP: z.union([PlainIp, z.literal("")]).default(""),
  /** Turns DNS rebinding protection off. */
  RebindingCheckDisable: z.boolean().default(false),
  /**
   * Resolves as usual the names by which devices look for a way round the router's resolver
   * (`_dns.resolver.arpa`, `use-application-dns.net`, `mask.icloud.com`).
   */
  BypassCheckDisable: z.boolean().default(false),
}).meta({ id: "BlockConfig" });
export type BlockConfig = z.output<typeof BlockConfig>;
