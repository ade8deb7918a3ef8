import { Secret, TOTP } from "otpauth";
import type { RandomBytes } from "../digest.ts";

/** Seconds of a time step (RFC 6238). */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;

/** Creates a secret in base32 without padding. */
export function newSecret(random: RandomBytes): string {
  return new Secret({ buffer: new Uint8Array(random(SECRET_BYTES)).buffer }).base32;
}

/** The time step of a time in unix milliseconds. */
export function stepAt(milliseconds: number): number {
  return Math.floor(milliseconds / 1000 / PERIOD_SECONDS);
}

/** True for a text that is base32 of 10 to 64 bytes. */
export function isSecret(text: string): boolean {
  return /^[A-Z2-7]{16,104}=*$/.test(text);
}

/**
 * The time step that a code belongs to, the present one or its neighbours; null when it is wrong or
 * its step is not later than `lastStep`. `now` is unix milliseconds.
 */
export function codeStep(
  code: string,
  options: { readonly secret: string; readonly now: number; readonly lastStep: number },
): number | null {
  const token = code.replaceAll(" ", "");
  if (!/^\d{6}$/.test(token) || !isSecret(options.secret)) return null;
  const totp = new TOTP({
    secret: Secret.fromBase32(options.secret),
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
  });
  const delta = totp.validate({ token, window: 1, timestamp: options.now });
  if (delta === null) return null;
  const step = stepAt(options.now) + delta;
  return step > options.lastStep ? step : null;
}
