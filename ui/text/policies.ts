import { policies } from "../generated/policies.ts";
import type { Device } from "../wire.ts";
import { isBlocked, isPendingApproval } from "./format.ts";

/** A policy with its words. */
export type Policy = (typeof policies)[number];
type PolicyName = Policy["name"];

/** The policy of this name. */
export function policyNamed(name: PolicyName): Policy {
  return policies.find((one) => one.name === name)!;
}

const isRestriction = ({ effect }: Policy): boolean =>
  effect === "isolate" || effect === "disconnect";

/** Policies that several devices can get at once. */
export const ASSIGNABLE: readonly Policy[] = policies.filter(({ assignable }) => assignable);

/** Policies with a switch among what a device may access. */
export const ACCESS: readonly Policy[] = ASSIGNABLE.filter((one) => !isRestriction(one));

/** Policies that mean something to a custom interface. */
export const INTERFACE_POLICIES: readonly Policy[] = policies.filter(({ interfaces }) =>
  interfaces
);

export const QUARANTINE = policyNamed("quarantine");
export const BLOCKED = policyNamed("disabled");
/** Its switch is admin access, on while the policy is absent. */
export const ADMIN = policyNamed("noapi");

export interface Chip {
  readonly text: string;
  readonly tone: "" | "accent" | "danger" | "warning";
}

function toneOf(policy: Policy): Chip["tone"] {
  if (isRestriction(policy)) return "danger";
  return policy.target === "lan" || policy.target === "upstream-private" ? "accent" : "";
}

/** What a device may use, in chips. */
export function policyChips(device: Device): readonly Chip[] {
  if (isBlocked(device)) return [{ text: BLOCKED.chip, tone: "danger" }];
  if (isPendingApproval(device)) return [{ text: "Pending", tone: "warning" }];
  const family = policies.some(({ effect, name }) =>
    effect === "filter-dns" && device.Policies.includes(name)
  );
  return ASSIGNABLE
    .filter(({ name }) => device.Policies.includes(name) && !(family && name === "dns"))
    .map((policy) => ({ text: policy.chip, tone: toneOf(policy) }));
}

/** Completes the name of a device to a sentence about what flipping a switch does. */
export function flipSentence(policy: Policy, on: boolean): string {
  return `${on !== policy.inverted ? policy.held : policy.absent}.`;
}
