import type { Config } from "../../config.ts";
import { inRange4 } from "../../core/net/net.ts";
import { capacity, heldAddresses, poolsOf } from "../tiny_net.ts";

/** Use of one pool, in devices. */
export interface PoolUse {
  readonly net: string;
  readonly size: number;
  readonly used: number;
}

/** Size and use of each pool. */
export function poolUse(config: Pick<Config, "devices" | "dhcp">): PoolUse[] {
  const held = heldAddresses(config.devices);
  const pools = poolsOf(config.dhcp.TinyNets);
  return pools.map((pool, index) => ({
    net: config.dhcp.TinyNets[index]!,
    size: capacity(pool),
    used: held.filter((address) => inRange4(pool, address)).length,
  }));
}
