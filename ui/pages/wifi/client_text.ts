import type { WifiClient } from "./wire.ts";
import { t } from "../../text/language.ts";

/** `5 GHz`; "" not known. */
export function bandText(band: WifiClient["band"]): string {
  return band === "" ? "" : t("{band} GHz", { band });
}

/** `-52 dBm`; "" not known. */
export function signalText(signal: number): string {
  return signal === 0 ? "" : t("{signal} dBm", { signal });
}

/** dBm from which on a signal is good, and from which on it is fair. */
const GOOD = -60, FAIR = -72;

/** What a signal is worth. */
export function signalGrade(signal: number): string {
  return signal >= GOOD ? t("good") : signal >= FAIR ? t("fair") : t("weak");
}

/** Rates to and from a client; "" not known. */
export function rateText({ down, up }: Pick<WifiClient, "down" | "up">): string {
  return down === 0 && up === 0 ? "" : t("{down} / {up} Mbit/s", { down, up });
}

/** Frames sent once more for each that was sent; null not known. */
export function retryShare({ sent, retries }: Pick<WifiClient, "sent" | "retries">): number | null {
  return sent === null || retries === null || sent === 0 ? null : retries / sent;
}

/** {@link retryShare} in percent; "" not known. */
export function retryText(client: Pick<WifiClient, "sent" | "retries">): string {
  const share = retryShare(client);
  return share === null ? "" : `${Math.round(share * 100)} %`;
}
