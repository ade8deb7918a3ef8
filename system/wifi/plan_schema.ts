import * as z from "zod";
import { InterfaceName, Mac } from "../core/net/grammar.ts";
import { RoamingConfig } from "./roaming/schema.ts";
import { PlannedSupplicant } from "./supplicant/schema.ts";
import { KEY_MANAGEMENT, RadioSettings, SsidHex } from "./radio/settings_schema.ts";

/** The password of a device, or of one that is to come. */
export const StationKey = z.object({
  /** MAC address of the device, or `pending-2`. */
  identity: z.string().max(32),
  /** "" for a pending device. */
  mac: z.union([Mac, z.literal("")]),
  /** `sae`: WPA3, `wpa2`: WPA2. */
  type: z.enum(["sae", "wpa2"]),
  psk: z.string().max(63),
});
export type StationKey = z.output<typeof StationKey>;

/** A network of a radio. */
export const PlannedBss = z.object({
  /** `wlan0`, and `wlan0.ap0` for an additional one. */
  name: InterfaceName,
  /** "" for the address of the hardware. */
  bssid: z.union([Mac, z.literal("")]),
  ssid: z.string().max(32),
  /** In place of `ssid`; "" none. */
  ssidHex: SsidHex,
  /** 0: open, 1: WPA, 2: WPA2 and WPA3. */
  wpa: z.int().min(0).max(2),
  keyManagement: z.array(z.enum(KEY_MANAGEMENT)),
  /** Each station on an interface of its own. */
  isolated: z.boolean(),
  /** One password for all; "" a password per device. */
  password: z.string().max(63),
});
export type PlannedBss = z.output<typeof PlannedBss>;

/** A radio that is to be on the air. */
export const PlannedRadio = z.object({
  name: InterfaceName,
  settings: RadioSettings,
  /** The main network first. */
  networks: z.array(PlannedBss),
});
export type PlannedRadio = z.output<typeof PlannedRadio>;

/** What wifid works from (`GET /plan`). */
export const WifiPlan = z.object({
  tag: z.string(),
  /** False while the api does not know yet: wifid then keeps what runs. */
  decided: z.boolean(),
  radios: z.array(PlannedRadio),
  keys: z.array(StationKey),
  /** Uplinks by Wi-Fi; none from an older api. */
  supplicants: z.array(PlannedSupplicant).default([]),
  roaming: RoamingConfig,
  /**
   * Hardware that the settings of a radio are for, by its name: settings follow radios that change
   * their names at a boot. None from an older api.
   */
  hardware: z.record(InterfaceName, Mac).default({}),
}).meta({ id: "WifiPlan" });
export type WifiPlan = z.output<typeof WifiPlan>;

/** State of a radio, as wifid reports it. */
export const RadioState = z.object({
  name: InterfaceName,
  /**
   * `enabled`, `starting` (hostapd looks for a channel or listens for radar), `failsafe`, `refused`
   * (hostapd takes no configuration of it), `missing` (no such interface), `renamed` (what has this
   * name now had another before, which is in `problem`), `stopped`.
   */
  state: z.enum(["enabled", "starting", "failsafe", "refused", "missing", "renamed", "stopped"]),
  /** 0 not known. */
  channel: z.int(),
  /** MHz; 0 not known. */
  frequency: z.int(),
  /** hostapd's own words; "" none. */
  problem: z.string().max(2000),
  /** Identity of the pending device whose password may be used by WPA3 now; "" none. */
  waiting: z.string().max(64),
}).meta({ id: "RadioState" });
export type RadioState = z.output<typeof RadioState>;

/** Report of the state of all radios (`PUT /radios`). */
export const RadioReport = z.object({
  items: z.array(RadioState).max(64),
  /** Radios that the machine has, also those that are off. */
  present: z.array(InterfaceName).max(64),
}).meta({ id: "RadioReport" });
export type RadioReport = z.output<typeof RadioReport>;
