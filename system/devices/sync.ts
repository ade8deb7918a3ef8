import type { Config } from "../config.ts";
import type { SecretPath } from "../core/engine/change.ts";
import { parseIpv4 } from "../core/net/net.ts";
import { conflict, invalid, pointer, sentence } from "../core/errors/problem.ts";
import { isDeviceAddress, poolsOf } from "../dhcp/tiny_net.ts";
import { blankDevice, sameDevice, withDisabled, withGroups } from "./device.ts";
import { replaceDevices } from "./expiry/removed_devices.ts";
import { canonicalIdentity, kindOf } from "./identity.ts";
import { passwordPath, sendsPassword } from "./psk.ts";
import { type Device, MASK } from "./schema.ts";
import type { DeviceSync, SyncDevice } from "./wire.ts";

/**
 * Replaces all devices by these. Without force, nothing at all and a list that lacks more than half
 * of today's devices are refused as a mistake. A device that says the same keeps its place; the
 * password `**` keeps the stored one. Throws Problem 400, 409.
 */
export function syncDevices(
  config: Config,
  sent: DeviceSync,
  options: { readonly force: boolean },
): [Config, void] {
  const devices = named(sent);
  const today = Object.keys(config.devices);
  const remaining = today.filter((identity) => devices.has(identity)).length;
  if (!options.force && (devices.size === 0 || remaining * 2 < today.length)) {
    throw conflict(
      `Only ${remaining} of today's ${today.length} devices would remain; ` +
        "send ?force=true if that is meant",
      { remaining, devices: today.length },
    );
  }
  const next: Record<string, Device> = {};
  for (const [identity, { device, at }] of devices) {
    next[identity] = whole(config, identity, device, at);
  }
  checkUnique(next, devices);
  if (sameDevices(config.devices, next)) return [config, undefined];
  const groups = withGroups(
    config.groups,
    Object.values(next).flatMap(({ Groups }) => Groups),
  );
  return [{ ...replaceDevices(config, next), groups }, undefined];
}

/** Where the passwords are that a list says in clear. */
export function syncedPasswords(sent: DeviceSync): readonly SecretPath[] {
  return Object.entries(sent).flatMap(([key, device]) => {
    const identity = sendsPassword(device) ? canonicalIdentity(key) : null;
    return identity === null ? [] : [passwordPath(identity)];
  });
}

interface Sent {
  readonly device: SyncDevice;
  /** Pointer to it in the body. */
  readonly at: string;
}

function named(sent: DeviceSync): Map<string, Sent> {
  const devices = new Map<string, Sent>();
  for (const [key, device] of Object.entries(sent)) {
    const at = pointer([key]);
    const identity = canonicalIdentity(key);
    if (identity === null) {
      throw invalid(at, `${JSON.stringify(key)} is no MAC address, WireGuard key or pending`);
    }
    if (devices.has(identity)) {
      throw invalid(at, sentence("{identity} stands here twice", { identity }));
    }
    devices.set(identity, { device, at });
  }
  return devices;
}

function whole(config: Config, identity: string, sent: SyncDevice, at: string): Device {
  const blank = blankDevice(identity);
  const stored = config.devices[identity];
  const kind = kindOf(identity);
  if (kind === "mac" && sent.MAC && sent.MAC !== identity) {
    throw invalid(`${at}/MAC`, `The device is named ${identity}; send the same MAC`);
  }
  if (kind === "key" && sent.WGPubKey && sent.WGPubKey !== identity) {
    throw invalid(`${at}/WGPubKey`, "The device goes by its key; send the same key");
  }
  const device: Device = {
    Name: sent.Name ?? "",
    Type: sent.Type ?? "",
    MAC: kind === "key" ? sent.MAC ?? "" : blank.MAC,
    WGPubKey: kind === "mac" ? sent.WGPubKey ?? "" : blank.WGPubKey,
    VLANTag: sent.VLANTag ?? "",
    RecentIP: sent.RecentIP ?? "",
    DNSCustom: sent.DNSCustom ?? "",
    PSKEntry: psk(stored, sent, at),
    Policies: sent.Policies ?? [],
    Groups: sent.Groups ?? [],
    DeviceTags: sent.DeviceTags ?? [],
    Style: { Icon: sent.Style?.Icon ?? "", Color: sent.Style?.Color ?? "" },
    DeviceExpiration: sent.DeviceExpiration ?? 0,
    DeleteExpiration: sent.DeleteExpiration ?? false,
    DeviceDisabled: false,
  };
  checkAddress(config, device, stored, at);
  // An entry without the switch re-enables no device.
  const before = sent.DeviceDisabled === undefined && stored?.DeviceDisabled === true;
  const disabled = sent.DeviceDisabled === true || before ||
    device.Policies.includes("disabled");
  const switched = disabled ? withDisabled(device, true) : device;
  return stored !== undefined && sameDevice(stored, switched) ? stored : switched;
}

function psk(stored: Device | undefined, sent: SyncDevice, at: string): Device["PSKEntry"] {
  const Type = sent.PSKEntry?.Type ?? "";
  const Psk = sent.PSKEntry?.Psk ?? "";
  if (Psk !== MASK) return { Type, Psk };
  if (stored === undefined || stored.PSKEntry.Psk === "") {
    throw invalid(`${at}/PSKEntry/Psk`, "Send the password itself; none is stored here");
  }
  return { Type, Psk: stored.PSKEntry.Psk };
}

/** An address that a device has today may stay, even where the pools moved away from it. */
function checkAddress(
  config: Config,
  device: Device,
  stored: Device | undefined,
  at: string,
): void {
  if (device.RecentIP === "" || device.RecentIP === stored?.RecentIP) return;
  const address = parseIpv4(device.RecentIP);
  if (address !== null && isDeviceAddress(address, poolsOf(config.dhcp.TinyNets))) return;
  throw invalid(
    `${at}/RecentIP`,
    `${device.RecentIP} is not the device address of a /30 in ${config.dhcp.TinyNets.join(", ")}`,
  );
}

function checkUnique(
  next: Readonly<Record<string, Device>>,
  sent: ReadonlyMap<string, Sent>,
): void {
  for (const field of ["RecentIP", "WGPubKey"] as const) {
    const holders = new Map<string, string>();
    for (const [identity, device] of Object.entries(next)) {
      const value = device[field];
      if (value === "") continue;
      const holder = holders.get(value);
      if (holder !== undefined) {
        throw invalid(`${sent.get(identity)!.at}/${field}`, `${holder} has ${value} as well`);
      }
      holders.set(value, identity);
    }
  }
}

function sameDevices(
  before: Readonly<Record<string, Device>>,
  after: Readonly<Record<string, Device>>,
): boolean {
  const names = Object.keys(after);
  return names.length === Object.keys(before).length &&
    names.every((name) => before[name] === after[name]);
}
