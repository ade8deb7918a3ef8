import type { Device } from "../../../wire.ts";
import { t } from "../../../text/language.ts";

/** The part of a device that a file can hold. Passwords never leave the router, so none is here. */
export type Part = {
  -readonly [
    K in
      | "Name"
      | "WGPubKey"
      | "VLANTag"
      | "RecentIP"
      | "Policies"
      | "Groups"
      | "DeviceTags"
      | "DeviceExpiration"
      | "DeleteExpiration"
      | "DeviceDisabled"
  ]?: Device[K];
};

/** A column of the file: its heading, how a device is written in it, and how it is read. */
export interface Column {
  readonly heading: string;
  /** Heading of the column in files that were exported before it had this one. */
  readonly earlier?: string;
  readonly write: (device: Device) => string;
  /** Throws RangeError with the sentence for the person. */
  readonly read: (text: string) => Part;
}

const BETWEEN = "; ";

function list(text: string): readonly string[] {
  return [...new Set(text.split(";").map((part) => part.trim()).filter((part) => part !== ""))];
}

function yes(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (["yes", "true", "1"].includes(word)) return true;
  if (["", "no", "false", "0"].includes(word)) return false;
  throw new RangeError(t("Use yes or no, not “{text}”", { text }));
}

function moment(text: string): number {
  if (["", "never"].includes(text.trim().toLowerCase())) return 0;
  const at = Date.parse(text);
  if (Number.isNaN(at)) {
    throw new RangeError(t("“{text}” is not a valid date. Use 2026-12-31T18:00:00Z", { text }));
  }
  return Math.floor(at / 1000);
}

/** Heading of the column that names the device. */
export const IDENTITY = "Identity";

/** Every column beside the one that names the device, in the order of the file. */
export const COLUMNS: readonly Column[] = [
  {
    heading: "Name",
    write: ({ Name }) => Name,
    read: (text) => ({ Name: text }),
  },
  {
    heading: "Policies",
    write: ({ Policies }) => Policies.filter((one) => one !== "disabled").join(BETWEEN),
    read: (text) => ({ Policies: list(text.toLowerCase()) }),
  },
  {
    heading: "Groups",
    write: ({ Groups }) => Groups.join(BETWEEN),
    read: (text) => ({ Groups: list(text.toLowerCase()) }),
  },
  {
    heading: "Tags",
    write: ({ DeviceTags }) => DeviceTags.join(BETWEEN),
    read: (text) => ({ DeviceTags: list(text.toLowerCase()) }),
  },
  {
    heading: "IP address",
    earlier: "Address",
    write: ({ RecentIP }) => RecentIP,
    read: (text) => ({ RecentIP: text.trim() }),
  },
  {
    heading: "VLAN",
    write: ({ VLANTag }) => VLANTag,
    read: (text) => ({ VLANTag: text.trim() }),
  },
  {
    heading: "VPN key",
    write: ({ WGPubKey }) => WGPubKey,
    read: (text) => ({ WGPubKey: text.trim() }),
  },
  {
    heading: "Expires",
    write: ({ DeviceExpiration }) =>
      DeviceExpiration === 0 ? "" : new Date(DeviceExpiration * 1000).toISOString(),
    read: (text) => ({ DeviceExpiration: moment(text) }),
  },
  {
    heading: "Delete on expiry",
    earlier: "Deleted then",
    write: ({ DeleteExpiration }) => DeleteExpiration ? "yes" : "no",
    read: (text) => ({ DeleteExpiration: yes(text) }),
  },
  {
    heading: "Blocked",
    write: (device) => device.DeviceDisabled || device.Policies.includes("disabled") ? "yes" : "no",
    read: (text) => ({ DeviceDisabled: yes(text) }),
  },
];
