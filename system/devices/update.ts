import type { Config } from "../config.ts";
import { conflict, invalid, sentence } from "../core/errors/problem.ts";
import { refuseOwnResolver } from "../dns/config/rules.ts";
import { requirePeerKey } from "../wireguard/key_rules.ts";
import { decidedPolicies } from "./admin_access.ts";
import { requireAddress } from "./address.ts";
import { blankDevice, titleOf, withDevice, withDisabled } from "./device.ts";
import { kindOf } from "./identity.ts";
import { isAnotherPending, requirePendingRoom } from "./pending.ts";
import { type Device, MASK, type PskEntry } from "./schema.ts";
import type { DeviceUpdate } from "./wire.ts";

/** A `PUT /device`, with the facts that the rule may not fetch itself. */
export interface UpdateDevice {
  /** Canonical. */
  readonly identity: string;
  readonly update: DeviceUpdate;
  /**
   * Canonical identity of a device whose password, groups, policies and tags fill what is left out or
   * empty.
   */
  readonly copy: string | null;
  /** The password to give where one must be made. */
  readonly generated: string;
  /** Unix seconds. */
  readonly now: number;
  /** Called with the device as it stands before anything is decided; throws Problem 412. */
  readonly precondition?: (before: Device | undefined) => void;
}

/** What became of the device. */
export interface UpdatedDevice {
  readonly device: Device;
  /** True when its password was made by this very call, so that the answer may show it. */
  readonly generated: boolean;
}

/** Values of `DeviceExpiration` from here on are unix time, smaller ones seconds from now. */
const UNIX_TIME = 1_000_000_000;

/** Updates or creates a device. Throws Problem 400, 404, 409, and what the precondition throws. */
export function updateDevice(config: Config, request: UpdateDevice): [Config, UpdatedDevice] {
  const update = withCopy(config, request);
  const { identity } = request;
  const isPending = kindOf(identity) === "pending";
  const before = config.devices[identity];
  request.precondition?.(before);
  if (before === undefined && isPending) requirePendingRoom(config.devices);
  const start = before === undefined || isAnotherPending(identity, before, update)
    ? blankDevice(identity)
    : before;
  const { entry, generated } = pskEntry(start.PSKEntry, update.PSKEntry, {
    isPending,
    generated: request.generated,
  });
  checkNames(config, identity, update, before === undefined);
  if (update.RecentIP && update.RecentIP !== start.RecentIP) {
    requireAddress(config, { identity, address: update.RecentIP, pointer: "/RecentIP" });
  }
  // Its queries would come back without their client, past the device's own settings.
  if (update.DNSCustom && update.DNSCustom !== start.DNSCustom) {
    refuseOwnResolver(config, update.DNSCustom, "/DNSCustom");
  }
  const device = switched(
    {
      ...start,
      Name: update.Name ?? start.Name,
      WGPubKey: kindOf(identity) === "mac" ? update.WGPubKey ?? start.WGPubKey : start.WGPubKey,
      VLANTag: update.VLANTag ?? start.VLANTag,
      RecentIP: update.RecentIP ?? start.RecentIP,
      DNSCustom: update.DNSCustom ?? start.DNSCustom,
      PSKEntry: entry,
      Policies: decidedPolicies(start.Policies, update, isCopied(request)),
      Groups: update.Groups ?? start.Groups,
      DeviceTags: update.DeviceTags ?? start.DeviceTags,
      Style: {
        Icon: update.Style?.Icon ?? start.Style.Icon,
        Color: update.Style?.Color ?? start.Style.Color,
      },
      DeviceExpiration: expiration(start.DeviceExpiration, update.DeviceExpiration, request.now),
      DeleteExpiration: update.DeleteExpiration ?? start.DeleteExpiration,
    },
    update,
    start.DeviceDisabled,
  );
  return [withDevice(config, identity, device), { device, generated }];
}

/**
 * The switch: the flag where it is sent; else the policy `disabled` switches off, and its absence
 * does not switch on, so that changing other policies never lets a disabled device back in.
 */
function switched(device: Device, update: DeviceUpdate, before: boolean): Device {
  const disabled = update.DeviceDisabled ??
    (before || update.Policies?.includes("disabled") === true);
  return disabled === before && update.Policies === undefined
    ? { ...device, DeviceDisabled: before }
    : withDisabled(device, disabled);
}

/** True where the policies are those of another device, so that nobody wrote down what goes. */
function isCopied({ copy, update }: UpdateDevice): boolean {
  return copy !== null && !update.Policies?.length;
}

function withCopy(config: Config, { update, copy }: UpdateDevice): DeviceUpdate {
  if (copy === null) return update;
  const source = config.devices[copy];
  if (source === undefined) {
    throw invalid("/copy", sentence("There is no device {copy} to copy from", { copy }));
  }
  return {
    ...update,
    PSKEntry: copiedPsk(update.PSKEntry, source.PSKEntry),
    Groups: update.Groups?.length ? update.Groups : [...source.Groups],
    Policies: update.Policies?.length ? update.Policies : [...source.Policies],
    DeviceTags: update.DeviceTags?.length ? update.DeviceTags : [...source.DeviceTags],
  };
}

/** A password that was left out, left empty or sent masked is that of the source. */
function copiedPsk(
  sent: DeviceUpdate["PSKEntry"],
  source: PskEntry,
): DeviceUpdate["PSKEntry"] {
  if (source.Psk === "" || (sent?.Psk && sent.Psk !== MASK)) return sent;
  return { Type: sent?.Type || source.Type, Psk: source.Psk };
}

/**
 * A password sent without its kind is WPA3; a kind without a password gets one made, which a device
 * that has one keeps unless the password is cleared. A pending device always has one, and each kind
 * that is sent for it without a password asks for a new one.
 */
function pskEntry(
  before: PskEntry,
  sent: DeviceUpdate["PSKEntry"],
  make: { readonly isPending: boolean; readonly generated: string },
): { readonly entry: PskEntry; readonly generated: boolean } {
  const needed = make.isPending;
  if (sent === undefined && !(needed && before.Psk === "")) {
    return { entry: before, generated: false };
  }
  if (sent?.Psk === MASK && before.Psk === "") {
    throw invalid("/PSKEntry/Psk", "Send the password itself; none is stored that ** could mean");
  }
  const type = sent?.Type ?? before.Type;
  const isRenewed = needed && sent?.Psk === undefined && (sent?.Type ?? "") !== "";
  const chosen = sent?.Psk === MASK ? undefined : sent?.Psk;
  const psk = isRenewed ? "" : chosen ?? before.Psk;
  const generated = psk === "" && (needed || (sent?.Type ?? "") !== "");
  const kept = generated ? make.generated : psk;
  const kind = type === "" && kept !== "" && sent?.Type !== "" ? "sae" : type;
  return {
    entry: { Type: kept === "" ? "" : kind || (needed ? "sae" : ""), Psk: kept },
    generated,
  };
}

function checkNames(
  config: Config,
  identity: string,
  update: DeviceUpdate,
  creating: boolean,
): void {
  const kind = kindOf(identity);
  if (creating && kind === "key") requirePeerKey(config, identity, "/identity");
  if (creating && kind === "mac" && update.MAC && update.MAC !== identity) {
    throw invalid("/MAC", `The device is named ${identity}; leave MAC out or send the same`);
  }
  const key = update.WGPubKey;
  if (!key) return;
  if (kind === "key" && key !== identity) {
    throw invalid("/WGPubKey", "A device that goes by its key cannot change it; make a new peer");
  }
  if (key !== config.devices[identity]?.WGPubKey) requirePeerKey(config, key, "/WGPubKey");
  const other = Object.entries(config.devices)
    .find(([name, device]) => name !== identity && device.WGPubKey === key);
  if (other !== undefined) {
    throw conflict(`This key is that of ${titleOf(other[0], other[1])}`, { holder: other[0] });
  }
}

function expiration(before: number, sent: number | undefined, now: number): number {
  if (sent === undefined || sent === 0) return before;
  if (sent < 0) return 0;
  return sent >= UNIX_TIME ? sent : now + sent;
}
