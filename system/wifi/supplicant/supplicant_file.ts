import { isRawKey } from "./rules.ts";
import type { JoinedNetwork, PlannedSupplicant } from "./schema.ts";

type Line = readonly [key: string, value: string];

/**
 * The file of wpa_supplicant (wpa_supplicant.conf of 2.10) for an uplink. `folder`: its control socket's.
 * Names and WPA3 passwords are hexadecimal, which needs no escapes.
 */
export function supplicantFile({ country, networks }: PlannedSupplicant, folder: string): string {
  if (/[\r\n]/.test(folder)) throw new RangeError("A folder's name holds a line break");
  return [
    `ctrl_interface=${folder}`,
    ...(country === "" ? [] : [`country=${country}`]),
    "update_config=0",
    // Hash to element where it is offered, and hunting and pecking elsewhere.
    "sae_pwe=2",
    ...networks.flatMap((network) => [
      "network={",
      ...networkSettings(network).map(([key, value]) => `\t${key}=${value}`),
      "}",
    ]),
    "",
  ].join("\n");
}

/** Settings of a network, as the file and `SET_NETWORK` take them. */
export function networkSettings(network: JoinedNetwork): readonly Line[] {
  const { ssidHex, keys, password, priority, bssid } = network;
  const isSae = keys.includes("SAE");
  const isPsk = keys.some((key) => key === "WPA-PSK" || key === "WPA-PSK-SHA256");
  return [
    ["ssid", ssidHex],
    // Hidden networks respond to their name alone.
    ["scan_ssid", "1"],
    ["key_mgmt", keys.join(" ")],
    ...(isPsk ? [["psk", pskValue(password)] as const] : []),
    ...(isSae ? [["sae_password", new TextEncoder().encode(password).toHex()] as const] : []),
    ...(isSae ? [["ieee80211w", isPsk ? "1" : "2"] as const] : []),
    ["priority", String(priority)],
    ...(bssid === "" ? [] : [["bssid", bssid] as const]),
  ];
}

/**
 * wpa_supplicant takes what lies between the first and the last quotation mark of a line as it is, so
 * that nothing inside is escaped. Throws RangeError for what would end the line.
 */
function pskValue(password: string): string {
  if (isRawKey(password)) return password.toLowerCase();
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(password)) {
    throw new RangeError("A password holds a control character");
  }
  return `"${password}"`;
}

/** A network of a running wpa_supplicant. */
export interface StandingNetwork {
  readonly id: number;
  readonly network: JoinedNetwork;
}

/** What brings a running wpa_supplicant to other networks. */
export interface NetworkChange {
  readonly remove: readonly number[];
  /** New settings of networks that stay. */
  readonly set: readonly { readonly id: number; readonly line: Line }[];
  readonly add: readonly JoinedNetwork[];
  readonly kept: readonly StandingNetwork[];
}

/** The change from the networks that stand to those that are wanted; one that stays is not touched. */
export function networkChange(
  standing: readonly StandingNetwork[],
  wanted: readonly JoinedNetwork[],
): NetworkChange {
  const free = [...standing];
  const kept: StandingNetwork[] = [];
  const set: { id: number; line: Line }[] = [];
  const add: JoinedNetwork[] = [];
  for (const network of wanted) {
    const at = free.findIndex((one) => identity(one.network) === identity(network));
    if (at < 0) {
      add.push(network);
      continue;
    }
    const [{ id, network: before }] = free.splice(at, 1) as [StandingNetwork];
    if (before.priority !== network.priority) {
      set.push({ id, line: ["priority", String(network.priority)] });
    }
    kept.push({ id, network });
  }
  return { remove: free.map(({ id }) => id), set, add, kept };
}

/** Everything that a connection depends on. */
function identity({ ssidHex, keys, password, bssid }: JoinedNetwork): string {
  return JSON.stringify([ssidHex, keys, password, bssid]);
}
