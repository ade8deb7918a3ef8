import type { Config } from "../config.ts";
import { kindOf } from "../devices/identity.ts";
import type { Device } from "../devices/schema.ts";
import type { Interface } from "../network/interfaces/schema.ts";
import { DEFAULT_EXTRA_KEYS } from "./extra_bss_schema.ts";
import type { PlannedBss, PlannedRadio, StationKey } from "./plan_schema.ts";
import { settingsOf } from "./radio/rules.ts";
import type { KEY_MANAGEMENT, RadioSettings } from "./radio/settings_schema.ts";

/**
 * First bytes of the addresses of a radio's networks: locally administered, and so that those of the
 * additional networks have all bits of the first one, as drivers want it.
 */
const FIRST_BYTES = ["02", "06", "0a", "0e", "12", "16", "1a", "1e"] as const;

/** The radios that are on, by the order of the interfaces. */
export function plannedRadios(
  { interfaces, radios }: Pick<Config, "interfaces" | "radios">,
): readonly PlannedRadio[] {
  return interfaces.filter(({ Type, Enabled }) => Type === "AP" && Enabled)
    .map((link) => plannedRadio(link, settingsOf({ radios }, link.Name)));
}

/** A radio with its networks. */
export function plannedRadio(link: Interface, settings: RadioSettings): PlannedRadio {
  const { Name, ExtraBSS } = link;
  const own = link.MACRandomize ? link.RandomMAC : link.MACOverride;
  const extra = ExtraBSS.slice(0, FIRST_BYTES.length - 1);
  const base = own || extra.find(({ Bssid }) => Bssid !== "")?.Bssid || "";
  const main: PlannedBss = {
    name: Name,
    bssid: extra.length > 0 && base !== "" ? withFirstByte(base, 0) : own,
    ssid: settings.ssid,
    ssidHex: settings.ssid_hex,
    wpa: 2,
    keyManagement: keysIn(settings.wpa_key_mgmt),
    isolated: true,
    password: "",
  };
  return {
    name: Name,
    settings,
    networks: [
      main,
      ...extra.map((one, at): PlannedBss => ({
        name: `${Name}.ap${at}`,
        bssid: base === "" ? "" : withFirstByte(own || one.Bssid || base, at + 1),
        ssid: one.Ssid,
        ssidHex: "",
        wpa: Number(one.Wpa),
        keyManagement: one.Wpa === "0" ? [] : keysIn(one.WpaKeyMgmt || DEFAULT_EXTRA_KEYS),
        isolated: !one.DisableIsolation,
        password: one.GuestPassword,
      })),
    ],
  };
}

function withFirstByte(mac: string, at: number): string {
  return `${FIRST_BYTES[at]}${mac.slice(2)}`;
}

function keysIn(list: string): PlannedBss["keyManagement"] {
  return list.split(" ").filter((word) => word !== "") as (typeof KEY_MANAGEMENT)[number][];
}

/** Passwords of all devices that may join, in the order of their identities. */
export function stationKeys(devices: Config["devices"]): readonly StationKey[] {
  return Object.entries(devices).flatMap(([identity, device]) => {
    const { Type, Psk } = device.PSKEntry;
    if (Type === "" || Psk === "" || isOff(device)) return [];
    const isPending = kindOf(identity) === "pending";
    if (!isPending && device.MAC === "") return [];
    const type = Type === "sae" ? "sae" : "wpa2";
    const mac = isPending ? "" : device.MAC;
    // hostapd keeps 32 characters of a name, fewer than a VPN key has.
    return [{ identity: isPending ? identity : mac, mac, type, psk: Psk } as const];
  });
}

/** Whether two versions of a device have the same password, or both none that counts. */
export function joinsAlike(before: Device, after: Device): boolean {
  return before.MAC === after.MAC && isOff(before) === isOff(after) &&
    before.PSKEntry.Type === after.PSKEntry.Type && before.PSKEntry.Psk === after.PSKEntry.Psk;
}

function isOff({ DeviceDisabled, Policies }: Device): boolean {
  return DeviceDisabled || Policies.includes("disabled");
}
