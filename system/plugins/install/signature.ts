import { createHash } from "node:crypto";
import { Problem } from "../../core/errors/problem.ts";
import { MANIFEST } from "../deno/manifest.ts";
import { type PluginCode, PUBLIC_KEY, SIGNATURE } from "./code.ts";

/** Bytes of an Ed25519 key and of a signature. */
const KEY_BYTES = 32, SIGNATURE_BYTES = 64;
/** How the key begins in a SubjectPublicKeyInfo (RFC 8410 section 4). */
const SPKI_PREFIX = "302a300506032b6570032100";

/**
 * Who signed a plugin: SHA-256 of the public key, in hex; "" for one that is not signed. The signature is
 * over the bytes of the manifest, whose `Hash` names all other files. Throws Problem 400 for a signature
 * that does not hold.
 */
export async function signerOf({ manifest, files }: PluginCode): Promise<string> {
  const bytesOf = (name: string) => files.find(({ path }) => path === name)?.bytes;
  const signature = bytesOf(SIGNATURE), pem = bytesOf(PUBLIC_KEY);
  if (signature === undefined && pem === undefined) return "";
  if (signature === undefined || pem === undefined) {
    throw new Problem(400, `A signed plugin has both ${SIGNATURE} and ${PUBLIC_KEY}`);
  }
  if (manifest.Hash === "") {
    throw new Problem(400, `A signed ${MANIFEST} names the other files by Hash; sign it again`);
  }
  const key = keyOf(pem);
  if (!await isSignedBy(key, { signature, message: bytesOf(MANIFEST)! })) {
    throw new Problem(
      400,
      `The signature ${SIGNATURE} is not that of ${MANIFEST} by ${PUBLIC_KEY}`,
    );
  }
  return createHash("sha256").update(key).digest("hex");
}

/** What was signed, and its signature. */
export interface Signed {
  readonly signature: Uint8Array<ArrayBuffer>;
  readonly message: Uint8Array<ArrayBuffer>;
}

/** True where the Ed25519 signature of a message holds for a key of 32 bytes (RFC 8032 section 5.1.7). */
export async function isSignedBy(
  key: Uint8Array<ArrayBuffer>,
  { signature, message }: Signed,
): Promise<boolean> {
  if (key.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  try {
    const imported = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", imported, signature, message);
  } catch {
    // No point of the curve.
    return false;
  }
}

function keyOf(pem: Uint8Array): Uint8Array<ArrayBuffer> {
  const base64 = /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/
    .exec(new TextDecoder().decode(pem.subarray(0, 1024)))?.[1]?.replaceAll(/\s/g, "");
  try {
    const der = Uint8Array.fromBase64(base64 ?? "");
    const start = SPKI_PREFIX.length / 2;
    if (der.length === start + KEY_BYTES && der.toHex().startsWith(SPKI_PREFIX)) {
      return der.slice(start);
    }
  } catch {
    // Said below.
  }
  throw new Problem(400, `${PUBLIC_KEY} is no Ed25519 key in PEM`);
}
