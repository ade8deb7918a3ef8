import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { equalSecret, type RandomBytes } from "../digest.ts";

/** PBKDF2-SHA-256 parameters of new records: iterations, and salt and hash in bytes. */
const PBKDF2 = { iterations: 600_000, salt: 16, hash: 32 } as const;

/** Iterations that a stored record may have. */
const ITERATION_RANGE = { least: 100_000, most: 10_000_000 } as const;

const RECORD = /^\$pbkdf2-sha256\$([1-9]\d{0,8})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const PREFIX = "$pbkdf2-sha256$";

/** A parsed password hash. */
export interface PasswordRecord {
  readonly iterations: number;
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly hash: Uint8Array<ArrayBuffer>;
}

/** True for a stored value that is a plain-text password rather than a hash. */
export function isPlain(stored: string): boolean {
  return !stored.startsWith(PREFIX);
}

/** Parses `$pbkdf2-sha256$<iterations>$<salt>$<hash>`; null when malformed or out of range. */
export function parseRecord(text: string): PasswordRecord | null {
  const match = RECORD.exec(text);
  if (!match) return null;
  const iterations = Number(match[1]);
  if (iterations < ITERATION_RANGE.least || iterations > ITERATION_RANGE.most) return null;
  try {
    const salt = decode(match[2]!), hash = decode(match[3]!);
    return hash.length < 16 || hash.length > 64 ? null : { iterations, salt, hash };
  } catch {
    return null;
  }
}

/** The text of a record: standard base64 without padding. */
export function formatRecord(record: PasswordRecord): string {
  const encode = (bytes: Uint8Array) => bytes.toBase64({ omitPadding: true });
  return `${PREFIX}${record.iterations}$${encode(record.salt)}$${encode(record.hash)}`;
}

/**
 * Hashes a password with a new salt, in NFC: keyboards differ in how they compose letters. Takes about
 * as long as a verification.
 */
export async function hashPassword(password: string, random: RandomBytes): Promise<string> {
  const salt = new Uint8Array(random(PBKDF2.salt));
  const { iterations } = PBKDF2;
  const normal = password.normalize("NFC");
  const hash = await derive(normal, { salt, iterations, length: PBKDF2.hash });
  return formatRecord({ iterations, salt, hash });
}

/**
 * True when the password matches the stored value, a hash or plain text. Takes the same time for an
 * unknown user and for plain text, so that timing does not reveal user names.
 */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
): Promise<boolean> {
  const record = stored === undefined || isPlain(stored) ? null : parseRecord(stored);
  const { salt, iterations, hash } = record ?? DUMMY;
  const normal = password.normalize("NFC");
  // A hash from before passwords were normalised is of the typed form, composed or not.
  for (const form of new Set([normal, password, password.normalize("NFD")])) {
    const derived = await derive(form, { salt, iterations, length: hash.length });
    if (record !== null && timingSafeEqual(derived, hash)) return true;
  }
  return stored !== undefined && stored !== "" && isPlain(stored) &&
    equalSecret(normal, stored.normalize("NFC"));
}

const DUMMY: PasswordRecord = {
  iterations: PBKDF2.iterations,
  salt: new Uint8Array(PBKDF2.salt),
  hash: new Uint8Array(PBKDF2.hash),
};

async function derive(
  password: string,
  options: {
    readonly salt: Uint8Array<ArrayBuffer>;
    readonly iterations: number;
    readonly length: number;
  },
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(password);
  const key = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const { salt, iterations } = options;
  const bits = await crypto.subtle.deriveBits(
    { name: "PBKDF2", hash: "SHA-256", salt, iterations },
    key,
    options.length * 8,
  );
  return new Uint8Array(bits);
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text, { lastChunkHandling: "loose" });
}
