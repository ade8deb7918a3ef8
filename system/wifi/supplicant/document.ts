import type { Document, Reading } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { readList } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
import { WpaFile, WpaInterface } from "./schema.ts";

type Entries = readonly WpaInterface[];

/** The networks that uplinks join (`configs/wifi_uplink/wpa.json`). */
export const wpaDocument: Document<Entries> = {
  path: "wifi_uplink/wpa.json",
  topic: "wpa",
  schema: WpaFile.shape.WPAs,
  fallback: [],
  read,
  write: (WPAs) => ({ WPAs }),
  secret: (path) => path.length === 4 && path[1] === "Networks" && path[3] === "Password",
  keyOf: (element) =>
    isRecord(element) && typeof element.Iface === "string"
      ? element.Iface
      : isRecord(element)
      ? networkKey(element)
      : JSON.stringify(element),
};

/** The name of a network among those of its interface, without its password. */
export function networkKey(network: {
  readonly SSIDHex?: unknown;
  readonly SSID?: unknown;
  readonly BSSID?: unknown;
}): string {
  return JSON.stringify([network.SSIDHex ?? "", network.SSID, network.BSSID ?? ""]);
}

/** Reads the file; an invalid interface, or a second entry of one, is rejected. */
function read(raw: unknown): Reading<Entries> {
  const list = isRecord(raw) ? raw.WPAs ?? [] : null;
  if (!Array.isArray(list)) throw new Problem(400, "The file of Wi-Fi uplinks is {WPAs: [...]}");
  return readList<WpaInterface>(list, {
    schema: WpaInterface,
    at: ["WPAs"],
    fault: ({ Iface }, before) =>
      before.some((one) => one.Iface === Iface)
        ? `${Iface} is listed twice; the first entry is used`
        : null,
  });
}
