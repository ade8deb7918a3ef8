import type { Document, Reading } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { issueMessage, readList, withoutNulls } from "../core/config/read_list.ts";
import { Problem } from "../core/errors/problem.ts";
import { MulticastAddress, MulticastSettings } from "./schema.ts";

/** Groups that are reflected by default: RFC 6762 3; UPnP Device Architecture 2.0, 1.1.2. */
export const DEFAULT_ADDRESSES: readonly MulticastAddress[] = [
  { Address: "224.0.0.251:5353", Disabled: false, Tags: [], Description: "mDNS" },
  { Address: "239.255.255.250:1900", Disabled: false, Tags: [], Description: "SSDP" },
];

const FALLBACK: MulticastSettings = {
  Disabled: false,
  Addresses: [...DEFAULT_ADDRESSES],
  DisableMDNSAdvertise: false,
  MDNSName: "",
};

/** Settings of the multicast reflector (`configs/base/multicast.json`). */
export const multicastDocument: Document<MulticastSettings> = {
  path: "base/multicast.json",
  topic: "multicast",
  schema: MulticastSettings,
  fallback: FALLBACK,
  read: readSettings,
  keyOf: (element) =>
    typeof element === "object" && element !== null && "Address" in element
      ? String(element.Address)
      : JSON.stringify(element),
};

/** Reads the settings; an address that is none, or stands twice, is rejected. */
function readSettings(raw: unknown): Reading<MulticastSettings> {
  if (!isRecord(raw)) {
    throw new Problem(400, "The multicast settings are an object with Addresses");
  }
  const { Addresses, ...rest } = raw;
  const { value, rejected } = readList<MulticastAddress>(
    Array.isArray(Addresses) ? Addresses : [],
    {
      schema: MulticastAddress,
      at: ["Addresses"],
      prepare: withoutNulls,
      fault: ({ Address }, before) =>
        before.some((one) => one.Address === Address) ? "It stands in the list twice" : null,
    },
  );
  const settings = MulticastSettings.safeParse({ ...withoutNulls(rest), Addresses: value });
  if (!settings.success) throw new Problem(400, issueMessage(settings.error));
  return { value: settings.data, rejected };
}
