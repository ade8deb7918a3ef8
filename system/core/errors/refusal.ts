import { diskError } from "./disk_error.ts";
import { Problem } from "./problem.ts";

/**
 * Why a process cannot start at all: a sentence for the operator, who alone can correct it (a setting,
 * a port, a second Sluice). `main.ts` prints it without a stack trace and exits {@link REFUSED}.
 */
export class Refusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Refusal";
  }
}

/** Exit status of a refused start: EX_CONFIG of sysexits.h. Supervisors must not try again. */
export const REFUSED = 78;

/** What a tool that failed or hung answers: another time it may not. */
const TOOL_FAILED = 502;

/** Whether a start failed by what only a person can correct, so that trying again is of no use. */
export function isRefused(error: unknown): error is Refusal | Problem {
  if (error instanceof Refusal) return true;
  return error instanceof Problem && error.status !== TOOL_FAILED && diskError(error) === null;
}
