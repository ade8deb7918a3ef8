import { derive, onceEach } from "../core/config/memo.ts";
import type { Config } from "../config.ts";
import type { Group } from "./groups/group_schema.ts";
import { kindOf } from "./identity.ts";
import { defaultPolicies } from "./policies.ts";
import type { Device, Devices } from "./schema.ts";

/** A device of this identity about which nothing is decided. */
export function blankDevice(identity: string): Device {
  const kind = kindOf(identity);
  return {
    Name: "",
    Type: "",
    MAC: kind === "mac" ? identity : "",
    WGPubKey: kind === "key" ? identity : "",
    VLANTag: "",
    RecentIP: "",
    DNSCustom: "",
    PSKEntry: { Type: "", Psk: "" },
    Policies: [],
    Groups: [],
    DeviceTags: [],
    Style: { Icon: "", Color: "" },
    DeviceExpiration: 0,
    DeleteExpiration: false,
    DeviceDisabled: false,
  };
}

/** A device that appeared by itself: it may do nothing but be known until someone decides. */
export function appearedDevice(identity: string, name: string): Device {
  return { ...blankDevice(identity), Name: name, Policies: defaultPolicies("unknown") };
}

/** A device that appeared on a guest network. */
export function guestDevice(identity: string, name: string): Device {
  return {
    ...blankDevice(identity),
    Name: name,
    Policies: defaultPolicies("guest"),
    DeviceTags: ["guest"],
  };
}

/**
 * True for a device that joined by itself and was never edited since. A name counts
 * for nothing, nor does the tag of the VLAN on which it appeared.
 */
export const isUndecided = onceEach((device: Device): boolean => {
  const { Name, MAC, RecentIP, VLANTag } = device;
  return [appearedDevice, guestDevice].some((appeared) =>
    sameFields(device, { ...appeared("", Name), MAC, RecentIP, VLANTag })
  );
});

function sameFields(a: Device, b: Device): boolean {
  return (Object.keys(b) as (keyof Device)[]).every((field) =>
    a[field] === b[field] || JSON.stringify(a[field]) === JSON.stringify(b[field])
  );
}

/** True for the interface of a guest network: an extra BSS, `wlan1.ap0`. */
export function isGuestInterface(name: string): boolean {
  return name.includes(".ap");
}

/** The device with its switch set; the flag and the policy `disabled` are one fact. */
export function withDisabled(device: Device, disabled: boolean): Device {
  const rest = device.Policies.filter((policy) => policy !== "disabled");
  return {
    ...device,
    DeviceDisabled: disabled,
    Policies: disabled ? [...rest, "disabled"] : rest,
  };
}

/** The groups, with those added that devices name and that do not exist yet. */
export function withGroups(
  groups: readonly Group[],
  names: readonly string[],
): readonly Group[] {
  const known = new Set(groups.map(({ Name }) => Name));
  const missing = [...new Set(names)].filter((name) => !known.has(name));
  if (missing.length === 0) return groups;
  return [
    ...groups,
    ...missing.map((Name) => ({
      Name,
      Disabled: false,
      GroupTags: [],
      ServiceDestinations: [],
    })),
  ];
}

/** True when two devices say the same. */
export function sameDevice(a: Device, b: Device): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/**
 * The configuration with this device in place, and the groups that it newly names; the same object
 * when all was so already.
 */
export function withDevice(config: Config, identity: string, device: Device): Config {
  const before = config.devices[identity];
  const named = device.Groups.filter((group) => !before?.Groups.includes(group));
  const groups = withGroups(config.groups, named);
  const same = before !== undefined && sameDevice(before, device);
  if (same && groups === config.groups) return config;
  const devices = same ? config.devices : derive(config.devices, { [identity]: device });
  return { ...config, devices, groups };
}

/** The devices without these identities. */
export function withoutDevices(devices: Devices, identities: ReadonlySet<string>): Devices {
  return Object.fromEntries(
    Object.entries(devices).filter(([identity]) => !identities.has(identity)),
  );
}

/** How a device is called in a sentence. */
export function titleOf(identity: string, device: Device | undefined): string {
  if (device !== undefined && device.Name !== "") return device.Name;
  return kindOf(identity) === "pending" ? "the device to come" : identity;
}
