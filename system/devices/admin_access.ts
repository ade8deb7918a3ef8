import { policiesFor, type Policy } from "./policies.ts";
import type { Device } from "./schema.ts";

/** Policies that keep a device off the router's web UI and SSH. */
const DENIALS: readonly Policy[] = policiesFor("deny", "admin").map(({ name }) => name);

/** What an update says of policies. */
export interface PolicyWish {
  readonly Policies?: readonly Policy[] | undefined;
  readonly AdminAccess?: boolean | undefined;
}

/**
 * The policies that follow from an update. A list replaces them, but the restriction of admin access
 * only goes where that is said: by `AdminAccess`, or by a list that differs in nothing else. A list
 * written to give the Internet so gives no admin access by the way, nor does one that is copied from
 * another device.
 */
export function decidedPolicies(
  before: readonly Policy[],
  { Policies, AdminAccess }: PolicyWish,
  isCopied = false,
): Policy[] {
  const next = [...Policies ?? before];
  if (AdminAccess === true) return next.filter((policy) => !DENIALS.includes(policy));
  const held = DENIALS.filter((policy) => !next.includes(policy));
  if (AdminAccess === false) return [...next, ...held];
  const kept = held.filter((policy) => before.includes(policy));
  return !isCopied && isSameBut(DENIALS, before, next) ? next : [...next, ...kept];
}

/** True for lists that hold the same beside these. The switch `disabled` is a field of its own. */
function isSameBut(
  left: readonly Policy[],
  before: readonly Policy[],
  after: readonly Policy[],
): boolean {
  const others = (policies: readonly Policy[]) =>
    new Set(policies.filter((policy) => policy !== "disabled" && !left.includes(policy)));
  return others(before).symmetricDifference(others(after)).size === 0;
}

/** True for a device that may open the router's web UI and SSH as far as its policies go. */
export function hasAdminAccess({ Policies }: Pick<Device, "Policies">): boolean {
  return !DENIALS.some((policy) => Policies.includes(policy));
}
