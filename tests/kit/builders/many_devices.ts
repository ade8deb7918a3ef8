import { mac } from "./device_config.ts";
import type { TestRouterOptions } from "../router.ts";

/** Files of a home with so many devices in twenty groups, all of them named in no order. */
export function manyDevices(number: number): NonNullable<TestRouterOptions["files"]> {
  const entries = Array.from({ length: number }, (_, i) => {
    const shuffled = (i * 617) % number;
    return [mac(i), {
      Name: `Device ${String(shuffled).padStart(4, "0")}`,
      MAC: mac(i),
      RecentIP: `192.168.${2 + ((i * 4 + 2) >> 8)}.${(i * 4 + 2) & 255}`,
      Policies: i % 3 === 0 ? ["wan", "dns", "lan"] : ["wan", "dns", "noapi"],
      Groups: [`group ${i % 20}`],
      DeviceTags: i % 50 === 0 ? ["old"] : [],
    }];
  });
  return {
    "base/dhcp.json": { TinyNets: ["192.168.0.0/16"], LeaseTime: "24h0m0s" },
    "devices/devices.json": Object.fromEntries(entries),
  };
}
