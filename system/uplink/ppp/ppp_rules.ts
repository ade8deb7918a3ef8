import type { Config } from "../../config.ts";
import type { SecretPath } from "../../core/engine/change.ts";
import { invalid, notFound, sentence } from "../../core/errors/problem.ts";
import { refuseOwnInterface } from "../../network/interfaces/link_rules.ts";
import { Interface } from "../../network/interfaces/schema.ts";
import { PppEntry, type PppUpdate } from "../schema.ts";

/** Shown in place of a secret; sent back, it leaves the secret unchanged. */
const MASKED = "**";

/** The lowest ppp name that no other account has. */
function freeName(entries: readonly PppEntry[]): string {
  const taken = new Set(entries.map(({ PPPIface }) => PPPIface));
  let number = 0;
  while (taken.has(`ppp${number}`)) number++;
  return `ppp${number}`;
}

/**
 * Sets the PPPoE account of an interface, which becomes an uplink. Throws Problem 400 without a user
 * name, for an interface of another account, or with LAN devices.
 */
export function setPpp(config: Config, update: PppUpdate): [Config, void] {
  const old = config.ppp.find(({ Iface }) => Iface === update.Iface);
  const Username = update.Username ?? old?.Username;
  if (Username === undefined) {
    throw invalid("/Username", "Use the user name of the PPPoE account");
  }
  refuseOwnInterface(config, update.Iface, "/Iface");
  if (/^ppp\d+$/.test(update.Iface)) {
    throw invalid(
      "/Iface",
      sentence("{iface} is created by a PPPoE account; use the interface below it", {
        iface: update.Iface,
      }),
    );
  }
  const link = config.interfaces.find(({ Name }) => Name === update.Iface);
  if (link?.Type === "AP") {
    throw invalid("/Iface", sentence("{iface} is an access point", { iface: update.Iface }));
  }
  if (link?.Type === "Downlink" && link.Enabled) {
    throw invalid(
      "/Iface",
      sentence("Devices are on the LAN interface {iface}; disable it as a downlink first", {
        iface: update.Iface,
      }),
    );
  }
  const kept = update.Secret === undefined || update.Secret === MASKED;
  const Secret = kept ? old?.Secret ?? "" : update.Secret!;
  const next = PppEntry.parse({
    Iface: update.Iface,
    PPPIface: old?.PPPIface || freeName(config.ppp),
    Enabled: update.Enabled ?? old?.Enabled ?? false,
    Username,
    Secret,
    VLAN: update.VLAN ?? old?.VLAN ?? "",
    MTU: update.MTU ?? old?.MTU ?? "",
  });
  if (next.Enabled && next.Secret === "") {
    throw invalid("/Secret", "Use the password of the PPPoE account before enabling it");
  }
  const ppp = same(old, next)
    ? config.ppp
    : old
    ? config.ppp.map((one) => one === old ? next : one)
    : [...config.ppp, next];
  const interfaces = withLink(config.interfaces, link, next);
  return [
    ppp === config.ppp && interfaces === config.interfaces
      ? config
      : { ...config, ppp, interfaces },
    undefined,
  ];
}

/** Where the password is that an update says in clear. */
export function pppSecrets({ Iface, Secret = MASKED }: PppUpdate): readonly SecretPath[] {
  return Secret === MASKED || Secret === "" ? [] : [{ document: "ppp", path: [Iface, "Secret"] }];
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function withLink(
  interfaces: Config["interfaces"],
  old: Interface | undefined,
  { Iface, Enabled }: PppEntry,
): Config["interfaces"] {
  const base = old ?? Interface.parse({ Name: Iface, Type: "Uplink" });
  const next: Interface = { ...base, Type: "Uplink", Subtype: "pppup", Enabled };
  if (old && same(old, next)) return interfaces;
  return old ? interfaces.map((one) => one === old ? next : one) : [...interfaces, next];
}

/** Removes the PPPoE account of an interface, which becomes a plain uplink again. Throws Problem 404. */
export function deletePpp(config: Config, iface: string): [Config, void] {
  const old = config.ppp.find(({ Iface }) => Iface === iface);
  if (!old) throw notFound(sentence("There is no PPPoE account on {iface}", { iface }));
  return [{
    ...config,
    ppp: config.ppp.filter((one) => one !== old),
    interfaces: config.interfaces.map((one) =>
      one.Name === iface && one.Subtype === "pppup" ? { ...one, Subtype: "", Enabled: false } : one
    ),
  }, undefined];
}

/** Accounts with masked secrets; empty ones stay empty. */
export function maskedPpp(entries: readonly PppEntry[]): { readonly PPPs: PppEntry[] } {
  return {
    PPPs: entries.map((one) => ({ ...one, Secret: one.Secret === "" ? "" : MASKED })),
  };
}
