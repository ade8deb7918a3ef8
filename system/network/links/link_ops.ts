import type { Desired, DesiredLink, IpOp } from "../../core/kernel/host.ts";

/** What makes a link that is ours to make. */
export function linkOps({ name, create, vlan }: DesiredLink): readonly IpOp[] {
  if (create === null) return [];
  if (create !== "vlan") return [{ op: "add-link", name, kind: create }];
  return vlan === undefined ? [] : [{ op: "add-vlan", name, vlan }];
}

/** The changes of one link's card. */
export interface CardChange {
  readonly name: string;
  readonly ops: readonly IpOp[];
}

/**
 * Cards that get another address, or their own back. Their links rest meanwhile, and come up again by
 * the link's own change or here. `anew`: links of which nothing of before holds.
 */
export function cardOps(
  before: Desired,
  after: Desired,
  anew: (link: string) => boolean,
): readonly CardChange[] {
  const old = new Map(before.links.map((link) => [link.name, link]));
  return after.links.flatMap((link): readonly CardChange[] => {
    const { name } = link;
    const was = anew(name) ? undefined : old.get(name);
    const own = after.seen?.permanentMacs?.get(name);
    // A card whose address we chose gets its own back; any other is not ours to change.
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
