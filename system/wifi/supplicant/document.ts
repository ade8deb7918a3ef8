import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { pointer, Problem } from "../../core/errors/problem.ts";
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
  const rejected: RejectedEntry[] = [];
  const value: WpaInterface[] = [];
  list.forEach((entry: unknown, i) => {
    const parsed = WpaInterface.safeParse(entry);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const at = pointer(["WPAs", i, ...(issue?.path ?? [])]);
      rejected.push({ pointer: at, message: issue?.message ?? "Not an interface", raw: entry });
    } else if (value.some(({ Iface }) => Iface === parsed.data.Iface)) {
      const at = pointer(["WPAs", i, "Iface"]);
      const message = `${parsed.data.Iface} is listed twice; the first entry is used`;
      rejected.push({ pointer: at, message, raw: entry });
    } else value.push(parsed.data);
  });
  return { value, rejected };
}
