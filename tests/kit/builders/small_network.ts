import type { Config } from "../../../system/config.ts";
import type { Observations } from "../../../system/core/engine/change.ts";
import type { Facts, LinkFact } from "../../../system/core/kernel/facts.ts";
import type { Group } from "../../../system/devices/groups/group_schema.ts";
import type { Policy } from "../../../system/devices/policies.ts";
import type { Device } from "../../../system/devices/schema.ts";
import { DEFAULT_FIREWALL } from "../../../system/firewall/schema.ts";
import { Interface } from "../../../system/network/interfaces/schema.ts";
import { configWith } from "./device_config.ts";

/** The parts of a device that matter to packets; the rest is empty. */
export interface SmallDevice {
  readonly ip: string;
  readonly policies?: readonly Policy[];
  readonly groups?: readonly string[];
  readonly tags?: readonly string[];
  readonly wifi?: boolean;
  readonly key?: string;
  readonly disabled?: boolean;
}

/** A device whose card ends in the last byte of its address. */
export function device(mac: string, small: SmallDevice): Device {
  return {
    Name: "",
    Type: "",
    MAC: mac,
    WGPubKey: small.key ?? "",
    VLANTag: "",
    RecentIP: small.ip,
    DNSCustom: "",
    PSKEntry: { Type: small.wifi ? "sae" : "", Psk: "" },
    Policies: [...(small.policies ?? [])],
    Groups: [...(small.groups ?? [])],
    DeviceTags: [...(small.tags ?? [])],
    Style: { Icon: "", Color: "" },
    DeviceExpiration: 0,
    DeleteExpiration: false,
    DeviceDisabled: small.disabled ?? false,
  };
}

/** A group that is open. */
export function group(Name: string, changes: Partial<Group> = {}): Group {
  return { Name, Disabled: false, GroupTags: [], ServiceDestinations: [], ...changes };
}

/** An enabled link of the router. */
export function link(
  Name: string,
  Type: Interface["Type"],
  more: Partial<Interface> = {},
): Interface {
  return Interface.parse({ Name, Type, Enabled: true, ...more });
}

/** A router with uplink eth0, downlink eth1 and access point wlan1, home network 192.168.2.0/24. */
export function network(
  devices: Readonly<Record<string, SmallDevice>> = {},
  changes: Partial<Config> = {},
): Config {
  return configWith({
    devices: Object.fromEntries(
      Object.entries(devices).map(([identity, small]) => [
        identity,
        device(identity.includes(":") ? identity : "", small),
      ]),
    ),
    interfaces: [link("eth0", "Uplink"), link("eth1", "Downlink"), link("wlan1", "AP")],
    firewall: DEFAULT_FIREWALL,
    ...changes,
  });
}

/** Devices as last seen: identity to link. */
export function seenOn(links: Readonly<Record<string, string>> = {}): Observations {
  return {
    devices: Object.fromEntries(
      Object.entries(links).map(([identity, name]) => [
        identity,
        { firstSeen: 1, lastSeen: 1, link: name, online: true },
      ]),
    ),
  };
}

function linkFact(name: string, index: number): LinkFact {
  const kind = name.startsWith("wg") ? "wireguard" : null;
  return { name, index: index + 1, mac: null, up: true, running: true, kind };
}

/** A kernel with these links, all up, and nothing else. */
export function kernel(
  links: readonly string[] = ["lo", "eth0", "eth1", "wlan1"],
  changes: Partial<Facts> = {},
): Facts {
  return {
    links: links.map(linkFact),
    addresses: [],
    routes: [],
    neighbours: [],
    forwarding: false,
    tables: [],
    capabilities: {
      dummy: true,
      bridge: true,
      vlan: true,
      vxlan: true,
      wireguard: true,
      flowtable: true,
    },
    ...changes,
  };
}
