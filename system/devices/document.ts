import { z } from "zod";
import { derive, onceEach, perVersion } from "../core/config/memo.ts";
import type { Document } from "../core/config/document.ts";
import { reconcileDevices } from "./reconcile.ts";
import { readDevices } from "./read.ts";
import { Device, type Devices } from "./schema.ts";

const written = onceEach(({ Type, ...device }: Device) =>
  Type === "" ? device : { ...device, Type }
);

type WrittenDevices = Readonly<Record<string, unknown>>;

/** As the file has them: what did not change since an earlier version is the same object again. */
const writeDevices = perVersion<Devices, WrittenDevices>({
  compute: (devices) => writtenOf(devices, Object.keys(devices)),
  update: (earlier, devices, changed) => derive(earlier, writtenOf(devices, changed)),
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
  fit: reconcileDevices,
  write: writeDevices,
  secret: (path) => path.length === 3 && path[1] === "PSKEntry" && path[2] === "Psk",
};
