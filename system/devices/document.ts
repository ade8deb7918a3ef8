import { z } from "zod";
import type { Document } from "../core/document.ts";
import { onceEach } from "../core/once_each.ts";
import { fitDevices } from "./fit.ts";
import { readDevices } from "./read.ts";
import { Device, type Devices } from "./schema.ts";

const written = onceEach(({ Type, ...device }: Device) =>
  Type === "" ? device : { ...device, Type }
);

/** The devices (`configs/devices/devices.json`), passwords in clear. */
export const devicesDocument: Document<Devices> = {
  path: "devices/devices.json",
  topic: "devices",
  schema: z.record(z.string(), Device),
  fallback: {},
  read: readDevices,
  fit: fitDevices,
  write: (devices) =>
    Object.fromEntries(
      Object.entries(devices).map(([identity, device]) => [identity, written(device)]),
    ),
  secret: (path) => path.length === 3 && path[1] === "PSKEntry" && path[2] === "Psk",
};
