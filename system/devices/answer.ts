import { onceEach, onceEachInSteps } from "../core/config/memo.ts";
import type { DeviceObservation } from "../core/engine/change.ts";
import { kindOf } from "./identity.ts";
import { type Device, type Devices, MASK } from "./schema.ts";
import type { DeviceAnswer } from "./wire.ts";

/**
 * A device as responses show it: with its observations, and its password only on request. A device
 * that has yet to join shows its identity as its MAC address, by which existing clients name it.
 */
export function deviceAnswer(
  identity: string,
  device: Device,
  seen: DeviceObservation | undefined,
  options: { readonly showPsk: boolean },
): DeviceAnswer {
  const { Type: psk, Psk } = device.PSKEntry;
  return {
    Name: device.Name,
    ...(device.Type === "" ? {} : { Type: device.Type }),
    MAC: kindOf(identity) === "pending" ? identity : device.MAC,
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

/** All devices, passwords masked, in small steps. */
export function* devicesAnswerSteps(
  devices: Devices,
  seen: Readonly<Record<string, DeviceObservation>>,
): Generator<void, Record<string, DeviceAnswer>> {
  const answers: [string, DeviceAnswer][] = [];
  for (const [identity, device] of Object.entries(devices)) {
    answers.push([identity, maskedAnswer(identity, device, seen[identity])]);
    yield;
  }
  return Object.fromEntries(answers);
}

/** A device as lists and events show it, its password masked. */
export function maskedAnswer(
  identity: string,
  device: Device,
  seen: DeviceObservation = NEVER_SEEN,
): DeviceAnswer {
  return kindOf(identity) === "pending"
    ? deviceAnswer(identity, device, seen, { showPsk: false })
    : knownAnswer(device)(seen);
}

/** Of devices whose answer does not name their identity. */
const knownAnswer = onceEach((device: Device) =>
  onceEach((seen: DeviceObservation) =>
    deviceAnswer(device.MAC || device.WGPubKey, device, seen, { showPsk: false })
  )
);

/** {@link devicesAnswerSteps} as the text of its JSON. */
export function devicesTextSteps(
  devices: Devices,
  seen: Readonly<Record<string, DeviceObservation>>,
): Generator<void, string> {
  return listText(devices).steps(seen);
}

const listText = onceEach((devices: Devices) =>
  onceEachInSteps(function* (seen: Readonly<Record<string, DeviceObservation>>) {
    const members: string[] = [];
    for (const [identity, device] of Object.entries(devices)) {
      const observed = seen[identity] ?? NEVER_SEEN;
      const text = kindOf(identity) === "pending"
        ? JSON.stringify(maskedAnswer(identity, device, observed))
        : deviceText(device)(observed);
      members.push(`${JSON.stringify(identity)}:${text}`);
      yield;
    }
    return `{${members.join(",")}}`;
  })
);

const NEVER_SEEN: DeviceObservation = { firstSeen: 0, lastSeen: 0, link: "", online: false };

const deviceText = onceEach((device: Device) =>
  onceEach((seen: DeviceObservation) => JSON.stringify(knownAnswer(device)(seen)))
);

/**
 * A time as existing clients read it, `2026-05-06 07:08:09.123 +0000 UTC` (the text of Go's
 * time.Time); "" for never.
 */
function timeText(milliseconds: number): string {
  if (milliseconds <= 0) return "";
  return new Date(milliseconds).toISOString().replace("T", " ").replace("Z", " +0000 UTC");
}
