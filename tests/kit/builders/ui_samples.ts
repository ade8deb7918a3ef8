import type { Device, Group } from "../../../ui/wire.ts";

/** A device as the API answers it, but for what is named. */
export function uiDevice(part: Partial<Device> = {}): Device {
  return {
    Name: "",
    MAC: "",
    WGPubKey: "",
    VLANTag: "",
    DNSCustom: "",
    RecentIP: "",
    PSKEntry: { Type: "", Psk: "" },
    Policies: [],
    Groups: [],
    DeviceTags: [],
    DHCPFirstTime: "",
    DHCPLastTime: "",
    DHCPLastInterface: "",
    Style: { Icon: "", Color: "" },
    DeviceExpiration: 0,
    DeleteExpiration: false,
    DeviceDisabled: false,
    Online: false,
    ...part,
  };
}

type Sample = readonly [
  name: string,
  address: string,
  link: string,
  online: boolean,
  policies: string,
  groups: string,
];

const SAMPLES: readonly Sample[] = [
  ["ESP-8C4F21", "192.168.2.182", "lan3", true, "noapi", ""],
  ["Kids’ tablet", "192.168.2.26", "wlan1", true, "wan dns dns:family noapi", "kids"],
  ["Ida’s phone", "192.168.2.30", "wlan1", true, "wan dns noapi", "kids family"],
  ["Game console", "192.168.2.42", "wlan1", true, "wan dns noapi", "kids media"],
  ["Mira’s laptop", "192.168.2.6", "lan1", true, "wan dns lan", "family"],
  ["Home server", "192.168.2.10", "lan2", true, "wan dns lan lan_upstream noapi", "lab"],
  ["Laser printer", "192.168.2.106", "lan4", true, "dns noapi", "family"],
  ["Living room TV", "192.168.2.38", "wlan1", false, "wan dns noapi", "media"],
  ["Garden camera", "192.168.2.94", "wlan0", true, "dns noapi", "cameras"],
  ["Doorbell", "192.168.2.102", "wlan0", true, "dns noapi", "cameras"],
  ["Robot mower", "192.168.2.114", "wlan0", true, "quarantine dns noapi", "automation"],
  ["Heat pump", "192.168.2.66", "wlan0", true, "wan dns noapi", "automation"],
  ["Bathroom scale", "192.168.2.154", "wlan0", false, "wan dns noapi", "automation"],
  ["Old tablet", "192.168.2.198", "wlan0", false, "wan dns noapi disabled", "kids"],
  ["Guest: Anders", "192.168.2.170", "wlan1", true, "wan dns noapi", "guests"],
  ["E-reader", "192.168.2.162", "wlan1", false, "wan dns noapi", "family"],
];

/** Identity of the sample of this position, as {@link sampleHome} numbers them. */
export function sampleId(position: number): string {
  return `00:00:5e:00:53:${(position + 16).toString(16)}`;
}

/** A small home with a waiting, a blocked and a quarantined device; ages count from `now`. */
export function sampleHome(now: number): Record<string, Device> {
  return Object.fromEntries(
    SAMPLES.map(([name, address, link, online, policies, groups], position) => {
      const ago = online ? 60_000 : (position * 3 + 1) * 3_600_000;
      const list = policies.split(" ");
      return [
        sampleId(position),
        uiDevice({
          Name: name,
          MAC: sampleId(position),
          RecentIP: address,
          DHCPLastInterface: link,
          Online: online,
          Policies: list,
          Groups: groups === "" ? [] : groups.split(" "),
          DeviceTags: name === "Kids’ tablet" ? ["school"] : [],
          PSKEntry: link.startsWith("wlan") ? { Type: "sae", Psk: "**" } : { Type: "", Psk: "" },
          DHCPFirstTime: "2025-09-12T17:20:11.000Z",
          DHCPLastTime: new Date(now - ago).toISOString(),
          DeviceDisabled: list.includes("disabled"),
        }),
      ];
    }),
  );
}

export const sampleGroups: readonly Group[] = [
  "automation",
  "cameras",
  "family",
  "guests",
  "kids",
  "lab",
  "media",
].map((Name) => ({ Name, Disabled: Name === "guests", GroupTags: [] }));
