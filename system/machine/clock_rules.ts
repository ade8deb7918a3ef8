import { conflict, invalid } from "../core/errors/problem.ts";
import { timeText } from "../core/time/text.ts";

/** 2025 and 2100: no clock of a router that runs this is right before or after. Unix milliseconds. */
const EARLIEST = 1_735_689_600_000, LATEST = 4_102_444_800_000;
/** Milliseconds by which a password alone may set the clock back: nobody's clock agrees to the second. */
const MAX_BACK_MS = 2 * 60_000;
/** Milliseconds by which it may set it forward: a router may have lain in a cupboard for years. */
const MAX_FORWARD_MS = 5 * 365 * 86_400_000;

/** What is known of the time before the clock is set. All are unix milliseconds. */
export interface KnownTime {
  /** The time that the router has counted. */
  readonly counted: number;
  /** False on a first start, whose clock nobody could trust yet. */
  readonly isProven: boolean;
}

/**
 * Refuses what no clock says, and, where only a password asks for it, a time that the router knows to be
 * over: codes of it may have been seen. Throws Problem 400, 409.
 */
export function checkClock(
  to: number,
  { counted, isProven, byPassword }: KnownTime & { readonly byPassword: boolean },
): void {
  if (to < EARLIEST || to >= LATEST) {
    throw invalid("/unix", "Write the time of today, in seconds since 1970");
  }
  if (!byPassword || !isProven) return;
  const known = timeText(counted);
  if (to < counted - MAX_BACK_MS) {
    throw conflict(
      `It is ${known} or later, as far as the router knows; only who proves a second factor may set ` +
        "its clock back, or root on the router (date --set)",
    );
  }
  if (to > counted + MAX_FORWARD_MS) {
    throw conflict(
      `It is ${known} as far as the router knows; only who proves a second factor may set its clock ` +
        "that far ahead, or root on the router (date --set)",
    );
  }
}
