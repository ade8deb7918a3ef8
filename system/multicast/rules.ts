import type { Config } from "../config.ts";
import type { MulticastSettings } from "./schema.ts";

/** Sets the multicast settings; the same configuration when nothing differs. */
export function setMulticast(
  config: Config,
  settings: MulticastSettings,
): readonly [Config, MulticastSettings] {
  const same = JSON.stringify(config.multicast) === JSON.stringify(settings);
  return [same ? config : { ...config, multicast: settings }, settings];
}

/** Our label below `.local`, in lower case; null when nothing is announced. */
export function mdnsName(settings: MulticastSettings, hostName: string): string | null {
  if (settings.Disabled || settings.DisableMDNSAdvertise) return null;
  const own = settings.MDNSName === "" ? hostName.toLowerCase().split(".")[0]! : settings.MDNSName;
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(own) ? own : null;
}
