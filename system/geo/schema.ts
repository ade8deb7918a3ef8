import * as z from "zod";
import { line } from "../core/net/grammar.ts";
import { invalidSource } from "../dns/block/lists/source.ts";

/** Seconds between two downloads of lists: by default, and at least. */
export const DEFAULT_REFRESH_SECONDS = 86_400;
const MIN_REFRESH_SECONDS = 3600;
const MAX_REFRESH_SECONDS = 90 * 86_400;

/** ISO 3166-1 alpha-2, in any case. */
export const CountryCode = z.string().meta({ pattern: "^\\s*[A-Za-z]{2}\\s*$", examples: ["NL"] })
  .transform((text, context) => {
    const code = text.trim().toUpperCase();
    if (/^[A-Z]{2}$/.test(code)) return code;
    context.addIssue({
      code: "custom",
      message: "Write a country as its code of two letters, such as NL",
    });
    return z.NEVER;
  });

/** Number of an autonomous system (RFC 6793), without those that stand for none (RFC 7607). */
const AsnNumber = z.int().min(1, { error: "Write the number of a network, 1 to 4294967294" })
  .max(2 ** 32 - 2, { error: "Write the number of a network, 1 to 4294967294" });

/** The same in a path, with or without `AS` before it. */
export const AsnText = z.string().meta({ pattern: "^(AS|as)?[0-9]{1,10}$", examples: ["64496"] })
  .transform((text) => Number(/^(?:AS)?(\d{1,10})$/i.exec(text.trim())?.[1] ?? NaN))
  .pipe(AsnNumber);

/** A network that is blocked. */
export const GeoAsn = z.object({
  ASN: AsnNumber,
  Name: line(128).default(""),
});
export type GeoAsn = z.output<typeof GeoAsn>;

/** A list of networks and addresses that somebody publishes to be blocked. */
export const GeoBlockList = z.object({
  URI: z.string().max(2048).superRefine((uri, context) => {
    const message = uri.startsWith("upload:") ? "Enter an https or http URL" : invalidSource(uri);
    if (message !== null) context.addIssue({ code: "custom", message });
  }),
  Enabled: z.boolean().default(true),
  Note: line(200).default(""),
});
export type GeoBlockList = z.output<typeof GeoBlockList>;

/** Entries, each once: the last of those with the same key. */
function once<T>(list: readonly T[], key: (entry: T) => string | number): T[] {
  return [...new Map(list.map((entry) => [key(entry), entry])).values()];
}

/** What is blocked by country, network and list (`configs/base/geo_block.json`). */
export const GeoBlockConfig = z.object({
  Enabled: z.boolean().default(false),
  DenyCountries: z.array(CountryCode).max(300).default([])
    .transform((list) => once(list, (code) => code)),
  DenyASNs: z.array(GeoAsn).max(5000).default([])
    .transform((list) => once(list, ({ ASN }) => ASN)),
  Lists: z.array(GeoBlockList).max(32).default([])
    .transform((list) => once(list, ({ URI }) => URI)),
  /** Seconds between two downloads of the lists. */
  RefreshSeconds: z.int().min(0).max(MAX_REFRESH_SECONDS).default(DEFAULT_REFRESH_SECONDS)
    .refine((seconds) => seconds === 0 || seconds >= MIN_REFRESH_SECONDS, {
      error: `Refresh at most every ${MIN_REFRESH_SECONDS} seconds`,
    })
    .transform((seconds) => seconds === 0 ? DEFAULT_REFRESH_SECONDS : seconds),
}).meta({ id: "GeoBlockConfig" });
export type GeoBlockConfig = z.output<typeof GeoBlockConfig>;

/** What one country, network or list blocks. */
export const GeoSource = z.object({
  Type: z.enum(["country", "asn", "list"]),
  /** Code of the country, number of the network, or URI of the list. */
  Key: z.string(),
  /** Prefixes that it blocks, without those that one before it blocks already. */
  Ranges: z.int().min(0),
  /** Networks that a list names. */
  ASNs: z.int().min(0),
  /** When a list was downloaded last (RFC 3339); empty: not yet, or no list. */
  LastFetch: z.string(),
  /** Why its last download failed; empty where it did not. */
  Error: z.string(),
  /** Connections that it blocked since it was loaded: their first packets, by the kernel's counters. */
  Packets: z.int().min(0),
  Bytes: z.int().min(0),
}).meta({ id: "GeoBlockSource" });
export type GeoSource = z.output<typeof GeoSource>;

/** What is blocked now. */
export const GeoBlockStatus = z.object({
  Enabled: z.boolean(),
  /** When the ranges were loaded last (RFC 3339); empty: not yet. */
  LastRefresh: z.string(),
  /** Prefixes in the kernel, counted there after they were loaded. */
  RangesProgrammed: z.int().min(0),
  Sources: z.array(GeoSource),
  /** Why the kernel does not have what is configured; empty where it has. */
  Error: z.string(),
}).meta({ id: "GeoBlockStatus" });
export type GeoBlockStatus = z.output<typeof GeoBlockStatus>;
