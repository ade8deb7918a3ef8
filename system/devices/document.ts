import * as z from "zod";
import { derive, onceEach, perVersion } from "../core/config/memo.ts";
import type { Document } from "../core/config/document.ts";
import { readDevices, readDevicesSteps } from "./read.ts";
import { Device, type Devices } from "./schema.ts";
import { kindOf } from "./identity.ts";

const written = onceEach(({ Type, ...device }: Device) =>
  Type === "" ? device : { ...device, Type }
);

type WrittenDevices = Readonly<Record<string, unknown>>;

/** As the file has them: what did not change since an earlier version is the same object again. */
const writeDevices = perVersion<Devices, WrittenDevices>({
  compute: (devices) => writtenOf(devices, Object.keys(devices)),
  update: (earlier, devices, changed) => derive(earlier, writtenOf(devices, changed)),
  grows: true,
});

function writtenOf(devices: Devices, identities: readonly string[]): WrittenDevices {
  return Object.fromEntries(
    identities.map((identity) => [identity, written(devices[identity]!)]),
  );
}

/** The devices (`configs/devices/devices.json`), passwords in clear. */
export const devicesDocument: Document<Devices> = {
  path: "devices/devices.json",
  topic: "devices",
  schema: z.record(z.string(), Device),
  fallback: {},
  read: readDevices,
  readSteps: readDevicesSteps,
  fit: reconcileDevices,
  write: writeDevices,
  secret: (path) => path.length === 3 && path[1] === "PSKEntry" && path[2] === "Psk",
};

/**
 * Makes devices of different times fit together, as after an undo: an address or a VPN key belongs to
 * one device, and who has it today keeps it. A device that comes back without its address asks for
 * another; one that goes by a key that is another's today stays away.
 */
function reconcileDevices(next: Devices, today: Devices): Devices {
  const back = Object.keys(next).filter((identity) => next[identity] !== today[identity]);
  if (back.length === 0) return next;
  const kept: Record<string, Device> = { ...next };
  const held = {
    RecentIP: new Set(valuesOfToday("RecentIP", next, today)),
    WGPubKey: new Set(valuesOfToday("WGPubKey", next, today)),
  };
  for (const identity of back) {
    const device = kept[identity]!;
    const taken = (field: "RecentIP" | "WGPubKey"): boolean =>
      device[field] !== today[identity]?.[field] && held[field].has(device[field]);
    const address = taken("RecentIP") ? { RecentIP: "" } : {};
    if (!taken("WGPubKey")) kept[identity] = { ...device, ...address };
    else if (kindOf(identity) === "key") delete kept[identity];
    else kept[identity] = { ...device, ...address, WGPubKey: "" };
  }
  return kept;
}

/** Values of a field that devices have today as well, but for the empty one. */
function valuesOfToday(
  field: "RecentIP" | "WGPubKey",
  next: Devices,
  today: Devices,
): readonly string[] {
  return Object.entries(next).flatMap(([identity, { [field]: value }]) =>
    value !== "" && today[identity]?.[field] === value ? [value] : []
  );
}
