import type { Neighbour } from "./wire.ts";
import { t } from "../../text/language.ts";

/** How a network is joined: what its security is called, and the API's words for it. */
export interface JoinKind {
  readonly text: string;
  /** `KeyMgmt` of the API; null where an uplink cannot join it. */
  readonly keys: string | null;
}

const OPEN: JoinKind = { text: t("Open"), keys: "NONE" };
const WPA2: JoinKind = { text: "WPA2", keys: "WPA-PSK WPA-PSK-SHA256" };
const WPA3: JoinKind = { text: "WPA3", keys: "SAE" };
const BOTH: JoinKind = { text: t("WPA2 and WPA3"), keys: "WPA-PSK WPA-PSK-SHA256 SAE" };

/** Kinds of security that can be chosen by hand. */
export const JOIN_KINDS: readonly JoinKind[] = [BOTH, WPA2, WPA3, OPEN];

/** A network in range: all its access points in one row. */
export interface ScannedNetwork {
  /** For people. */
  readonly name: string;
  /** Name for the API; "" where its bytes are no text. */
  readonly ssid: string;
  /** Its bytes in hexadecimal, where they are no text. */
  readonly hex: string;
  /** dBm of the strongest access point; 0 not known. */
  readonly signal: number;
  readonly kind: JoinKind;
}

/** Networks of a scan with a name, the strongest first. Everything in it is untrusted. */
export function scannedNetworks(scan: readonly Neighbour[]): readonly ScannedNetwork[] {
  const found = new Map<string, ScannedNetwork>();
  for (const one of scan) {
    if (typeof one.ssid !== "string" || one.ssid === "") continue;
    const kind = kindOf(one);
    const key = `${one.ssid} ${kind.keys}`;
    const signal = Number.isFinite(one.signal_dbm) ? one.signal_dbm : 0;
    const before = found.get(key);
    if (before !== undefined && before.signal >= signal) continue;
    found.set(key, { ...nameOf(one.ssid), signal, kind });
  }
  return [...found.values()].sort((a, b) => b.signal - a.signal);
}

function kindOf({ authentication_suites: suites, capability }: Neighbour): JoinKind {
  const text = suites.toUpperCase();
  const isWpa3 = /\bSAE\b/.test(text), isWpa2 = /\bPSK\b/.test(text);
  if (isWpa2 && isWpa3) return BOTH;
  if (isWpa3) return WPA3;
  if (isWpa2) return WPA2;
  if (suites !== "") return { text: suites.slice(0, 40), keys: null };
  // Encrypted without WPA: WEP.
  return /\bPrivacy\b/.test(String(capability ?? "")) ? { text: "WEP", keys: null } : OPEN;
}

/** iw writes a byte that it does not print as `\xNN`, the backslash itself too. */
function nameOf(text: string): Pick<ScannedNetwork, "name" | "ssid" | "hex"> {
  const bytes = bytesOf(text);
  try {
    const ssid = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    // deno-lint-ignore no-control-regex
    if (!/[\x00-\x1f\x7f]/.test(ssid)) return { name: ssid, ssid, hex: "" };
  } catch {
    // Its bytes are no text.
  }
  return {
    name: text,
    ssid: "",
    hex: [...bytes].map((b) => b.toString(16).padStart(2, "0")).join(""),
  };
}

function bytesOf(text: string): Uint8Array {
  const parts = text.split(/(\\x[0-9a-fA-F]{2})/).map((part) =>
    /^\\x/.test(part)
      ? Uint8Array.of(Number.parseInt(part.slice(2), 16))
      : new TextEncoder().encode(part)
  );
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** How good a signal is, from 0 to 4. */
export function barsOf(signal: number): number {
  if (signal === 0) return 0;
  return [-82, -75, -67, -58].filter((limit) => signal >= limit).length;
}
