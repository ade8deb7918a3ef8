import type { DeviceObservation } from "../core/engine/change.ts";
import { type Device, type Devices, MASK } from "./schema.ts";
import type { DeviceAnswer } from "./wire.ts";

/** A device as an answer shows it: with what was seen of it, and its password only where asked. */
export function deviceAnswer(
  device: Device,
  seen: DeviceObservation | undefined,
  options: { readonly showPsk: boolean },
): DeviceAnswer {
  const { Type: psk, Psk } = device.PSKEntry;
  return {
    Name: device.Name,
    ...(device.Type === "" ? {} : { Type: device.Type }),
    MAC: device.MAC,
    WGPubKey: device.WGPubKey,
    VLANTag: device.VLANTag,
    RecentIP: device.RecentIP,
    DNSCustom: device.DNSCustom,
    PSKEntry: { Type: psk, Psk: options.showPsk || Psk === "" ? Psk : MASK },
    Policies: device.Policies,
    Groups: device.Groups,
    DeviceTags: device.DeviceTags,
    DHCPFirstTime: timeText(seen?.firstSeen ?? 0),
    DHCPLastTime: timeText(seen?.lastSeen ?? 0),
    DHCPLastInterface: seen?.link ?? "",
    Style: device.Style,
    DeviceExpiration: device.DeviceExpiration,
    DeleteExpiration: device.DeleteExpiration,
    DeviceDisabled: device.DeviceDisabled,
    Online: seen?.online ?? false,
  };
}

/** All devices, passwords masked. */
export function devicesAnswer(
  devices: Devices,
  seen: Readonly<Record<string, DeviceObservation>>,
): Record<string, DeviceAnswer> {
  return Object.fromEntries(
    Object.entries(devices).map(([identity, device]) => [
      identity,
      deviceAnswer(device, seen[identity], { showPsk: false }),
    ]),
  );
}

interface Written {
  readonly seen: DeviceObservation | undefined;
  readonly text: string;
}

// Devices and what was seen of them are immutable: each is written once, and so is the whole list
// until one of them changes.
const written = new WeakMap<Device, Written>();
const lists = new WeakMap<Devices, { readonly seen: unknown; readonly text: string }>();

/** {@link devicesAnswer} as the text of its JSON. */
export function devicesText(
  devices: Devices,
  seen: Readonly<Record<string, DeviceObservation>>,
): string {
  const known = lists.get(devices);
  if (known?.seen === seen) return known.text;
  const members = Object.entries(devices).map(([identity, device]) =>
    `${JSON.stringify(identity)}:${deviceText(device, seen[identity])}`
  );
  const text = `{${members.join(",")}}`;
  lists.set(devices, { seen, text });
  return text;
}

function deviceText(device: Device, seen: DeviceObservation | undefined): string {
  const known = written.get(device);
  if (known !== undefined && known.seen === seen) return known.text;
  const text = JSON.stringify(deviceAnswer(device, seen, { showPsk: false }));
  written.set(device, { seen, text });
  return text;
}

/**
 * A time as existing clients read it, `2026-05-06 07:08:09.123 +0000 UTC` (the text of Go's
 * time.Time); "" for never.
 */
export function timeText(milliseconds: number): string {
  if (milliseconds <= 0) return "";
  return new Date(milliseconds).toISOString().replace("T", " ").replace("Z", " +0000 UTC");
}
