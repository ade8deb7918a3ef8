import type { Config } from "../../config.ts";
import { memberIndex } from "../../core/config/member_index.ts";
import { onceEach } from "../../core/config/memo.ts";
import { inRange4 } from "../../core/net/net.ts";
import type { Device } from "../../devices/schema.ts";
import { capacity, heldAddress, poolsOf } from "../tiny_net.ts";

/** Use of one pool, in devices. */
export interface PoolUse {
  readonly net: string;
  readonly size: number;
  readonly used: number;
}

const usedOf = onceEach((networks: readonly string[]) => {
  const pools = poolsOf(networks);
  const count = (used: number[], device: Device, by: 1 | -1): void => {
    const address = heldAddress(device);
    if (address === null) return;
    for (const [at, pool] of pools.entries()) if (inRange4(pool, address)) used[at]! += by;
  };
  return memberIndex<Device, number[]>({
    empty: () => pools.map(() => 0),
    add: (used, _, device) => count(used, device, 1),
    remove: (used, _, device) => count(used, device, -1),
  });
});

/** Size and use of each pool. */
export function poolUse(config: Pick<Config, "devices" | "dhcp">): PoolUse[] {
  const networks = config.dhcp.TinyNets;
  const used = usedOf(networks)(config.devices);
  return poolsOf(networks).map((pool, index) => ({
    net: networks[index]!,
    size: capacity(pool),
    used: used[index]!,
  }));
}
