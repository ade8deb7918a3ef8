import type { Config } from "../config.ts";
import { conflict, Problem } from "../core/errors/problem.ts";
import { canonicalIdentity, kindOf } from "../devices/identity.ts";
import { syncDevices } from "../devices/sync.ts";
import type { DeviceSync } from "../devices/wire.ts";
import { LEAF_TOKEN_NAME } from "./rules.ts";

/** True for the parent of this leaf, by the name of its token. */
export function isParent({ mesh }: Pick<Config, "mesh">, caller: string): boolean {
  return mesh.LeafMode && caller === `token:${LEAF_TOKEN_NAME}`;
}

/**
 * Takes the devices of the parent in place of a leaf's own, whole: its list may be shorter than today's by
 * any number, but it is never empty, and it has as many devices as the parent said. Throws Problem 400,
 * 409.
 */
export function takeParentMap(
  config: Config,
  sent: DeviceSync,
  count: number | undefined,
): [Config, void] {
  const announced = Object.keys(sent).length;
  if (announced === 0) {
    throw conflict("The parent sent no device at all; the devices of this leaf stay as they are");
  }
  if (count !== undefined && count !== announced) {
    throw new Problem(
      400,
      `The list has ${announced} devices and the parent announced ${count}; send it whole`,
    );
  }
  // Addresses and VPN peers are the parent's; those of another router's pools would be refused here.
  const joining = Object.entries(sent)
    .filter(([text]) => {
      const identity = canonicalIdentity(text);
      return identity === null || kindOf(identity) !== "key";
    })
    .map(([identity, { RecentIP: _, WGPubKey: __, VLANTag: ___, ...device }]) =>
      [identity, device] as const
    );
  if (joining.length === 0) {
    throw conflict("The parent sent no device that could join here; the devices stay as they are");
  }
  return syncDevices(config, Object.fromEntries(joining), { force: true });
}
