import type { Acknowledgement } from "../message.ts";

/** Meaning of error numbers that come without a message (asm-generic/errno.h). */
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

/** The error of a refused request: the kernel's message, or what the number means. */
export function errorText({ error, message }: Acknowledgement): string {
  return message || (ERRORS[error] ?? `error ${error}`);
}
