import type { Action } from "../../actions/action.ts";
import type { WifiInterface, WifiJoin } from "./wire.ts";
import { t } from "../../text/language.ts";

const path = "/uplink/wifi";

/** Joins a network, in front of those that are set already. */
export function joinNetwork(
  iface: string,
  entry: WifiInterface | null,
  network: WifiJoin,
  after: () => void,
): Action {
  const others = (entry?.Networks ?? []).filter((one) => !isSame(one, network));
  const highest = Math.max(0, ...others.map(({ Priority }) => Number(Priority ?? 0) || 0));
  const Networks = [...others, { ...network, Priority: String(highest + 1) }];
  return {
    title: t("Preview: Wi-Fi uplink {iface}", { iface }),
    subject: network.SSID || network.SSIDHex || "",
    sentence: entry === null
      ? t("is joined by {iface}, which becomes a WAN interface.", { iface })
      : t("is joined by {iface} whenever it is in range.", { iface }),
    button: t("Join network"),
    done: t("is joined by {iface}.", { iface }),
    request: () => ({ method: "PUT", path, body: { Iface: iface, Enabled: true, Networks } }),
    after,
  };
}

/** Forgets one network; the last one ends the uplink. */
export function forgetNetwork(entry: WifiInterface, network: WifiJoin, after: () => void): Action {
  const Networks = entry.Networks.filter((one) => one !== network);
  const { Iface, Enabled } = entry;
  return {
    title: t("Preview: Wi-Fi uplink {iface}", { iface: Iface }),
    subject: network.SSID || network.SSIDHex || "",
    sentence: Networks.length === 0
      ? t("is forgotten, and {iface} is no WAN interface any more.", { iface: Iface })
      : t("is forgotten. {iface} joins its other networks.", { iface: Iface }),
    button: t("Forget network"),
    danger: true,
    done: t("was forgotten."),
    request: () =>
      Networks.length === 0
        ? { method: "DELETE", path: `${path}/${encodeURIComponent(Iface)}` }
        : { method: "PUT", path, body: { Iface, Enabled, Networks } },
    after,
  };
}

function isSame(a: WifiJoin, b: WifiJoin): boolean {
  return a.SSID === b.SSID && (a.SSIDHex ?? "") === (b.SSIDHex ?? "") && !a.BSSID;
}
