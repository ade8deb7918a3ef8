import { createHmac } from "node:crypto";
import { Problem } from "../core/errors/problem.ts";
import { type Device, MASK } from "./schema.ts";

/** What entity tags of devices are made with. */
export interface TagSources {
  readonly key: Uint8Array;
  /** How often the password of a device was set. */
  readonly secretVersion: (device: Device) => number;
}

/**
 * Entity tag of one device, with its quotes. The tag is shown to callers who may not see the password:
 * instead of that it says how often one was set, so that no guess can be held against it.
 */
export function deviceTag(device: Device, { key, secretVersion }: TagSources): string {
  const { Type, Psk } = device.PSKEntry;
  const shown = { ...device, PSKEntry: { Type, Psk: Psk === "" ? "" : MASK } };
  const text = `${JSON.stringify(shown)} ${secretVersion(device)}`;
  return `"${createHmac("sha256", key).update(text).digest("base64url").slice(0, 22)}"`;
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
export function requireTag(
  header: string,
  device: Device | undefined,
  sources: TagSources,
): void {
  const current = device === undefined ? null : deviceTag(device, sources);
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
