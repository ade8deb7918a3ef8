import { createHmac } from "node:crypto";
import { Problem } from "../core/errors/problem.ts";
import type { Device } from "./schema.ts";

/**
 * Entity tag of one device, with its quotes. Keyed, because the tag is shown to callers who may not
 * see the password, and a short password could otherwise be found by trying.
 */
export function deviceTag(device: Device, key: Uint8Array): string {
  return `"${
    createHmac("sha256", key).update(JSON.stringify(device)).digest("base64url").slice(0, 22)
  }"`;
}

/** Throws Problem 412 where there is a device already (`If-None-Match: *`, RFC 9110 13.1.2). */
export function requireAbsent(device: Device | undefined): void {
  if (device === undefined) return;
  throw new Problem(412, "This device was added by someone else meanwhile; choose another name");
}

/**
 * Holds a device against an `If-Match` header (RFC 9110 13.1.1). Throws Problem 412 when it is not
 * the one that the caller saw, or is not there.
 */
export function requireTag(header: string, device: Device | undefined, key: Uint8Array): void {
  const current = device === undefined ? null : deviceTag(device, key);
  const tags = header.split(",").map((tag) => tag.trim());
  if (current !== null && (tags.includes("*") || tags.includes(current))) return;
  throw new Problem(
    412,
    current === null
      ? "The device is not there any more"
      : "The device was changed by someone else meanwhile; read it again and decide anew",
    current === null ? {} : { headers: { etag: current } },
  );
}
