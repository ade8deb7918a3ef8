import type { Reading, RejectedEntry } from "../core/config/document.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
import { atOnce } from "../core/time/slices.ts";
import { blankDevice, withDisabled } from "./device.ts";
import { canonicalIdentity, kindOf } from "./identity.ts";
import { POLICY_NAMES } from "./policies.ts";
import { Device, type Devices } from "./schema.ts";

type Raw = Readonly<Record<string, unknown>>;

/**
 * Reads a device file leniently: what older versions left out or wrote as null is the default,
 * names of policies among groups and tags are the policies, times and interface are observations and
 * not read. An entry that the API would refuse is rejected. In small steps. Throws Problem when it is no
 * object.
 */
export function* readDevicesSteps(raw: unknown): Generator<void, Reading<Devices>> {
  if (!isRecord(raw)) {
    throw new Problem(400, "The devices are an object: MAC address or VPN key to device");
  }
  const rejected: RejectedEntry[] = [];
  const value: Record<string, Device> = {};
  const addresses = new Set<string>();
  for (const [key, entry] of Object.entries(raw)) {
    const identity = canonicalIdentity(key);
    const message = identity === null
      ? "This is no MAC address, WireGuard key or pending"
      : Object.hasOwn(value, identity)
      ? `${identity} stands here twice`
      : null;
    const device = message === null && isRecord(entry) ? readDevice(identity!, entry) : message;
    if (device === null || typeof device === "string") {
      rejected.push({ pointer: pointer([key]), message: device ?? "Write an object", raw: entry });
      continue;
    }
    // Two devices cannot share an address; the later one asks for another.
    const shared = device.RecentIP !== "" && addresses.has(device.RecentIP);
    value[identity!] = shared ? { ...device, RecentIP: "" } : device;
    addresses.add(device.RecentIP);
    yield;
  }
  return { value, rejected };
}

/** {@link readDevicesSteps} at once. */
export function readDevices(raw: unknown): Reading<Devices> {
  return atOnce(readDevicesSteps(raw));
}

/** The device, or what is wrong with it. */
function readDevice(identity: string, raw: Raw): Device | string {
  const kind = kindOf(identity);
  const blank = blankDevice(identity);
  const psk = isRecord(raw.PSKEntry) ? raw.PSKEntry : {};
  const style = isRecord(raw.Style) ? raw.Style : {};
  const groups = labels(raw.Groups);
  const tags = labels(raw.DeviceTags);
  const policies = labels(raw.Policies);
  const parsed = Device.safeParse({
    Name: raw.Name ?? "",
    Type: raw.Type ?? "",
    MAC: kind === "key" ? raw.MAC ?? "" : blank.MAC,
    WGPubKey: kind === "mac" ? raw.WGPubKey ?? "" : blank.WGPubKey,
    VLANTag: raw.VLANTag === "0" ? "" : raw.VLANTag ?? "",
    RecentIP: raw.RecentIP ?? "",
    DNSCustom: raw.DNSCustom === "0" ? "" : raw.DNSCustom ?? "",
    PSKEntry: { Type: psk.Type ?? "", Psk: psk.Psk ?? "" },
    Policies: unique([policies, only(groups, true), only(tags, true)]),
    Groups: unique([only(groups, false)]),
    DeviceTags: unique([only(tags, false)]),
    Style: { Icon: style.Icon ?? "", Color: style.Color ?? "" },
    DeviceExpiration: raw.DeviceExpiration ?? 0,
    DeleteExpiration: raw.DeleteExpiration ?? false,
    DeviceDisabled: raw.DeviceDisabled ?? false,
  });
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    return `${pointer(issue.path)}: ${issue.message}`;
  }
  const device = parsed.data;
  const disabled = device.Policies.includes("disabled");
  return disabled === device.DeviceDisabled
    ? device
    : withDisabled(device, disabled || device.DeviceDisabled);
}

/** A list of names, folded, blanks and direction marks dropped; anything else stays for the schema to refuse. */
function labels(raw: unknown): unknown {
  if (raw === null || raw === undefined) return [];
  if (!Array.isArray(raw)) return raw;
  const folded = (name: string) => name.replace(/\p{Bidi_Control}/gu, "").trim().toLowerCase();
  return raw.map((name) => typeof name === "string" ? folded(name) : name)
    .filter((name) => name !== "");
}

/** The names of a list that are policies, or those that are not. */
function only(names: unknown, policies: boolean): unknown {
  if (!Array.isArray(names)) return policies ? [] : names;
  return names.filter((name) => (POLICY_NAMES as readonly unknown[]).includes(name) === policies);
}

function unique(lists: readonly unknown[]): unknown {
  const odd = lists.find((list) => !Array.isArray(list));
  return odd === undefined ? [...new Set(lists.flat())] : odd;
}

function isRecord(raw: unknown): raw is Raw {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}
