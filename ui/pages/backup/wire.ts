/** A backup in the list. */
export interface Backup {
  readonly Name: string;
  readonly Timestamp: string;
  readonly Size: number;
}

/** What came, or would come, of each file of a backup. */
export interface BackupReport {
  readonly taken: readonly {
    readonly path: string;
    readonly document: string;
    readonly dropped: readonly { readonly pointer: string; readonly message: string }[];
  }[];
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

/** Largest archive that is taken, in bytes. */
export const LARGEST = 8 * 1024 * 1024;

/** `840 bytes`, `12 KB`, `3 MB`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} KB` : `${Math.round(bytes / 1e6)} MB`;
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
