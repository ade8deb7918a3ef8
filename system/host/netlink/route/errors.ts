import type { Verdict } from "../message.ts";

/** What the kernel's error numbers mean where it has no words of its own (asm-generic/errno.h). */
const ERRORS: Readonly<Record<number, string>> = {
  1: "Operation not permitted",
  2: "No such file or directory",
  3: "No such process",
  12: "Out of memory",
  16: "Device or resource busy",
  17: "File exists",
  19: "No such device",
  22: "Invalid argument",
  28: "No space left",
  34: "Numerical result out of range",
  95: "Operation not supported",
  97: "Address family not supported by protocol",
  99: "Cannot assign requested address",
  100: "Network is down",
  101: "Network is unreachable",
  105: "No buffer space available",
  113: "No route to host",
};

/** What the kernel said of a request that it refused: its own words, or what the number means. */
export function verdictWords({ error, words }: Verdict): string {
  return words || (ERRORS[error] ?? `error ${error}`);
}
