import { isRecord } from "../core/config/json.ts";
import type { Device, Devices } from "../devices/schema.ts";

/** Characters of a rendered text. */
const MAX_TEXT = 2000;

/**
 * Fills in a template: `{{path.to.field}}` of the event, `{{path#Tag}}` for what is known of the device
 * that the field names by its address. What is not there is left out, as are names with two underscores.
 */
export function rendered(template: string, event: unknown, devices: Devices): string {
  const text = template.replaceAll(/\{\{\s*([^{}]{1,200}?)\s*\}\}/g, (_, inner: string) => {
    const [path = "", tag] = inner.split("#");
    const value = at(event, path.split("."));
    return tag === undefined ? shown(value) : tagged(shown(value), tag, devices);
  });
  // One line of text: it becomes a header of a mail as well.
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim().slice(0, MAX_TEXT);
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (name.includes("__") || typeof found !== "object" || found === null) return undefined;
    if (!Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}

function shown(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  return isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** A fact of the device of an address; the address itself where there is none. */
function tagged(address: string, tag: string, devices: Devices): string {
  const wanted = address.toLowerCase();
  const device = Object.entries(devices).find(([identity, { MAC, RecentIP, Name }]) =>
    identity.toLowerCase() === wanted || MAC.toLowerCase() === wanted || RecentIP === wanted ||
    Name.toLowerCase() === wanted
  )?.[1];
  const fact = device && factOf(device, tag);
  return fact === undefined || fact === "" ? address : fact;
}

function factOf(device: Device, tag: string): string | undefined {
  switch (tag) {
    case "Device":
    case "DeviceName":
      return device.Name;
    case "DeviceIcon":
      return device.Style.Icon;
    case "DeviceIP":
      return device.RecentIP;
    case "DeviceMAC":
      return device.MAC;
    case "Disabled":
      return String(device.DeviceDisabled);
    default:
      return undefined;
  }
}
