import * as z from "zod";
import { WireguardKey } from "../core/net/grammar.ts";
import { normalizeMac } from "../core/net/net.ts";
import { invalid } from "../core/errors/problem.ts";
import { UnicastMac } from "./schema.ts";

/** What kind of name a device goes by. */
export type IdentityKind = "mac" | "key" | "pending";

const PENDING = /^pending(-([2-9]|[1-9]\d{1,3}))?$/;
const BARE_MAC = /^[0-9a-f]{12}$|^[0-9a-f]{4}(\.[0-9a-f]{4}){2}$/i;
const SENTENCE = "Name a device by its MAC address, its WireGuard public key, or the word pending";

/**
 * The one spelling of a device's name: lower-case MAC with `:` (from any case, with `:`, `-`, dots
 * or nothing between the digits), WireGuard public key as it is, `pending`, `pending-2`, …; null
 * when the text is none of these.
 */
export function canonicalIdentity(text: string): string | null {
  // A key in a query that was not percent-encoded arrives with blanks for its plus signs.
  const key = WireguardKey.safeParse(text.replaceAll(" ", "+"));
  if (key.success) return key.data;
  const trimmed = text.trim();
  if (isPendingIdentity(trimmed)) return trimmed.toLowerCase();
  const pairs = BARE_MAC.test(trimmed)
    ? trimmed.replaceAll(".", "").match(/../g)!.join(":")
    : trimmed;
  const mac = UnicastMac.safeParse(pairs);
  return mac.success ? mac.data : null;
}

/** True for the name of a device that has yet to join, in any case. */
export function isPendingIdentity(text: string): boolean {
  return PENDING.test(text.trim().toLowerCase());
}

/** Kind of a canonical identity. */
export function kindOf(identity: string): IdentityKind {
  if (identity.startsWith("pending")) return "pending";
  return normalizeMac(identity.trim()) === null ? "key" : "mac";
}

/** Like {@link canonicalIdentity}. Throws Problem 400 that points to where the name stands. */
export function requireIdentity(text: string, pointer = "/identity"): string {
  const identity = canonicalIdentity(text);
  if (identity === null) throw invalid(pointer, SENTENCE);
  return identity;
}

/** A device's name as it is sent; yields the canonical one. */
export const Identity = z.string().meta({
  pattern: "^\\s*[A-Za-z0-9+/=:. -]+\\s*$",
  examples: ["02:00:00:00:0a:01"],
}).transform((text, context) => {
  const identity = canonicalIdentity(text);
  if (identity !== null) return identity;
  context.addIssue({ code: "custom", message: SENTENCE });
  return z.NEVER;
});
