import type { Config } from "../../config.ts";
import type { SecretPath } from "../../core/engine/change.ts";
import { conflict, invalid } from "../../core/errors/problem.ts";
import { guestDevice, withDevice, withoutDevices } from "../../devices/device.ts";
import { kindOf } from "../../devices/identity.ts";
import { requirePendingRoom } from "../../devices/pending.ts";
import { type Device, MASK } from "../../devices/schema.ts";
import type { ExtraBss } from "../extra_bss_schema.ts";
import { setExtraBss, settingsOf } from "../radio/rules.ts";
import { isSixGhz } from "../radio/settings_schema.ts";
import { type GuestPassRequest, type GuestRequest, type GuestStatus, NO_GUESTS } from "./schema.ts";

/** What every guest network has, outside 6 GHz and there. */
const KEYS = "WPA-PSK WPA-PSK-SHA256 SAE", SIX_GHZ_KEYS = "SAE";
/**
 * With a password per guest: phones that see WPA3 use nothing else, and hostapd 2.10 tries one password
 * alone of those that wait.
 */
const PASS_KEYS = "WPA-PSK WPA-PSK-SHA256";

/** The additional network of a radio. */
function networkOf({ interfaces }: Pick<Config, "interfaces">, name: string): ExtraBss | undefined {
  return interfaces.find((one) => one.Name === name && one.Type === "AP")?.ExtraBSS[0];
}

/** Radios that have the guest network now; one whose additional network was deleted has it no more. */
function guestRadios(config: Pick<Config, "interfaces" | "guests">): readonly string[] {
  return config.guests.Radios.filter((name) => networkOf(config, name) !== undefined);
}

/** Radios that are on and have room for the guest network. */
function freeRadios(config: Pick<Config, "interfaces" | "guests">): readonly string[] {
  const own = guestRadios(config);
  return config.interfaces.filter(({ Name, Type, Enabled, ExtraBSS }) =>
    Type === "AP" && Enabled && !own.includes(Name) && ExtraBSS.length === 0
  ).map(({ Name }) => Name);
}

/** Radios that are to have the guest network. Throws Problem 400 and 409. */
export function chosenRadios(config: Config, wish: GuestRequest): readonly string[] {
  const own = guestRadios(config);
  const possible = [...own, ...freeRadios(config)];
  for (const name of wish.Radios) {
    if (possible.includes(name)) continue;
    const other = networkOf(config, name);
    throw invalid(
      "/Radios",
      other === undefined
        ? `${name} is no access point that is on`
        : `${name} has the additional network ${other.Ssid} already; delete that first`,
    );
  }
  const chosen = wish.Radios.length > 0 ? wish.Radios : possible;
  if (chosen.length > 0) return [...new Set(chosen)];
  throw conflict("No radio can have a guest network: turn on an access point first");
}

/** Options of {@link setGuests}. */
export interface GuestOptions {
  /** A password, in case one is needed. */
  readonly generated: string;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * Puts the guest network on radios, or changes it, in one act: name, passwords and end. Answers the
 * password in clear where it is new. Throws Problem 400 and 409.
 */
export function setGuests(
  config: Config,
  wish: GuestRequest,
  { generated, now }: GuestOptions,
): [Config, { readonly Password: string }] {
  if (wish.Until !== 0 && wish.Until <= now) {
    throw invalid("/Until", "This time is over; use a later one, or 0 for no end");
  }
  const chosen = chosenRadios(config, wish);
  const before = guestRadios(config);
  const standing = before.map((name) => networkOf(config, name)!.GuestPassword)
    .find((text) => text !== "") ?? "";
  const isKept = wish.Password === MASK && standing !== "";
  const isDrawn = wish.Password === MASK || wish.Password === "";
  const shared = isKept ? standing : isDrawn ? generated : wish.Password;
  const isShared = wish.Passwords === "shared";
  const GuestPassword = isShared ? shared : "";
  const keys = isShared ? KEYS : PASS_KEYS;
  const withNetworks = chosen.reduce((next, name) =>
    setExtraBss(next, name, {
      Ssid: wish.Name,
      Bssid: networkOf(next, name)?.Bssid ?? "",
      Wpa: "2",
      WpaKeyMgmt: isSixGhz(settingsOf(next, name)) ? SIX_GHZ_KEYS : keys,
      DisableIsolation: false,
      GuestPassword,
    })[0], withoutNetworks(config, before.filter((name) => !chosen.includes(name))));
  const guests = { Radios: [...chosen], Until: wish.Until };
  const same = JSON.stringify(guests) === JSON.stringify(config.guests);
  const next = same ? withNetworks : { ...withNetworks, guests };
  // Not compared with the one that stands: the answer would tell that a guess is right.
  return [next, { Password: isKept ? "" : GuestPassword }];
}

/** Where a password is that a request says in clear. */
export function guestSecrets(config: Config, wish: GuestRequest): readonly SecretPath[] {
  if (wish.Password === "" || wish.Password === MASK) return [];
  return chosenRadios(config, wish).map((name) => ({
    document: "interfaces" as const,
    path: [name, "ExtraBSS", wish.Name, "GuestPassword"],
  }));
}

function withoutNetworks(config: Config, names: readonly string[]): Config {
  if (names.length === 0) return config;
  return {
    ...config,
    interfaces: config.interfaces.map((one) =>
      names.includes(one.Name) && one.Type === "AP" ? { ...one, ExtraBSS: [] } : one
    ),
  };
}

/**
 * Ends the guest network, in one act: its networks go off the air, and passwords of single guests are
 * none any more. The same configuration where there is none.
 */
export function endGuests(config: Config): [Config, void] {
  const names = guestRadios(config);
  if (names.length === 0 && config.guests.Radios.length === 0) return [config, undefined];
  const passes = Object.entries(config.devices).filter(([, device]) => hasPass(device));
  const waiting = new Set(
    passes.map(([name]) => name).filter((name) => kindOf(name) === "pending"),
  );
  const joined = passes.filter(([name]) => !waiting.has(name)).map(([name, device]) =>
    [name, { ...device, PSKEntry: { Type: "", Psk: "" } } satisfies Device] as const
  );
  const devices = passes.length === 0
    ? config.devices
    : withoutDevices({ ...config.devices, ...Object.fromEntries(joined) }, waiting);
  return [{ ...withoutNetworks(config, names), devices, guests: NO_GUESTS }, undefined];
}

/** A guest with a password of its own. */
function hasPass(device: Device): boolean {
  return isGuest(device) && device.PSKEntry.Psk !== "";
}

function isGuest({ DeviceTags, Policies }: Device): boolean {
  return DeviceTags.includes("guest") && Policies.includes("guestonly");
}

/** The first name that no password waits under. */
export function freePending(devices: Config["devices"]): string {
  let number = 1;
  const named = (): string => number === 1 ? "pending" : `pending-${number}`;
  while (Object.hasOwn(devices, named())) number++;
  return named();
}

/** Options of {@link makePass}. */
export interface PassOptions extends GuestOptions {
  readonly identity: string;
}

/**
 * Makes a password for one guest, which waits until the guest joins and ends with the guest's time.
 * Throws Problem 400, and 409 where guests have no passwords of their own.
 */
export function makePass(
  config: Config,
  { Name, Until }: GuestPassRequest,
  { identity, generated, now }: PassOptions,
): [Config, { readonly Until: number }] {
  const [radio] = guestRadios(config);
  if (radio === undefined) throw conflict("There is no guest network; turn it on first");
  if (networkOf(config, radio)!.GuestPassword !== "") {
    throw conflict("All guests share one password; let each have its own first");
  }
  if (Until !== 0 && Until <= now) {
    throw invalid("/Until", "This time is over; use a later one, or 0 for no end");
  }
  requirePendingRoom(config.devices);
  const end = config.guests.Until;
  const until = end === 0 ? Until : Until === 0 ? end : Math.min(Until, end);
  const device: Device = {
    ...guestDevice(identity, Name),
    PSKEntry: { Type: "wpa2", Psk: generated },
    DeviceExpiration: until,
    DeleteExpiration: until !== 0,
  };
  return [withDevice(config, identity, device), { Until: until }];
}

/** What `GET /wifi/guests` answers. */
export function guestStatus(config: Config): GuestStatus {
  const Radios = [...guestRadios(config)];
  const network = Radios.length === 0 ? undefined : networkOf(config, Radios[0]!);
  const isShared = (network?.GuestPassword ?? "") !== "";
  return {
    Enabled: network !== undefined,
    Name: network?.Ssid ?? "",
    Passwords: network === undefined || isShared ? "shared" : "guest",
    Password: isShared ? MASK : "",
    Until: network === undefined ? 0 : config.guests.Until,
    Radios,
    Networks: Radios.map((name) => `${name}.ap0`),
    Free: [...freeRadios(config)],
    Guests: Object.entries(config.devices).filter(([, device]) => isGuest(device))
      .map(([Identity, { Name, DeviceExpiration }]) => ({
        Identity,
        Name,
        Until: DeviceExpiration,
        Waiting: kindOf(Identity) === "pending",
      })),
  };
}
