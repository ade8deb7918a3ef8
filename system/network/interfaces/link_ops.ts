import type { Desired, DesiredLink } from "../../core/kernel/desired.ts";
import type { IpOp } from "../../core/kernel/plan.ts";

/** Creates a link of ours. */
export function linkOps({ name, create, vlan, vxlan }: DesiredLink): readonly IpOp[] {
  switch (create) {
    case null:
      return [];
    case "vlan":
      return vlan === undefined ? [] : [{ op: "add-vlan", name, vlan }];
    case "vxlan":
      return vxlan === undefined ? [] : [{ op: "add-vxlan", name, vxlan }];
    default:
      return [{ op: "add-link", name, kind: create }];
  }
}

/** How a link stands at a bridge now. */
export interface PortState {
  readonly bridge: string | null;
  readonly isolated: boolean;
}

/** Of a link at no bridge. */
export const NO_PORT: PortState = { bridge: null, isolated: false };

/** Brings a link to its bridge. It is isolated before anything else happens to it. */
export function portOps(
  { name, port }: Pick<DesiredLink, "name" | "port">,
  was: PortState,
): readonly IpOp[] {
  if (port === undefined) return [];
  const { bridge, isolated } = port;
  const joins = was.bridge !== bridge;
  const isIsolated = !joins && was.isolated;
  return [
    ...(joins ? [{ op: "set-bridge", name, bridge } as const] : []),
    ...(isIsolated === isolated ? [] : [{ op: "set-isolated", name, isolated } as const]),
  ];
}

/** True for a VXLAN with another number or end: it is made anew. */
export function isOtherVxlan(
  { vxlan }: Pick<DesiredLink, "vxlan">,
  was: DesiredLink["vxlan"],
): boolean {
  return vxlan !== undefined && (vxlan.id !== was?.id || vxlan.remote !== was.remote);
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
