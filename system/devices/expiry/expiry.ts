import type { Config } from "../../config.ts";
import { memberIndex } from "../../core/config/member_index.ts";
import type { Observations } from "../../core/engine/change.ts";
import { withDisabled, withoutDevices } from "../device.ts";
import { replaceDevices } from "./removed_devices.ts";
import type { Device } from "../schema.ts";

/** Milliseconds without a lease after which a device tagged `guest` is disabled: 30 days. */
export const GUEST_AWAY = 30 * 24 * 3600 * 1000;

/** What expiry does to a device, and when in unix milliseconds. */
interface Due {
  readonly identity: string;
  readonly at: number;
  readonly outcome: "delete" | "disable" | "disable-guest";
}

/** Every expiry that lies ahead or is due, in no order. */
function expiries(config: Config, observed: Observations): Due[] {
  return [...expiring(config.devices)].flatMap((identity): Due[] => {
    const device = config.devices[identity]!;
    const dues: Due[] = [];
    if (device.DeviceExpiration > 0) {
      dues.push({
        identity,
        at: device.DeviceExpiration * 1000,
        outcome: device.DeleteExpiration ? "delete" : "disable",
      });
    }
    const seen = observed.devices[identity]?.lastSeen ?? 0;
    if (device.DeviceTags.includes("guest") && !device.DeviceDisabled && seen > 0) {
      dues.push({ identity, at: seen + GUEST_AWAY, outcome: "disable-guest" });
    }
    return dues;
  });
}

/** The few devices whose time may come. */
const expiring = memberIndex<Device, Set<string>>({
  empty: () => new Set(),
  add: (identities, identity, device) => {
    if (mayExpire(device)) identities.add(identity);
  },
  remove: (identities, identity) => void identities.delete(identity),
});

function mayExpire({ DeviceExpiration, DeviceTags, DeviceDisabled }: Device): boolean {
  return DeviceExpiration > 0 || (!DeviceDisabled && DeviceTags.includes("guest"));
}

/** Unix milliseconds of the next expiry; null when none lies ahead. */
export function nextExpiry(config: Config, observed: Observations): number | null {
  const times = expiries(config, observed).map(({ at }) => at);
  return times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b));
}

/** What an expiry did. */
export interface Expired {
  readonly deleted: readonly string[];
  readonly disabled: readonly string[];
  /** Guests among the disabled that stayed away too long. */
  readonly away: readonly string[];
}

/**
 * Disables or deletes every device whose time is up; the same configuration when there is none. The
 * time is taken off a disabled device, so that it can be let in again.
 */
export function expireDevices(
  config: Config,
  observed: Observations,
  now: number,
): [Config, Expired] {
  const due = expiries(config, observed).filter(({ at }) => at <= now);
  const deleted = new Set(
    due.filter(({ outcome }) => outcome === "delete").map(({ identity }) => identity),
  );
  const disabled = [...new Set(due.map(({ identity }) => identity))]
    .filter((identity) => !deleted.has(identity));
  if (due.length === 0) return [config, { deleted: [], disabled: [], away: [] }];
  const changed: Record<string, Device> = {};
  for (const identity of disabled) {
    const device = withDisabled(config.devices[identity]!, true);
    const passed = device.DeviceExpiration > 0 && device.DeviceExpiration * 1000 <= now;
    changed[identity] = passed ? { ...device, DeviceExpiration: 0 } : device;
  }
  return [
    replaceDevices(config, withoutDevices({ ...config.devices, ...changed }, deleted)),
    {
      deleted: [...deleted],
      disabled,
      away: due.filter(({ outcome }) => outcome === "disable-guest")
        .map(({ identity }) => identity)
        .filter((identity) => !deleted.has(identity)),
    },
  ];
}
