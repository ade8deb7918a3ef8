import { createHash, createHmac } from "node:crypto";
import { timingSafeEqual } from "@std/crypto/timing-safe-equal";

/** A source of random bytes, injected so that tests are deterministic. */
export type RandomBytes = (count: number) => Uint8Array;

/** The system's source of randomness. */
export function systemRandom(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** SHA-256 in lower-case hex. Enough for secrets of 256 random bits, not for passwords. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** HMAC-SHA-256 of several texts, in lower-case hex; the parts cannot run into each other. */
export function keyed(key: Uint8Array, ...parts: readonly string[]): string {
  return createHmac("sha256", key).update(JSON.stringify(parts), "utf8").digest("hex");
}

/** Compares two texts in constant time. */
export function equalSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** base64url without padding (RFC 4648 section 5). */
export function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
