import * as z from "zod";
import { InterfaceName } from "../core/net/grammar.ts";

/** Media type of a compressed archive. */
export const ARCHIVE_TYPE = "application/x-gtar-compressed";

/** The name of a backup. Existing clients parse these names, so their form is fixed. */
export const BackupName = z.string()
  .regex(/^spr-configs-v\d+\.\d+\.\d+(-[a-z]+\.[0-9a-h-]+)?\.tgz$/, {
    error: "Write the name of a backup, as the list of them shows it",
  }).max(128);

/** A backup in the list. */
export const BackupItem = z.object({
  Name: z.string(),
  /** When it was made, RFC 3339. */
  Timestamp: z.string(),
  /** Bytes. */
  Size: z.int(),
}).meta({ id: "BackupItem" });
export type BackupItem = z.output<typeof BackupItem>;

/** An interface of a backup that this machine does not have, or has under another name. */
export const MissingInterface = z.object({
  name: z.string(),
  /** What it is for. */
  role: z.enum(["uplink", "lan", "vlan-trunk", "radio", "other"]),
  /** Its hardware MAC address; "" not known. */
  mac: z.string(),
  /** This machine has an interface of this name, which is another one. */
  here: z.boolean(),
  /** The interface of this machine that probably replaces it; "" none. */
  suggestion: z.string(),
}).meta({ id: "MissingInterface" });
export type MissingInterface = z.output<typeof MissingInterface>;

/** An interface of this machine. */
export const MachineInterface = z.object({
  name: z.string(),
  /** Hardware MAC address; "" none. */
  mac: z.string(),
  /** A network adapter, rather than a bridge or the like. */
  hardware: z.boolean(),
  /** A Wi-Fi radio. */
  radio: z.boolean(),
}).meta({ id: "MachineInterface" });
export type MachineInterface = z.output<typeof MachineInterface>;

/** How a backup is restored. */
export const RestoreRequest = z.strictObject({
  /** Interfaces of this machine, by the interfaces of the backup that they replace. */
  Interfaces: z.record(InterfaceName, InterfaceName).refine(
    (mapping) => Object.keys(mapping).length <= 64,
    { error: "Map at most 64 interfaces" },
  ).default({}).meta({
    description: "Interfaces of this machine, by the interfaces of the backup that they replace",
  }),
}).meta({ id: "RestoreRequest" });

/** Report of a backup: what is restored and what is skipped. */
export const BackupReport = z.object({
  taken: z.array(z.object({
    path: z.string(),
    /** The document that it belongs to. */
    document: z.string(),
    /** Entries of the file that cannot be used. */
    dropped: z.array(z.object({ pointer: z.string(), message: z.string() })),
  })),
  left: z.array(z.object({ path: z.string(), reason: z.string() })),
  /** Interfaces of the backup that are not on this machine. */
  missing: z.array(MissingInterface),
  /** Interfaces of this machine that may replace them; empty where none is missing. */
  present: z.array(MachineInterface),
}).meta({ id: "BackupReport" });
export type BackupReport = z.output<typeof BackupReport>;
