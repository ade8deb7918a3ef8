import type { SecretPath } from "../core/engine/change.ts";
import { MASK } from "./schema.ts";
import type { DeviceUpdate } from "./wire.ts";

/** Where the password of a device is in the configuration. */
export function passwordPath(identity: string): SecretPath {
  return { document: "devices", path: [identity, "PSKEntry", "Psk"] };
}

/** True where an update says what the password shall be, in clear or as that of another device. */
export function sendsPassword(update: Pick<DeviceUpdate, "PSKEntry">, copy?: string): boolean {
  const sent = update.PSKEntry?.Psk ?? "";
  return (sent !== "" && sent !== MASK) || (copy ?? "") !== "";
}

/**
 * Characters of passwords: unambiguous letters and digits, and six symbols that
 * every keyboard has; 60 in all, so 16 of them carry 94 bits.
 */
const ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ" + "abcdefghjkmnpqrstuvwxyz" + "23456789" + "=#%+-*";
const LENGTH = 16;

/**
 * A Wi-Fi password of 16 characters from random bytes, drawn as often as needed: seven bits of
 * each byte, those beyond the alphabet thrown away, so that every character is equally likely.
 */
export function generatePsk(random: (length: number) => Uint8Array): string {
  let psk = "";
  while (psk.length < LENGTH) {
    for (const byte of random(LENGTH * 2)) {
      const index = byte & 0x7f;
      if (index < ALPHABET.length && psk.length < LENGTH) psk += ALPHABET[index];
    }
  }
  return psk;
}
