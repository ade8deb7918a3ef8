import type { StatusLines } from "../control_schema.ts";
import type { Neighbour } from "../roaming/transition_rules.ts";

/** A management frame to a station, without its header (IEEE 802.11-2020 9.3.3). */
export interface ManagementFrame {
  readonly kind: "action" | "deauthentication";
  /** MAC address of the station. */
  readonly to: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * True for a station that hears no management frame of hostapd's. hostapd sends through the network's
 * interface, where the kernel does not find the keys of a station that has an interface of its own:
 * the frame goes out in plain text, and a station with protected management frames (802.11w, so every
 * WPA3 station) drops it. What is sent through its own interface is encrypted.
 */
export function isDeafToHostapd({ flags, vlan_id }: StatusLines): boolean {
  const isOnOwnLink = vlan_id !== undefined && vlan_id !== "0";
  return isOnOwnLink && (flags?.includes("[MFP]") ?? false);
}

/** Category and action of a BSS transition management request (IEEE 802.11-2020 9.6.13.9). */
const WNM = 10, TRANSITION_REQUEST = 7;
/** The frame lists candidates, and networks that it does not list are not considered. */
const CANDIDATES = 0b01, ABRIDGED = 0b10;
/** Element of a neighbour report, and its subelement for the preference (IEEE 802.11-2020 9.4.2.36). */
const NEIGHBOUR_REPORT = 52, PREFERENCE = 3;
/** The most preferred. */
const HIGHEST = 255;

/** The offer of another radio, as hostapd encodes it. `token` tells requests apart, 1 to 255. */
export function transitionFrame(
  to: string,
  neighbour: Neighbour,
  { token, validity }: { readonly token: number; readonly validity: number },
): ManagementFrame {
  const { bssid, operatingClass, channel, phyType } = neighbour;
  const report = [
    ...Uint8Array.fromHex(bssid.replaceAll(":", "")),
    // What the neighbour can do is not said.
    ...[0, 0, 0, 0],
    ...[operatingClass, channel, phyType],
    ...[PREFERENCE, 1, HIGHEST],
  ];
  const body = [
    ...[WNM, TRANSITION_REQUEST, token, CANDIDATES | ABRIDGED],
    // No disassociation follows.
    ...[0, 0],
    validity,
    ...[NEIGHBOUR_REPORT, report.length, ...report],
  ];
  return { kind: "action", to, body: new Uint8Array(body) };
}

/** Reason code 2, which hostapd gives as well: what the station proved is no longer valid. */
const NO_LONGER_VALID = [2, 0];

/** Ends the connection of a station. */
export function deauthenticationFrame(to: string): ManagementFrame {
  return { kind: "deauthentication", to, body: new Uint8Array(NO_LONGER_VALID) };
}
