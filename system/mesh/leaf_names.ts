import type { Config } from "../config.ts";
import { onceEach } from "../core/config/memo.ts";
import { leafInterface } from "./network.ts";

const namesByAddress = onceEach((devices: Config["devices"]): ReadonlyMap<string, string> =>
  new Map(Object.values(devices).map(({ RecentIP, Name }) => [RecentIP, Name]))
);

/** What people call a leaf router: the name of the device with its address, else that address. */
export function leafName({ devices }: Pick<Config, "devices">, address: string): string {
  return namesByAddress(devices).get(address) || address;
}

/** The name of the leaf router whose clients are on an interface; null for any other interface. */
export function leafBehind(
  config: Pick<Config, "devices" | "mesh">,
  link: string | null,
): string | null {
  if (link === null || config.mesh.LeafMode) return null;
  const leaf = config.mesh.LeafRouters.find((one) => leafInterface(one) === link);
  return leaf === undefined ? null : leafName(config, leaf.IP);
}
