import { age, isNow, parseWhen } from "../../text/time.ts";
import type { Device } from "../../wire.ts";
import { t } from "../../text/language.ts";

/** Address of a device's page. */
export function deviceHref(identity: string): string {
  return `/admin/devices/${encodeURIComponent(identity)}`;
}

/** Moment a device was last seen, unix milliseconds; 0 never, endless while it is online. */
export function lastSeen(device: Device): number {
  return device.Online ? Infinity : parseWhen(device.DHCPLastTime) ?? 0;
}

/** `now`, or how long ago it was seen; `never` when it was not. */
export function seenText(device: Device, now: number): string {
  if (device.Online) return t("now");
  const at = parseWhen(device.DHCPLastTime);
  if (at === null) return t("never");
  return isNow(at, now) ? t("1 min") : age(at, now);
}
