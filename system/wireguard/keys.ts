import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey } from "node:crypto";

/** Bytes of a key of Curve25519 (RFC 7748 5). */
export const KEY_BYTES = 32;

/** What stands before the bytes of an X25519 private key in PKCS #8 (RFC 8410 7). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b656e04220420", "hex");

/** A private key from 32 random bytes, in base64. */
export function privateKey(random: Uint8Array): string {
  const bytes = Buffer.from(random.subarray(0, KEY_BYTES));
  if (bytes.length !== KEY_BYTES) throw new RangeError("A private key needs 32 random bytes");
  return clampedKey(bytes.toString("base64"));
}

/**
 * A private key in the form in which WireGuard keeps it, clamped as RFC 7748 5 says: some programs
 * write others, which mean the same. What is no key stays as it is.
 */
export function clampedKey(key: string): string {
  const bytes = Buffer.from(key, "base64");
  if (bytes.length !== KEY_BYTES) return key;
  bytes[0] = bytes[0]! & 248;
  bytes[31] = bytes[31]! & 127 | 64;
  return bytes.toString("base64");
}

/** A preshared key from 32 random bytes, in base64. */
export function presharedKey(random: Uint8Array): string {
  return Buffer.from(random.subarray(0, KEY_BYTES)).toString("base64");
}

/** The public key of a private one; "" for "". */
export function publicKeyOf(key: string): string {
  if (key === "") return "";
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.from(key, "base64")]);
  const jwk = createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" }))
    .export({ format: "jwk" });
  return Buffer.from(jwk.x!, "base64url").toString("base64");
}

/** The prime of Curve25519 (RFC 7748 4.1). */
const PRIME = 2n ** 255n - 19n;

/** The reduced points of small order, whose shared secrets are all the same (RFC 7748 7). */
const SMALL_ORDER: readonly bigint[] = [
  0n,
  1n,
  PRIME - 1n,
  325606250916557431795983626356110631294008115727848805560023387167927233504n,
  39382357235489614581723060781553021112529911719440698176882885853963445705823n,
];

/**
 * True for what is the public key of no private one: bytes that are no reduced number, and points of
 * small order. The all-zero key is one of these.
 */
export function isNobodysKey(key: string): boolean {
  const value = Buffer.from(key, "base64").reduceRight(
    (sum, byte) => sum * 256n + BigInt(byte),
    0n,
  );
  return value >= PRIME || SMALL_ORDER.includes(value);
}
