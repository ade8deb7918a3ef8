import { dirname, join } from "node:path";
import { mac } from "./device_config.ts";

/** How much a large home holds. */
export interface LargeHome {
  readonly devices: number;
  readonly groups: number;
  /** The downlink that all of them are on. Default `lan0`. */
  readonly link?: string;
}

/** Writes the live tree of a home with many devices on one downlink. Answers their identities. */
export async function writeLargeHome(home: string, size: LargeHome): Promise<readonly string[]> {
  const link = size.link ?? "lan0";
  const identities = Array.from({ length: size.devices }, (_, i) => mac(i));
  const devices = Object.fromEntries(identities.map((MAC, i) => [MAC, {
    Name: `device ${i}`,
    MAC,
    RecentIP: addressOf(i),
    PSKEntry: { Type: "sae", Psk: `password ${i}` },
    Policies: ["wan", "dns"],
    Groups: [`group ${i % size.groups}`],
    DeviceTags: [],
    Style: { Icon: "", Color: "" },
  }]));
  const seen = { firstSeen: 1, lastSeen: 1, link, online: true };
  const files = {
    "configs/devices/devices.json": devices,
    "configs/devices/groups.json": Array.from({ length: size.groups }, (_, i) => ({
      Name: `group ${i}`,
      Disabled: false,
      GroupTags: [],
      ServiceDestinations: [],
    })),
    "configs/base/dhcp.json": { TinyNets: ["192.168.0.0/16"], LeaseTime: "24h0m0s" },
    "configs/base/interfaces.json": [
      { Name: "wan0", Type: "Uplink", Enabled: true },
      { Name: link, Type: "Downlink", Enabled: true },
    ],
    "state/devices/observed.json": {
      devices: Object.fromEntries(identities.map((identity) => [identity, seen])),
    },
  };
  for (const [path, content] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(home, path)), { recursive: true });
    await Deno.writeTextFile(join(home, path), JSON.stringify(content));
  }
  return identities;
}

/** The device's address in its own /30, out of 192.168.0.0/16. */
function addressOf(number: number): string {
  const host = number * 4 + 2;
  return `192.168.${2 + (host >> 8)}.${host & 255}`;
}
