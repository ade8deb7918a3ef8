import type { Desired, DesiredLink } from "../../core/kernel/desired.ts";
import type { IpOp } from "../../core/kernel/plan.ts";

/** Creates a link of ours. */
export function linkOps({ name, create, vlan }: DesiredLink): readonly IpOp[] {
  if (create === null) return [];
  if (create !== "vlan") return [{ op: "add-link", name, kind: create }];
  return vlan === undefined ? [] : [{ op: "add-vlan", name, vlan }];
}

/** The change of one link's MAC address. */
export interface MacAddressChange {
  readonly name: string;
  readonly ops: readonly IpOp[];
}

/**
 * Changes MAC addresses, or restores the hardware's. Links are down meanwhile, and are set up again by
 * the link's own change or here. `replaced`: links of which the earlier state is gone.
 */
export function macAddressOps(
  before: Desired,
  after: Desired,
  replaced: (link: string) => boolean,
): readonly MacAddressChange[] {
  const old = new Map(before.links.map((link) => [link.name, link]));
  return after.links.flatMap((link): readonly MacAddressChange[] => {
    const { name } = link;
    const was = replaced(name) ? undefined : old.get(name);
    const own = after.facts?.permanentMacs?.get(name);
    // A MAC address that we had set is restored; any other is not ours to change.
    const mac = link.mac ?? (was?.mac === undefined ? undefined : own);
    if (mac === undefined || mac === was?.mac) return [];
    return [{
      name,
      ops: [
        ...(was?.up ? [{ op: "set-link", name, up: false } as const] : []),
        { op: "set-mac", name, mac },
        ...(was?.up && link.up ? [{ op: "set-link", name, up: true } as const] : []),
      ],
    }];
  });
}
