import type { Config } from "../config.ts";
import { guestDevice, isGuestInterface, withDevice, withoutDevices } from "../devices/device.ts";
import { requireHomeLink } from "../devices/link.ts";
import { kindOf } from "../devices/identity.ts";
import { pendingIdentities } from "../devices/pending.ts";
import type { Device } from "../devices/schema.ts";

/**
 * Guests that reports of leaf routers may add. Those of our own radios get an address first, of which there
 * are so many; a leaf may report any.
 */
const MAX_LEAF_GUESTS = 1024;

/** A station that associated. */
export interface Association {
  readonly mac: string;
  readonly link: string;
  /** Address of the mesh node that reports it; "" for our own radios. */
  readonly router: string;
  /** Identity of the waiting password that it used, where the radio can tell. */
  readonly keyId: string | undefined;
}

/** Result of an association, as the response has it. */
export type AssociationStatus = "Okay" | "Installed Pending PSK" | "Provisioned mesh guest";

/** Outcome of an association. */
export interface Associated {
  readonly status: AssociationStatus;
  /** True when several passwords are pending and it is unknown which one was used: the oldest was taken. */
  readonly ambiguous: boolean;
}

/**
 * A station that signs in without a password of its own takes the one that waits: the only one, or
 * the one that the report names. What is known of the station stays; a station that appeared by
 * itself takes the decisions that wait with the password as well. Throws Problem 400 on an uplink.
 */
export function associate(config: Config, station: Association): [Config, Associated] {
  const { mac } = station;
  if (station.router === "") requireHomeLink(config, station.link);
  const known = config.devices[mac];
  if (isGuestInterface(station.link)) {
    const pass = station.keyId === undefined ? undefined : config.devices[station.keyId];
    if (station.router === "" && pass !== undefined) return withPass(config, station, pass);
    if (station.router === "" || known !== undefined) return [config, okay()];
    const guests = Object.values(config.devices)
      .filter(({ Policies }) => Policies.includes("guestonly"));
    if (guests.length >= MAX_LEAF_GUESTS) return [config, okay()];
    return [
      withDevice(config, mac, guestDevice(mac, "")),
      { status: "Provisioned mesh guest", ambiguous: false },
    ];
  }
  const ready = known !== undefined && known.PSKEntry.Psk !== "" && known.PSKEntry.Type !== "";
  if (ready) return [config, okay()];
  // Those of guests are not for this network.
  const waiting = pendingIdentities(config.devices)
    .filter((identity) => !config.devices[identity]!.Policies.includes("guestonly"));
  const taken = station.keyId === undefined
    ? waiting[0]
    : waiting.find((identity) => identity === station.keyId);
  if (taken === undefined) return [config, okay()];
  const device = claim(known, config.devices[taken]!, mac);
  const rest = { ...config, devices: withoutDevices(config.devices, new Set([taken])) };
  return [
    withDevice(rest, mac, device),
    {
      status: "Installed Pending PSK",
      ambiguous: station.keyId === undefined && waiting.length > 1,
    },
  ];
}

/** A guest with a password of its own; other passwords that wait are not for the guest network. */
function withPass(config: Config, { mac, keyId }: Association, pass: Device): [Config, Associated] {
  const known = config.devices[mac];
  const isFree = known === undefined || known.PSKEntry.Psk === "";
  if (kindOf(keyId!) !== "pending" || !pass.Policies.includes("guestonly") || !isFree) {
    return [config, okay()];
  }
  const rest = { ...config, devices: withoutDevices(config.devices, new Set([keyId!])) };
  const device = known === undefined || isGuestAlone(known)
    ? { ...pass, MAC: mac, RecentIP: known?.RecentIP ?? "", WGPubKey: known?.WGPubKey ?? "" }
    : { ...known, PSKEntry: pass.PSKEntry };
  return [
    withDevice(rest, mac, device),
    { status: "Installed Pending PSK", ambiguous: false },
  ];
}

/** True for a guest that was one before, and about which nobody decided more. */
function isGuestAlone({ Policies, Groups }: Device): boolean {
  return Policies.includes("guestonly") && Groups.length === 0;
}

function okay(): Associated {
  return { status: "Okay", ambiguous: false };
}

function claim(known: Device | undefined, pending: Device, mac: string): Device {
  if (known === undefined) return { ...pending, MAC: mac };
  const keyed = { ...known, PSKEntry: pending.PSKEntry };
  if (!isUndecided(known)) return keyed;
  return {
    ...pending,
    MAC: mac,
    Name: pending.Name || known.Name,
    WGPubKey: known.WGPubKey,
    RecentIP: known.RecentIP || pending.RecentIP,
  };
}

/** True for a device that joined by itself and has no settings yet. */
function isUndecided(device: Device): boolean {
  return device.Policies.every((policy) => policy === "noapi") && device.Groups.length === 0 &&
    device.DeviceTags.length === 0 && !device.DeviceDisabled;
}
