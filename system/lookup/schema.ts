import * as z from "zod";

/** Tables that the lookup service has. */
export const DATASETS = ["asn", "country", "oui"] as const;

/** A table by its name. */
export const Dataset = z.enum(DATASETS).meta({ id: "LookupDataset" });
export type Dataset = z.infer<typeof Dataset>;

/** Network of an address. */
export const AsnResult = z.object({
  /** The address in its canonical form, or as it was sent where it is none. */
  IP: z.string(),
  /** Number of the autonomous system; 0: not known, as for private addresses. */
  ASN: z.int().min(0),
  Name: z.string(),
  /** ISO 3166-1 alpha-2; empty where not known. */
  Country: z.string(),
}).meta({ id: "AsnResult" });
export type AsnResult = z.infer<typeof AsnResult>;

/** Vendor of a MAC address. */
export const OuiResult = z.object({
  /** As it was sent. */
  MAC: z.string(),
  /** To whom IEEE assigned the address; empty where not known, as for a randomized address. */
  Vendor: z.string(),
}).meta({ id: "OuiResult" });
export type OuiResult = z.infer<typeof OuiResult>;

/** A network that a search found. */
export const AsnFound = z.object({
  ASN: z.int().min(1),
  Name: z.string(),
  Country: z.string(),
  /** Ranges of addresses that it announces. */
  RangeCount: z.int().min(0),
}).meta({ id: "AsnFound" });
export type AsnFound = z.infer<typeof AsnFound>;

/** A table of the lookup service, and where it comes from. */
export const DatasetStatus = z.object({
  Dataset,
  /** Package with its version, file name or URL. */
  Source: z.string(),
  License: z.string(),
  /** To whom the data is owed, as its license requires it to be shown. */
  Attribution: z.array(z.object({ Name: z.string(), URL: z.string() })),
  /** When the table was compiled (RFC 3339); empty while it was not. */
  Compiled: z.string(),
  /** Rows of the source: ranges, or prefixes of MAC addresses. */
  Rows: z.int().min(0),
  /** Bytes of the table. */
  Bytes: z.int().min(0),
  /** Why the last attempt to replace it failed; empty where it did not. */
  Error: z.string(),
}).meta({ id: "LookupDatasetStatus" });
export type DatasetStatus = z.infer<typeof DatasetStatus>;

/** Addresses of one call; more are refused. */
export const MAX_LOOKUPS = 10_000;

/** Type of a device, as its vendor, name and services suggest it. */
export const Classification = z.object({
  /** Lower case. */
  MAC: z.string(),
  /** To whom IEEE assigned the address; empty where not known. */
  Vendor: z.string(),
  /** The device made its address up, as phones do for each network. */
  RandomMAC: z.boolean(),
  Category: z.enum([
    ...["camera", "computer", "console", "iot-sensor", "laptop", "network", "phone"] as const,
    ...["printer", "server", "speaker", "tablet", "tv", "unknown", "vacuum"] as const,
  ]),
  Confidence: z.enum(["High", "Medium", "Low", "Unknown"]),
  /** What spoke for it: texts of the device itself. */
  Evidence: z.array(z.string()),
  /** Icon that fits; empty where none is sure enough. An icon that was chosen goes before it. */
  Icon: z.string(),
}).meta({ id: "Classification" });
export type Classification = z.infer<typeof Classification>;

/** What is published of a device whose type became known or changed. */
export const ClassificationEvent = Classification.extend({
  /** Of the device itself, as it announces it; empty where it does not. */
  Model: z.string(),
  /** Groups and policies that suit the type; empty where it is not sure enough. */
  SuggestedGroups: z.array(z.string()),
  SuggestedPolicies: z.array(z.string()),
  /** Version of the rules that decided. */
  DBVersion: z.string(),
  /** Always false: types follow from what is known, and are not corrected by hand. */
  UserCorrection: z.boolean(),
  Pinned: z.boolean(),
  /** RFC 3339, whole seconds. */
  LastUpdated: z.iso.datetime(),
});
export type ClassificationEvent = z.infer<typeof ClassificationEvent>;
