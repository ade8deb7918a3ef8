import type { Document, Reading, RejectedEntry } from "../core/config/document.ts";
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
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new Problem(400, "The multicast settings are an object with Addresses");
  }
  const { Addresses, ...rest } = raw as Readonly<Record<string, unknown>>;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  const rejected: RejectedEntry[] = [];
  const addresses: MulticastAddress[] = [];
  (Array.isArray(Addresses) ? Addresses : []).forEach((entry, index) => {
    const parsed = MulticastAddress.safeParse(plain(entry));
    const twice = parsed.success &&
      addresses.some(({ Address }) => Address === parsed.data.Address);
    if (parsed.success && !twice) addresses.push(parsed.data);
    else {
      const message = parsed.success ? "It stands in the list twice" : parsed.error.issues[0]!
        .message;
      rejected.push({ pointer: `/Addresses/${index}`, message, raw: entry });
    }
  });
  const settings = MulticastSettings.safeParse({ ...given, Addresses: addresses });
  if (!settings.success) {
    const [issue] = settings.error.issues;
    throw new Problem(400, `/${issue!.path.join("/")}: ${issue!.message}`);
  }
  return { value: settings.data, rejected };
}

/** Older files write `null` for an empty list. */
function plain(entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}
