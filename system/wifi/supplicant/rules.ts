import type { Config } from "../../config.ts";
import type { SecretPath } from "../../core/engine/change.ts";
import { invalid, notFound, sentence } from "../../core/errors/problem.ts";
import { MASK } from "../../devices/schema.ts";
import { refuseOwnInterface } from "../../network/interfaces/link_rules.ts";
import { Interface, WIFI_UPLINK } from "../../network/interfaces/schema.ts";
import { networkKey } from "./document.ts";
import { WpaInterface, type WpaNetwork } from "./schema.ts";

/** Bytes of a passphrase of WPA2 (IEEE 802.11-2020 J.4.1). */
const MIN_PASSPHRASE = 8, MAX_PASSPHRASE = 63;

/** Why a password does not fit its network; null where it does. */
export function passwordProblem({ Password, KeyMgmt }: WpaNetwork): string | null {
  const keys = KeyMgmt.split(" ");
  if (keys.includes("NONE")) {
    return Password === "" ? null : "An open network has no password: leave it empty";
  }
  if (Password === "") return "Use the password of the network, or NONE for an open one";
  if (keys.every((key) => key === "SAE") || isRawKey(Password)) return null;
  const { length } = new TextEncoder().encode(Password);
  if (length >= MIN_PASSPHRASE && length <= MAX_PASSPHRASE) return null;
  return `WPA2 passwords have ${MIN_PASSPHRASE} to ${MAX_PASSPHRASE} characters, or 64 hexadecimal digits`;
}

/** A key in place of a passphrase. */
export function isRawKey(password: string): boolean {
  return /^[0-9a-fA-F]{64}$/.test(password);
}

/**
 * Sets the networks of an interface, which becomes an uplink by Wi-Fi. A masked password stays what it
 * is. Throws Problem 400 for an interface that is an access point or has LAN devices, and for a
 * password that does not fit.
 */
export function setWpa(config: Config, wish: WpaInterface): [Config, void] {
  const { Iface } = wish;
  refuseOwnInterface(config, Iface, "/Iface");
  const link = config.interfaces.find(({ Name }) => Name === Iface);
  if (link?.Enabled && link.Type === "AP") {
    throw invalid(
      "/Iface",
      sentence("{iface} is an access point; turn it off first", { iface: Iface }),
    );
  }
  if (link?.Enabled && link.Type === "Downlink") {
    throw invalid(
      "/Iface",
      sentence("Devices are on the LAN interface {iface}; disable it as a downlink first", {
        iface: Iface,
      }),
    );
  }
  if (config.ppp.some((one) => one.Iface === Iface && one.Enabled)) {
    throw invalid(
      "/Iface",
      sentence("{iface} has a PPPoE account; delete that first", { iface: Iface }),
    );
  }
  const old = config.wpa.find((one) => one.Iface === Iface);
  const Networks = wish.Networks.map((one, at) => {
    const known = one.Password === MASK ? old?.Networks.find((two) => isSame(one, two)) : undefined;
    if (one.Password === MASK && known === undefined) {
      throw invalid(`/Networks/${at}/Password`, "Use the password: this network is new");
    }
    return known === undefined ? one : { ...one, Password: known.Password };
  });
  requireNetworks(Networks);
  const next: WpaInterface = {
    Iface,
    Enabled: wish.Enabled,
    Networks,
    ...linksOf(wish, old),
    ...portalOf(wish, old),
  };
  const wpa = same(old, next)
    ? config.wpa
    : old
    ? config.wpa.map((one) => one === old ? next : one)
    : [...config.wpa, next];
  const interfaces = withLink(config.interfaces, link, next);
  return [
    wpa === config.wpa && interfaces === config.interfaces
      ? config
      : { ...config, wpa, interfaces },
    undefined,
  ];
}

/** Where the passwords are that a wish says in clear. */
export function wpaSecrets({ Iface, Networks }: WpaInterface): readonly SecretPath[] {
  return Networks.filter(({ Password }) => Password !== "" && Password !== MASK)
    .map((one) => ({ document: "wpa", path: [Iface, "Networks", networkKey(one), "Password"] }));
}

function isSame(a: WpaNetwork, b: WpaNetwork): boolean {
  return a.SSID === b.SSID && (a.SSIDHex ?? "") === (b.SSIDHex ?? "") &&
    (a.BSSID ?? "") === (b.BSSID ?? "");
}

function requireNetworks(networks: readonly WpaNetwork[]): void {
  networks.forEach((one, at) => {
    if (one.SSID === "" && (one.SSIDHex ?? "") === "") {
      throw invalid(`/Networks/${at}/SSID`, "Use the name of the network");
    }
    const problem = passwordProblem(one);
    if (problem !== null) throw invalid(`/Networks/${at}/Password`, problem);
    if (networks.findIndex((two) => isSame(one, two)) !== at) {
      throw invalid(`/Networks/${at}/SSID`, sentence("{ssid} is listed twice", { ssid: one.SSID }));
    }
  });
}

/** Names that existing clients send: both or neither, and blank ones stay what they are. */
function linksOf(
  wish: WpaInterface,
  old: WpaInterface | undefined,
): Pick<WpaInterface, "ScanIface" | "MonitorIface"> {
  const ScanIface = wish.ScanIface || old?.ScanIface || "";
  const MonitorIface = wish.MonitorIface || old?.MonitorIface || "";
  if ((ScanIface === "") !== (MonitorIface === "")) {
    throw invalid("/ScanIface", "Use both ScanIface and MonitorIface, or neither");
  }
  if (ScanIface === "") return {};
  if (new Set([wish.Iface, ScanIface, MonitorIface]).size < 3) {
    throw invalid("/ScanIface", "Iface, ScanIface and MonitorIface are three interfaces");
  }
  return { ScanIface, MonitorIface };
}

function portalOf(
  { PortalCheckURL: sent }: WpaInterface,
  old: WpaInterface | undefined,
): Pick<WpaInterface, "PortalCheckURL"> {
  const PortalCheckURL = sent ?? old?.PortalCheckURL;
  return PortalCheckURL === undefined ? {} : { PortalCheckURL };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function withLink(
  interfaces: Config["interfaces"],
  old: Interface | undefined,
  { Iface, Enabled }: WpaInterface,
): Config["interfaces"] {
  const base = old ?? Interface.parse({ Name: Iface, Type: "Uplink" });
  const next: Interface = { ...base, Type: "Uplink", Subtype: WIFI_UPLINK, Enabled };
  if (old && same(old, next)) return interfaces;
  return old ? interfaces.map((one) => one === old ? next : one) : [...interfaces, next];
}

/** Forgets the networks of an interface, which becomes a plain uplink that is off. Throws Problem 404. */
export function deleteWpa(config: Config, iface: string): [Config, void] {
  const old = config.wpa.find(({ Iface }) => Iface === iface);
  if (!old) throw notFound(sentence("{iface} joins no Wi-Fi network", { iface }));
  return [{
    ...config,
    wpa: config.wpa.filter((one) => one !== old),
    interfaces: config.interfaces.map((one) =>
      one.Name === iface && one.Subtype === WIFI_UPLINK
        ? { ...one, Subtype: "", Enabled: false }
        : one
    ),
  }, undefined];
}

/** Entries with masked passwords; empty ones stay empty. */
export function maskedWpa(entries: readonly WpaInterface[]): { readonly WPAs: WpaInterface[] } {
  return {
    WPAs: entries.map((one) => ({
      ...one,
      Networks: one.Networks.map((network) => ({
        ...network,
        Password: network.Password === "" ? "" : MASK,
      })),
    })),
  };
}
