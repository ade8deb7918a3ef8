/** Codes of errno(3) and of SQLite (its result codes, of which longer ones begin with these). */
const ERRORS: readonly (readonly [string, string])[] = [
  ["ENOSPC", "The disk is full"],
  ["EDQUOT", "The disk quota is used up"],
  ["EROFS", "The disk can only be read"],
  ["EIO", "The disk cannot be read or written"],
  ["SQLITE_FULL", "The disk is full"],
  ["SQLITE_READONLY", "The disk can only be read"],
  ["SQLITE_IOERR", "The disk cannot be read or written"],
];

/** Causes that are looked at behind an error. */
const MAX_CAUSE_DEPTH = 5;

/** What is wrong with the disk, as an error or one of its causes tells; null where it is nothing. */
export function diskError(error: unknown): string | null {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < MAX_CAUSE_DEPTH; depth++, at = at.cause) {
    const code = "code" in at && typeof at.code === "string" ? at.code : "";
    const known = ERRORS.find(([begin]) => code === begin || code.startsWith(`${begin}_`));
    if (known !== undefined) return known[1];
  }
  return null;
}

/** That a process could not start, and what to do where the disk is the reason. */
export function startFailure(error: unknown): string {
  const detail = diskError(error);
  if (detail === null) return "Could not start";
  return `Could not start. ${detail}: SLUICE_HOME needs a disk that can be written, with room for ` +
    "some megabytes";
}

/** Codes of errno(3): EACCES, ELOOP, EISDIR, … */
const ERRNO = /^E[A-Z0-9]+$/;

/** True for an error of the file system, whatever it is about, or one that such an error caused. */
export function isFileError(error: unknown): boolean {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < MAX_CAUSE_DEPTH; depth++, at = at.cause) {
    if ("code" in at && typeof at.code === "string" && ERRNO.test(at.code)) return true;
    // Deno gives these without a code.
    if (at instanceof Deno.errors.NotCapable || at instanceof Deno.errors.PermissionDenied) {
      return true;
    }
  }
  return diskError(error) !== null;
}

/** True for what a file system throws that has no room for a file, or no more for its owner. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOSPC" || code === "EDQUOT";
}
