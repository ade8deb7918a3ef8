import { z } from "zod";
import { line } from "../../core/net/grammar.ts";
import { formatAddress, parseAddress } from "../../core/net/net.ts";
import { Label } from "../../devices/schema.ts";
import { domainName } from "./names.ts";
import { sourceFault } from "./lists/source.ts";

/** The list of overrides that people write to when they name none. */
export const DEFAULT_LIST = "Default";

/** As many lists as a table of names tells apart. */
export const MOST_LISTS = 64;
/** As many lists of overrides as there may be, and overrides of one type in each. */
export const MOST_OVERRIDE_LISTS = 64, MOST_OVERRIDES = 10_000;
const MOST_EXCLUSIONS = 4096;

const Tags = z.array(Label).max(64, { error: "Name at most 64 tags" }).default([]);

/** An IP address in its canonical text. */
export const PlainIp = z.string().trim().transform((text, context) => {
  const address = parseAddress(text);
  if (address !== null) return formatAddress(address);
  context.addIssue({
    code: "custom",
    message: "Write an IP address without a zone, such as 192.168.2.10",
  });
  return z.NEVER;
});

/** A domain name, final dot or none, in any script; kept in ASCII and lower case with its final dot. */
const DottedName = z.string().trim().max(1024, { error: "This is longer than a name can be" })
  .transform((text, context) => {
    const name = domainName(text);
    if (name !== null) return `${name}.`;
    context.addIssue({
      code: "custom",
      message: text.startsWith("*.")
        ? `Leave out "*.": a name holds for everything below it as well`
        : "Write a domain name, such as ads.example.com.",
    });
    return z.NEVER;
  });

/** A domain whose override holds for everything below it; `.` is every name. */
const OverrideDomain = z.string().trim().transform((text) => text === "." ? "." : text).pipe(
  z.union([DottedName, z.literal(".")]),
);

/** Where a list comes from: http, https, or `upload:<name>` for one that was uploaded here. */
export const ListUri = z.string().trim().superRefine((text, context) => {
  const fault = sourceFault(text);
  if (fault !== null) context.addIssue({ code: "custom", message: fault });
});

/** A block list. With tags: only for devices that have one of them. */
export const BlockList = z.object({
  URI: ListUri,
  Enabled: z.boolean().default(true),
  Tags,
  /** What the list is about, for people and the log. */
  Category: line(64).default(""),
  /** Only names the category in the log; blocks nothing. */
  DontBlock: z.boolean().default(false),
});
export type BlockList = z.output<typeof BlockList>;

/** `permit` or `block` in any case; kept as it was sent. */
export const OverrideType = z.string().regex(/^(permit|block)$/i, {
  error: "Write permit or block",
});

/** `*` or "" for every client, else its address. */
const ClientIp = z.string().trim().transform((text) => text === "" ? "*" : text).pipe(
  z.union([PlainIp, z.literal("*")]),
);

/** A decision of a person about one domain and everything below it. */
export const DomainOverride = z.object({
  Type: OverrideType,
  Domain: OverrideDomain,
  /** Answered instead; "" for the plain meaning of the type. */
  ResultIP: z.union([PlainIp, z.literal("")]).default(""),
  ResultCNAME: z.union([DottedName, z.literal("")]).default(""),
  ClientIP: ClientIp.default("*"),
  /** Unix seconds from which on it is gone; 0 never. */
  Expiration: z.int().min(0).default(0),
  Tags,
}).refine(({ ResultIP, ResultCNAME }) => ResultIP === "" || ResultCNAME === "", {
  error: "Name an address or a name to answer, not both",
  path: ["ResultCNAME"],
}).refine(({ Domain, ResultCNAME }) => ResultCNAME !== Domain, {
  error: "This leads to itself",
  path: ["ResultCNAME"],
});
export type DomainOverride = z.output<typeof DomainOverride>;

/** Name of a list of overrides, as it stands in a path. */
export const OverrideListName = line(64)
  .refine((name) => name !== "", { error: "Write a name" })
  .refine((name) => !name.includes("/"), { error: "Leave out the character /" });

const Overrides = z.array(DomainOverride)
  .max(MOST_OVERRIDES, { error: `Name at most ${MOST_OVERRIDES} domains` }).default([]);

/** Overrides that are switched together. With tags: only for devices that have one of them. */
export const OverrideList = z.object({
  PermitDomains: Overrides,
  BlockDomains: Overrides,
  Enabled: z.boolean().default(true),
  Tags,
  Name: OverrideListName,
});
export type OverrideList = z.output<typeof OverrideList>;

/** What is blocked, permitted and answered otherwise (`configs/dns/block_rules.json`). */
export const BlockConfig = z.object({
  BlockLists: z.array(BlockList)
    .max(MOST_LISTS, { error: `There are at most ${MOST_LISTS} block lists` }).default([]),
  OverrideLists: z.array(OverrideList)
    .max(MOST_OVERRIDE_LISTS, { error: `There are at most ${MOST_OVERRIDE_LISTS} override lists` })
    .default([]),
  /** Addresses of clients that nothing is blocked for. */
  ClientIPExclusions: z.array(PlainIp)
    .max(MOST_EXCLUSIONS, { error: `Name at most ${MOST_EXCLUSIONS} clients` }).default([]),
  /** Seconds between fetches of a list; 0 is a week. */
  RefreshSeconds: z.int().min(0).max(366 * 86_400, { error: "Fetch at least once a year" })
    .default(0),
  /** Address that devices in quarantine get for every name; "" for none. */
  QuarantineHostIP: z.union([PlainIp, z.literal("")]).default(""),
  /** Lets names of the Internet lead to addresses at home. */
  RebindingCheckDisable: z.boolean().default(false),
});
export type BlockConfig = z.output<typeof BlockConfig>;
