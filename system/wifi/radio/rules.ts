import type { Config } from "../../config.ts";
import { conflict, invalid, notFound } from "../../core/errors/problem.ts";
import { MASK } from "../../devices/schema.ts";
import { Interface } from "../../network/interfaces/schema.ts";
import { DEFAULT_EXTRA_KEYS, type ExtraBssRequest } from "../extra_bss_schema.ts";
import { centre, channelsOf, type Width } from "./channels.ts";
import { bandOf } from "./modes.ts";
import { isSixGhz, RadioSettings } from "./settings_schema.ts";
import type { RadioUpdate } from "./update_schema.ts";

/** Key management and protected frames outside 6 GHz, and there, where only WPA3 is permitted. */
const RELAXED = { wpa_key_mgmt: "WPA-PSK WPA-PSK-SHA256 SAE", ieee80211w: 1 } as const;
const STRICT = { wpa_key_mgmt: "SAE", ieee80211w: 2 } as const;

/** The settings of a radio that nobody has changed. */
export function defaultSettings(name: string): RadioSettings {
  return RadioSettings.parse({ ssid: `sluice-${name}`.slice(0, 32) });
}

/** The settings of a radio. */
export function settingsOf(config: Pick<Config, "radios">, name: string): RadioSettings {
  return Object.hasOwn(config.radios, name) ? config.radios[name]! : defaultSettings(name);
}

/** The interface of an access point. Throws Problem 404 for one that is none. */
export function accessPointOf(config: Pick<Config, "interfaces">, name: string): Interface {
  const found = config.interfaces.find(({ Name }) => Name === name);
  if (found?.Type !== "AP") throw notFound(`${name} is no access point; enable it first`);
  return found;
}

/** Makes an interface an access point that is on. Throws Problem 409 for one that has another role. */
export function enableRadio(config: Config, name: string): [Config, void] {
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
  const radios = { ...config.radios, [name]: settingsOf(config, name) };
  return [{ ...config, interfaces, radios }, undefined];
}

/** Takes a radio off the air; its settings stay. Throws Problem 404. */
export function disableRadio(config: Config, name: string): [Config, void] {
  const old = accessPointOf(config, name);
  if (!old.Enabled) return [config, undefined];
  return [withInterface(config, old, { ...old, Enabled: false }), undefined];
}

/** Gives a radio its first settings again and turns it on. Throws Problem 404. */
export function resetRadio(config: Config, name: string): [Config, void] {
  accessPointOf(config, name);
  const radios = { ...config.radios, [name]: defaultSettings(name) };
  return enableRadio({ ...config, radios }, name);
}

/**
 * Changes settings of a radio. Its security changes only when it moves to or from 6 GHz; a centre that
 * is not sent follows the channel. Throws Problem 400.
 */
export function updateRadio(
  config: Config,
  name: string,
  update: RadioUpdate,
): [Config, RadioSettings] {
  const old = settingsOf(config, name);
  const next = updated(old, update);
  requireChannel(next, update);
  return [{ ...config, radios: { ...config.radios, [name]: next } }, next];
}

function updated(old: RadioSettings, update: RadioUpdate): RadioSettings {
  const { Ssid, Ssid_hex, AutoSelectChannel, Channel, Op_class, Rsn_pairwise, ...rest } = update;
  const plain = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key.toLowerCase(), value]),
  ) as Partial<RadioSettings>;
  const movesChannel = AutoSelectChannel === true || (Channel ?? 0) > 0 ||
    plain.hw_mode !== undefined;
  const moved: RadioSettings = {
    ...old,
    ...plain,
    ...(Ssid ? { ssid: Ssid, ssid_hex: "" } : {}),
    ...(Ssid_hex ? { ssid_hex: Ssid_hex } : {}),
    ...(Rsn_pairwise ? { rsn_pairwise: Rsn_pairwise } : {}),
    ...(AutoSelectChannel === true ? { channel: 0 } : Channel ? { channel: Channel } : {}),
  };
  const next = {
    ...moved,
    op_class: Op_class ?? keptClass(old, moved),
    ...(movesChannel ? freeCentres(update) : {}),
  };
  if (isSixGhz(next) === isSixGhz(old)) return next;
  return { ...next, ...(isSixGhz(next) ? STRICT : RELAXED) };
}

/** A radio stays at 6 GHz until it is told a channel or mode that 6 GHz does not have. */
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

const WIDTHS: Readonly<Record<number, Width>> = { 1: 80, 2: 160, 9: 320 };

function requireChannel(next: RadioSettings, update: RadioUpdate): void {
  const band = bandOf(next);
  const { channel } = next;
  if (channel !== 0 && !channelsOf(band).includes(channel)) {
    throw invalid("/Channel", `There is no channel ${channel} at ${band} GHz`);
  }
  if (channel === 0 || band === "2.4") return;
  for (const kind of ["Vht", "He", "Eht"] as const) {
    const sent = update[`${kind}_oper_centr_freq_seg0_idx`];
    const code = next[`${kind.toLowerCase() as "vht"}_oper_chwidth`];
    const width = WIDTHS[code] ?? 40;
    if (sent === undefined || sent < 0) continue;
    const fits = [width, 40, 20].some((one) => centre(band, channel, one as Width) === sent);
    if (fits) continue;
    const right = centre(band, channel, width);
    throw invalid(
      `/${kind}_oper_centr_freq_seg0_idx`,
      right === null
        ? `Channel ${channel} cannot be ${width} MHz wide`
        : `The centre of channel ${channel} at ${width} MHz is ${right}`,
    );
  }
}

/**
 * Sets the one additional network of a radio; a masked password stays what it is. Throws Problem 404,
 * 400 for a network without any way to prove a password.
 */
export function setExtraBss(config: Config, name: string, wish: ExtraBssRequest): [Config, void] {
  const old = accessPointOf(config, name);
  const [before] = old.ExtraBSS;
  const keys = wish.Wpa === "0" ? "" : wish.WpaKeyMgmt || DEFAULT_EXTRA_KEYS;
  if (wish.Wpa === "1" && keys.split(" ").includes("SAE")) {
    throw invalid("/WpaKeyMgmt", "WPA3 (SAE) needs Wpa 2");
  }
  if (wish.Wpa === "0" && wish.GuestPassword !== "") {
    throw invalid("/GuestPassword", "An open network has no password; leave it empty or set Wpa 2");
  }
  const GuestPassword = wish.GuestPassword === MASK
    ? before?.GuestPassword ?? ""
    : wish.GuestPassword;
  const next = { ...wish, WpaKeyMgmt: keys, GuestPassword };
  if (JSON.stringify(before) === JSON.stringify(next)) return [config, undefined];
  return [withInterface(config, old, { ...old, ExtraBSS: [next] }), undefined];
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
