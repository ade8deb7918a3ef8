import type { Device, PatchEntry } from "../../wire.ts";

function device(Name: string, Policies: readonly string[]): Device {
  return {
    Name,
    MAC: "00:00:5e:00:53:01",
    WGPubKey: "",
    VLANTag: "",
    DNSCustom: "",
    Style: { Icon: "", Color: "" },
    RecentIP: "192.168.2.26",
    PSKEntry: { Type: "", Psk: "" },
    Policies,
    Groups: [],
    DeviceTags: [],
    DHCPFirstTime: "",
    DHCPLastTime: "",
    DHCPLastInterface: "lan1",
    DeviceExpiration: 0,
    DeleteExpiration: false,
    DeviceDisabled: Policies.includes("disabled"),
    Online: true,
  };
}

/** Devices whose chips differ. */
export const DEVICES: readonly Device[] = [
  device("wide", ["wan", "dns", "lan", "lan_upstream", "noapi"]),
  device("held", ["wan", "quarantine"]),
  device("new", ["noapi"]),
  device("blocked", ["wan", "disabled"]),
];

/** The quarters of a day, unix milliseconds. */
export const TIMES: readonly number[] = Array.from(
  { length: 96 },
  (_, quarter) => Date.UTC(2026, 2, 1) + quarter * 900_000,
);

/** A value for each of {@link TIMES}: little at night, most in the evening. */
export const RATES: readonly number[] = TIMES.map((_, at) =>
  Math.round(40 + 38 * Math.sin((at - 40) / 16) + (at * 37) % 11)
);

/** A row of the sample of a table. */
export interface Flow {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly link: string;
  readonly bytes: number;
  /** What stands below it. */
  readonly note?: string;
}

/** Names that are as names from a network may be. */
export const FLOWS: readonly Flow[] = [
  { id: "1", from: "Kids’ tablet", to: "video.example", link: "wlan1", bytes: 812 },
  { id: "2", from: "<b>Printer</b>", to: "مخزن.example", link: "lan4", bytes: 3 },
  { id: "3", from: "N".repeat(250), to: "mail.example", link: "lan1", bytes: 41 },
  {
    id: "4",
    from: "Doorbell",
    to: "198.51.100.7",
    link: "wlan0",
    bytes: 120,
    note: "It has sent more in an hour than in the week before.",
  },
];

/** More rows than are drawn at once. */
export const MANY_FLOWS: readonly Flow[] = Array.from({ length: 1000 }, (_, at) => ({
  id: String(at),
  from: `Device ${String(at).padStart(4, "0")}`,
  to: `198.51.100.${at % 250}`,
  link: `lan${at % 5}`,
  bytes: 1000 - at,
}));

/** As nft prints it. */
export const RULESET = `table inet sluice {
  map internet_access {
    type ipv4_addr : verdict
    elements = { 192.168.2.26 : accept, 192.168.2.30 : accept }
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    ct state established,related accept
    ip saddr vmap @internet_access
  }
}
`;

export const PATCH: readonly PatchEntry[] = [
  { document: "devices", path: ["00:00:5e:00:53:01", "Name"], before: "a", after: "b" },
];

export const SYSTEM: readonly string[] = [
  "nft delete element inet filter internet_access { 192.168.2.26 : accept }",
];
