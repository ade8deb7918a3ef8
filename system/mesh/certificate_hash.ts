import { createHash, createHmac } from "node:crypto";
import { equalSecret } from "../access/digest.ts";
import type { LeafPeer } from "./plan_schema.ts";

/** Response header of a mesh certificate: an HMAC over it that only a holder of the token can make. */
export const CERTIFICATE_HASH_HEADER = "X-SVC-Mesh-TLS-Hash";

/**
 * HMAC-SHA-256 (RFC 2104) over the exact bytes of a certificate file, keyed with the UTF-8 bytes of the
 * leaf's API token, in lower-case hex.
 */
export function certificateHash(certificate: Uint8Array, token: string): string {
  return createHmac("sha256", token).update(certificate).digest("hex");
}

/**
 * True when the certificate comes from somebody who has the token. Compares in constant time; never
 * true for an empty token or header, which would prove nothing.
 */
export function isCertificateOf(
  certificate: Uint8Array,
  token: string,
  header: string | null,
): boolean {
  if (token === "" || header === null || header === "") return false;
  return equalSecret(certificateHash(certificate, token), header);
}

/**
 * Tells a leaf router from one with another token, certificate or link, or another key of this router for it;
 * says nothing of the token.
 */
export function leafDigest(
  { APIToken, TLSCA, Link, OwnKey }: Pick<LeafPeer, "APIToken" | "TLSCA" | "Link" | "OwnKey">,
): string {
  const met = [APIToken, TLSCA, Link?.Kind ?? "", Link?.Number ?? 0, OwnKey];
  return createHash("sha256").update(JSON.stringify(met)).digest("hex");
}
