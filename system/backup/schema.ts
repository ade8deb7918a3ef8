import { z } from "zod";

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
}).meta({ id: "BackupReport" });
export type BackupReport = z.output<typeof BackupReport>;
