import type { components } from "../../generated/api.ts";
import { t } from "../../text/language.ts";

type Schemas = components["schemas"];

/** A backup in the list. */
export type Backup = Schemas["BackupItem"];

/** What was or would be restored of each file of a backup. */
export type BackupReport = Schemas["BackupReport"];

/** Interfaces of a backup by those of this machine in their place; "" leaves one as it is. */
export type InterfaceMapping = Readonly<Record<string, string>>;

/** Largest archive that is taken, in bytes. */
export const LARGEST = 8 * 1024 * 1024;

/** `840 bytes`, `12 KB`, `3 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return t("{bytes} bytes", { bytes });
  return bytes < 1_000_000
    ? t("{bytes} KB", { bytes: Math.round(bytes / 1000) })
    : t("{bytes} MB", { bytes: Math.round(bytes / 1e6) });
}

/** The bytes of a file in base64. */
export async function base64Of(file: File): Promise<string> {
  const reader = new FileReader();
  await new Promise<void>((resolve, reject) => {
    reader.onload = () => resolve();
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  const text = String(reader.result);
  return text.slice(text.indexOf(",") + 1);
}
