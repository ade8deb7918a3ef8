import type { Config } from "../../config.ts";
import type { SecretPath } from "../../core/engine/change.ts";
import { conflict, invalid, notFound, sentence } from "../../core/errors/problem.ts";
import { MASK } from "../../devices/schema.ts";
import { Interface } from "../../network/interfaces/schema.ts";
import { DEFAULT_EXTRA_KEYS, type ExtraBss, type ExtraBssRequest } from "../extra_bss_schema.ts";
import { centre, channelsOf, widthsOf } from "./channels.ts";
import { defaultSettings } from "./first_settings.ts";
import { bandOf } from "./modes.ts";
import { isSixGhz, type RadioSettings } from "./settings_schema.ts";
import type { RadioUpdate } from "./update_schema.ts";

/** Key management and protected frames outside 6 GHz, and there, where only WPA3 is permitted. */
const RELAXED = { wpa_key_mgmt: "WPA-PSK WPA-PSK-SHA256 SAE", ieee80211w: 1 } as const;
const STRICT = { wpa_key_mgmt: "SAE", ieee80211w: 2 } as const;

/** The settings of a radio. */
export function settingsOf(config: Pick<Config, "radios">, name: string): RadioSettings {
  return Object.hasOwn(config.radios, name) ? config.radios[name]! : defaultSettings(name);
}

/** The interface of an access point. Throws Problem 404 for one that is none. */
export function accessPointOf(config: Pick<Config, "interfaces">, name: string): Interface {
  const found = config.interfaces.find(({ Name }) => Name === name);
  if (found?.Type !== "AP") {
    throw notFound(sentence("{name} is no access point; enable it first", { name }));
  }
  return found;
}

/**
 * Makes an interface an access point that is on; `first`: its settings where it has none. Throws Problem
 * 409 for one that has another role.
 */
export function enableRadio(config: Config, name: string, first: RadioSettings): [Config, void] {
  const old = config.interfaces.find(({ Name }) => Name === name);
  if (old !== undefined && old.Enabled && (old.Type === "Uplink" || old.Type === "Downlink")) {
    const role = old.Type === "Uplink" ? "an uplink" : "a LAN interface";
    throw conflict(`${name} is ${role}; change its role first`);
  }
  const next = {
    ...(old ?? Interface.parse({ Name: name, Type: "AP" })),
    Type: "AP",
    Enabled: true,
  } as const;
  const interfaces = old
    ? config.interfaces.map((one) => one === old ? { ...next, Subtype: "" } : one)
    : [...config.interfaces, next];
  const settings = Object.hasOwn(config.radios, name) ? config.radios[name]! : first;
  const radios = { ...config.radios, [name]: settings };
  return [{ ...config, interfaces, radios }, undefined];
}

/** Takes a radio off the air; its settings stay. Throws Problem 404. */
export function disableRadio(config: Config, name: string): [Config, void] {
  const old = accessPointOf(config, name);
  if (!old.Enabled) return [config, undefined];
  return [withInterface(config, old, { ...old, Enabled: false }), undefined];
}

/** Gives a radio its first settings again and turns it on. Throws Problem 404. */
export function resetRadio(config: Config, name: string, first: RadioSettings): [Config, void] {
  accessPointOf(config, name);
  return enableRadio({ ...config, radios: { ...config.radios, [name]: first } }, name, first);
}

/**
 * Changes settings of a radio. Its security changes only when it moves to or from 6 GHz, or multi-link
 * operation is turned on or off; a centre that is not sent follows the channel. Throws Problem 400.
 */
export function updateRadio(
  config: Config,
  name: string,
  update: RadioUpdate,
): [Config, RadioSettings] {
  const old = settingsOf(config, name);
  const next = updated(old, update);
  requireChannel(next, update);
  const link = config.interfaces.find(({ Name }) => Name === name);
  if (isSixGhz(next)) { for (const extra of link?.ExtraBSS ?? []) requireSixGhzSecurity(extra); }
  return [{ ...config, radios: { ...config.radios, [name]: next } }, next];
}

function updated(old: RadioSettings, update: RadioUpdate): RadioSettings {
  const { Ssid, Ssid_hex, AutoSelectChannel, Channel, Op_class, ...rest } = update;
  const plain = Object.fromEntries(
    Object.entries(rest)
      .filter(([key, value]) =>
        value !== undefined && !isLeft(key, value) && !leavesLink(key, rest)
      )
      .map(([key, value]) => [key.toLowerCase(), value]),
  ) as Partial<RadioSettings>;
  const movesChannel = AutoSelectChannel === true || (Channel ?? 0) > 0 ||
    plain.hw_mode !== undefined;
  const moved: RadioSettings = {
    ...old,
    ...plain,
    ...(Ssid ? { ssid: Ssid, ssid_hex: "" } : {}),
    ...(Ssid_hex ? { ssid_hex: Ssid_hex } : {}),
    ...(AutoSelectChannel === true ? { channel: 0 } : Channel ? { channel: Channel } : {}),
  };
  const next = {
    ...moved,
    op_class: Op_class ?? keptClass(old, moved),
    ...(movesChannel ? freeCentres(update) : {}),
  };
  return { ...next, ...newSecurity(old, next) };
}

/** Texts that leave their setting when they are empty. */
function isLeft(key: string, value: unknown): boolean {
  return value === "" && ["Country_code", "Hw_mode", "Rsn_pairwise"].includes(key);
}

/** Clients that send all of their form have no channel for a second link that they do not know. */
function leavesLink(key: string, { Mlo_channel }: Pick<RadioUpdate, "Mlo_channel">): boolean {
  return Mlo_channel === 0 && key.startsWith("Mlo_");
}

/** Multi-link operation needs protected frames, as 6 GHz does. */
function newSecurity(old: RadioSettings, next: RadioSettings): Partial<RadioSettings> {
  const isMoved = isSixGhz(next) !== isSixGhz(old);
  if (!isMoved && next.mld_ap === old.mld_ap) return {};
  const security = isSixGhz(next) ? STRICT : RELAXED;
  return {
    ...(isMoved ? { wpa_key_mgmt: security.wpa_key_mgmt } : {}),
    ieee80211w: next.mld_ap === 1 ? STRICT.ieee80211w : security.ieee80211w,
  };
}

/** A radio stays at 6 GHz until it gets a channel or mode that 6 GHz does not have. */
function keptClass(old: RadioSettings, next: RadioSettings): number {
  if (next.hw_mode !== "a") return 0;
  if (!isSixGhz(old)) return next.channel === old.channel ? old.op_class : 0;
  return next.channel === 0 || channelsOf("6").includes(next.channel) ? old.op_class : 0;
}

/** Centres that are not sent with a new channel are those that fit it. */
function freeCentres(update: RadioUpdate): Partial<RadioSettings> {
  return {
    vht_oper_centr_freq_seg0_idx: update.Vht_oper_centr_freq_seg0_idx ?? -1,
    he_oper_centr_freq_seg0_idx: update.He_oper_centr_freq_seg0_idx ?? -1,
    eht_oper_centr_freq_seg0_idx: update.Eht_oper_centr_freq_seg0_idx ?? -1,
  };
}

function requireChannel(next: RadioSettings, update: RadioUpdate): void {
  const band = bandOf(next);
  const { channel } = next;
  if (channel !== 0 && !channelsOf(band).includes(channel)) {
    throw invalid(
      "/Channel",
      sentence("There is no channel {channel} at {band} GHz", { channel, band }),
    );
  }
  if (channel === 0 || band === "2.4") return;
  const widths = widthsOf(band, channel);
  for (const kind of ["Vht", "He", "Eht"] as const) {
    const field = `${kind}_oper_centr_freq_seg0_idx` as const;
    const sent = update[field];
    if (sent === undefined || sent < 0) continue;
    const centres = widths.map((width) => [width, centre(band, channel, width)] as const);
    if (centres.some(([, middle]) => middle === sent)) continue;
    const right = centres.map(([width, middle]) => `${middle} (${width} MHz)`).join(", ");
    throw invalid(`/${field}`, `Channel ${channel} at ${band} GHz has the centres ${right}`);
  }
}

/**
 * Sets the one additional network of a radio; a masked password stays what it is. Throws Problem 404,
 * 400 for a network without any way to prove a password.
 */
export function setExtraBss(config: Config, name: string, wish: ExtraBssRequest): [Config, void] {
  const old = accessPointOf(config, name);
  const [before] = old.ExtraBSS;
  const isSix = isSixGhz(settingsOf(config, name));
  const usual = isSix ? STRICT.wpa_key_mgmt : DEFAULT_EXTRA_KEYS;
  const keys = wish.Wpa === "0" ? "" : wish.WpaKeyMgmt || usual;
  if (wish.Wpa === "1" && keys.split(" ").includes("SAE")) {
    throw invalid("/WpaKeyMgmt", "WPA3 (SAE) needs Wpa 2");
  }
  if (wish.Wpa === "1" && !keys.split(" ").includes("WPA-PSK")) {
    throw invalid("/WpaKeyMgmt", "Devices with WPA alone know WPA-PSK only; add it, or set Wpa 2");
  }
  if (wish.Wpa === "0" && wish.GuestPassword !== "") {
    throw invalid("/GuestPassword", "An open network has no password; leave it empty or set Wpa 2");
  }
  const GuestPassword = wish.GuestPassword === MASK
    ? before?.GuestPassword ?? ""
    : wish.GuestPassword;
  const next = { ...wish, WpaKeyMgmt: keys, GuestPassword };
  if (isSix) requireSixGhzSecurity(next);
  if (JSON.stringify(before) === JSON.stringify(next)) return [config, undefined];
  return [withInterface(config, old, { ...old, ExtraBSS: [next] }), undefined];
}

/** Where the password of an additional network is that a request says in clear. */
export function extraBssSecrets(
  name: string,
  { Ssid, GuestPassword }: ExtraBssRequest,
): readonly SecretPath[] {
  return GuestPassword === "" || GuestPassword === MASK
    ? []
    : [{ document: "interfaces", path: [name, "ExtraBSS", Ssid, "GuestPassword"] }];
}

/** Throws Problem 400 for a network that 6 GHz does not permit (802.11ax-2021 12.12.2). */
function requireSixGhzSecurity({ Ssid, Wpa, WpaKeyMgmt }: ExtraBss): void {
  if (Wpa === "2" && WpaKeyMgmt === STRICT.wpa_key_mgmt) return;
  throw invalid(
    "/WpaKeyMgmt",
    sentence(
      "At 6 GHz only WPA3 is possible, also in the additional network {ssid}: set Wpa 2 and WpaKeyMgmt SAE",
      { ssid: Ssid },
    ),
  );
}

/** Removes the additional network of a radio. Throws Problem 404. */
export function removeExtraBss(config: Config, name: string): [Config, void] {
  const old = accessPointOf(config, name);
  if (old.ExtraBSS.length === 0) return [config, undefined];
  return [withInterface(config, old, { ...old, ExtraBSS: [] }), undefined];
}

function withInterface(config: Config, old: Interface, next: Interface): Config {
  return { ...config, interfaces: config.interfaces.map((one) => one === old ? next : one) };
}
