import { policies } from "../generated/policies.ts";
import type { Device, Group } from "../wire.ts";
import { t } from "./language.ts";
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

/**
 * The group whose schedule withholds for the longest what a device has, and until when (unix seconds);
 * null where none does. A closed group withholds nothing that the device does not have.
 */
export function closedFor(
  device: Pick<Device, "Groups" | "Policies">,
  groups: readonly Pick<Group, "Name" | "Title" | "Policies" | "ClosedUntil">[],
): { readonly group: string; readonly until: number } | null {
  const withholds = (names: Group["Policies"] = []): boolean =>
    policies.some(({ name, effect }) =>
      effect === "allow" && names.includes(name) && device.Policies.includes(name)
    );
  return groups.reduce<ReturnType<typeof closedFor>>((last, group) => {
    const { Name, Title = Name, Policies, ClosedUntil: until } = group;
    const counts = until !== undefined && until > (last?.until ?? 0) &&
      device.Groups.includes(Name) && withholds(Policies);
    return counts ? { group: Title, until } : last;
  }, null);
}

export interface Chip {
  readonly text: string;
  readonly tone: "" | "accent" | "danger" | "warning";
}

function toneOf(policy: Policy): Chip["tone"] {
  if (isRestriction(policy)) return "danger";
  return policy.target === "lan" || policy.target === "upstream-private" ? "accent" : "";
}

const NO_DNS: Chip = { text: t("No DNS"), tone: "warning" };
const ADMIN_CHIP: Chip = { text: t("Admin"), tone: "accent" };

/** What a device may use, in chips; those that stand out are about what is not usual. */
export function policyChips(device: Device): readonly Chip[] {
  if (isBlocked(device)) return [{ text: BLOCKED.chip, tone: "danger" }];
  if (isPendingApproval(device)) return [{ text: t("Pending"), tone: "warning" }];
  const has = (name: PolicyName): boolean => device.Policies.includes(name);
  const family = policies.some(({ effect, name }) => effect === "filter-dns" && has(name));
  const internet = has("wan");
  const chips = ASSIGNABLE
    .filter(({ name }) => has(name) && name !== "noapi")
    // DNS goes without saying where a device has the Internet, or has a resolver in its own words.
    .filter(({ name }) => name !== "dns" || !(internet || family))
    .map((policy) => ({ text: policy.chip, tone: toneOf(policy) }));
  return [
    ...chips,
    ...(internet && !has("dns") && device.DNSCustom === "" ? [NO_DNS] : []),
    ...(has("noapi") ? [] : [ADMIN_CHIP]),
  ];
}

/** Completes the name of a device to a sentence about what flipping a switch does. */
export function flipSentence(policy: Policy, on: boolean): string {
  return `${on !== policy.inverted ? policy.held : policy.absent}.`;
}
