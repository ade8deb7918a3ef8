import type { SupplicantState } from "./schema.ts";

/** The state that a word of `wpa_state` means. */
export function stateOf(word: string | undefined): SupplicantState["state"] {
  switch (word) {
    case "COMPLETED":
      return "connected";
    case "AUTHENTICATING":
    case "ASSOCIATING":
    case "ASSOCIATED":
    case "4WAY_HANDSHAKE":
    case "GROUP_HANDSHAKE":
      return "connecting";
    default:
      return "searching";
  }
}

/** `RSSI` of SIGNAL_POLL in dBm; 0 not known. */
export function signalOf(reply: string): number {
  const value = Number(/^RSSI=(-?\d{1,3})$/m.exec(reply)?.[1] ?? 0);
  // The driver's word for nothing is -9999.
  return value < 0 && value > -130 ? value : 0;
}

/**
 * What an event says of why there is no connection: null nothing, "" that there is one. Names come from
 * our own settings, by the number of the network: those of the event are untrusted.
 */
export function problemIn(event: string, nameOf: (id: number) => string | null): string | null {
  if (event.startsWith("CTRL-EVENT-CONNECTED")) return "";
  if (event.startsWith("CTRL-EVENT-NETWORK-NOT-FOUND")) return "None of its networks is in range";
  if (event.startsWith("CTRL-EVENT-SSID-TEMP-DISABLED")) {
    const id = /^CTRL-EVENT-SSID-TEMP-DISABLED id=(\d{1,6}) /.exec(event)?.[1];
    const name = (id === undefined ? null : nameOf(Number(id))) ?? "The network";
    return /reason=WRONG_KEY\b/.test(event)
      ? `${name} does not accept the password`
      : `${name} does not let it in; the password may be wrong`;
  }
  const status = /^CTRL-EVENT-ASSOC-REJECT .*status_code=(\d{1,5})/.exec(event)?.[1];
  return status === undefined ? null : `The network refuses the connection (status ${status})`;
}
