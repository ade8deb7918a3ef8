import type { Action } from "../../actions/action.ts";
import type { WifiInterface, WifiJoin } from "./wire.ts";

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
    title: `Preview: Wi-Fi uplink ${iface}`,
    subject: network.SSID || network.SSIDHex || "",
    sentence: entry === null
      ? `is joined by ${iface}, which becomes a WAN interface.`
      : `is joined by ${iface} whenever it is in range.`,
    button: "Join network",
    done: `is joined by ${iface}.`,
    request: () => ({ method: "PUT", path, body: { Iface: iface, Enabled: true, Networks } }),
    after,
  };
}

/** Forgets one network; the last one ends the uplink. */
export function forgetNetwork(entry: WifiInterface, network: WifiJoin, after: () => void): Action {
  const Networks = entry.Networks.filter((one) => one !== network);
  const { Iface, Enabled } = entry;
  return {
    title: `Preview: Wi-Fi uplink ${Iface}`,
    subject: network.SSID || network.SSIDHex || "",
    sentence: Networks.length === 0
      ? `is forgotten, and ${Iface} is no WAN interface any more.`
      : `is forgotten. ${Iface} joins its other networks.`,
    button: "Forget network",
    danger: true,
    done: "was forgotten.",
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
