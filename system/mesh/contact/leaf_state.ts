/** How the parent stands with one of its leaves. */
export type LeafStatus =
  /** Not tried since the parent started, or since the leaf was added. */
  | "connecting"
  /** It has the devices of now. */
  | "synced"
  /** It responds, and does not have the devices of now yet. */
  | "behind"
  /** It responds, and is in no leaf mode: it was reset, or has yet to join. */
  | "notLeaf"
  /** It does not respond. */
  | "unreachable"
  /** Its certificate is not the one that it is trusted by, and its token did not prove another. */
  | "untrusted"
  /** It refuses the token of the parent. */
  | "refused";

/** What one contact with a leaf gave. */
export type Contact =
  | { readonly kind: "answered"; readonly leafMode: boolean; readonly synced: boolean }
  | { readonly kind: "unreachable" | "untrusted" | "refused" };

/** A leaf as the parent's loop remembers it. */
export interface LeafState {
  readonly status: LeafStatus;
  /** Contacts in a row that failed. */
  readonly failures: number;
}

export const NEW_LEAF: LeafState = { status: "connecting", failures: 0 };

/** Milliseconds between two contacts of a leaf that is well. */
export const CONTACT_INTERVAL_MS = 10_000;
/** Milliseconds before the second attempt, doubled with each that follows, up to the longest. */
const FIRST_RETRY_MS = 1000, LONGEST_RETRY_MS = 60_000;

/** The state after a contact. */
export function afterContact(before: LeafState, contact: Contact): LeafState {
  if (contact.kind !== "answered") return { status: contact.kind, failures: before.failures + 1 };
  if (!contact.leafMode) return { status: "notLeaf", failures: 0 };
  return contact.synced
    ? { status: "synced", failures: 0 }
    : { status: "behind", failures: before.failures + 1 };
}

/**
 * Milliseconds until the next contact. `random` (0 to 1) takes up to a fifth off, so that leaves which
 * went away together do not come back in step.
 */
export function nextContact({ failures }: LeafState, random: number): number {
  if (failures === 0) return CONTACT_INTERVAL_MS;
  const delay = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 16), LONGEST_RETRY_MS);
  return Math.round(delay * (1 - 0.2 * random));
}
