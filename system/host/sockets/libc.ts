import { Problem } from "../../core/errors/problem.ts";
import { LIBC_PATHS } from "../../core/process/machine_paths.ts";

/** Opens the C library with these symbols. Throws Problem 503 where it is missing. */
export function openLibc<const S extends Deno.ForeignLibraryInterface>(
  symbols: S,
): Deno.DynamicLibrary<S> {
  for (const path of LIBC_PATHS) {
    try {
      return Deno.dlopen(path, symbols);
    } catch {
      // Other systems keep it elsewhere.
    }
  }
  throw new Problem(503, "The C library cannot be used, so no socket can be bound to an interface");
}

/** A NUL-terminated string. */
export function cText(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`);
}
