import { namesByKey } from "../core/config/member_index.ts";
import type { Config } from "../config.ts";
import { formatIpv4, parseIpv4 } from "../core/net/net.ts";
import { conflict, invalid, sentence } from "../core/errors/problem.ts";
import { isDeviceAddress, poolsOf } from "../dhcp/tiny_net.ts";
import type { Device } from "./schema.ts";

/**
 * Checks the address that a device is to have: the device address of a /30 of a pool, and no other
 * else's. Throws Problem 400, 409.
 */
export function requireAddress(
  config: Pick<Config, "devices" | "dhcp">,
  wanted: { readonly identity: string; readonly address: string; readonly pointer: string },
): void {
  const value = parseIpv4(wanted.address);
  if (value === null || !isDeviceAddress(value, poolsOf(config.dhcp.TinyNets))) {
    throw invalid(
      wanted.pointer,
      `${wanted.address} is not the device address of a /30 in ${config.dhcp.TinyNets.join(", ")}` +
        suggestion(value, config.dhcp.TinyNets),
    );
  }
  const holder = holderOf(config, wanted.address, wanted.identity);
  if (holder !== null) {
    throw conflict(
      sentence("{address} is the address of {holder}", { address: wanted.address, holder }),
      { holder },
    );
  }
}

const identitiesAt = namesByKey(({ RecentIP }: Device) => RecentIP);

/** Identity of the device that has this address, other than `except`; null when none has. */
export function holderOf(
  config: Pick<Config, "devices">,
  address: string,
  except: string | null,
): string | null {
  return identitiesAt(config.devices, address).find((identity) => identity !== except) ?? null;
}

function suggestion(value: number | null, nets: readonly string[]): string {
  if (value === null) return "";
  const near = value - value % 4 + 2;
  return isDeviceAddress(near, poolsOf(nets)) ? `; ${formatIpv4(near)} would be` : "";
}
