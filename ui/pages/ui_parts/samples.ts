import type { Device, PatchEntry } from "../../wire.ts";

function device(Name: string, Policies: readonly string[]): Device {
  return {
    Name,
    MAC: "00:00:5e:00:53:01",
    WGPubKey: "",
    VLANTag: "",
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

/** The hours of a day. */
export const HOURS: readonly string[] = Array.from(
  { length: 24 },
  (_, hour) => `${String(hour).padStart(2, "0")}:00`,
);

export const PATCH: readonly PatchEntry[] = [
  { document: "devices", path: ["00:00:5e:00:53:01", "Name"], before: "a", after: "b" },
];

export const SYSTEM: readonly string[] = [
  "nft delete element inet filter internet_access { 192.168.2.26 : accept }",
];
