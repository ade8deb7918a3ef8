import { z } from "zod";
import { changedMembers, derive } from "../core/config/derived.ts";
import type { Document } from "../core/config/document.ts";
import { onceEach } from "../core/time/once_each.ts";
import { reconcileDevices } from "./reconcile.ts";
import { readDevices } from "./read.ts";
import { Device, type Devices } from "./schema.ts";

const written = onceEach(({ Type, ...device }: Device) =>
  Type === "" ? device : { ...device, Type }
);

let last: { readonly devices: Devices; readonly text: Readonly<Record<string, unknown>> } | null =
  null;

/** As the file has them: what did not change since the last time is the same object again. */
function writeDevices(devices: Devices): Readonly<Record<string, unknown>> {
  const changed = last === null ? null : changedMembers(last.devices, devices);
  const name = (identity: string): [string, unknown] => [identity, written(devices[identity]!)];
  const text = last === null || changed === null
    ? Object.fromEntries(Object.keys(devices).map(name))
    : derive(last.text, Object.fromEntries(changed.map(name)));
  last = { devices, text };
  return text;
}

/** The devices (`configs/devices/devices.json`), passwords in clear. */
export const devicesDocument: Document<Devices> = {
  path: "devices/devices.json",
  topic: "devices",
  schema: z.record(z.string(), Device),
  fallback: {},
  read: readDevices,
  fit: reconcileDevices,
  write: writeDevices,
  secret: (path) => path.length === 3 && path[1] === "PSKEntry" && path[2] === "Psk",
};
