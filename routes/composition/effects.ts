import type { Config } from "../../system/config.ts";
import type { Effects } from "../../system/core/engine/change.ts";
import { deviceEffects } from "../../system/devices/effects.ts";
import { dnsEffects } from "../../system/dns/config/effects.ts";
import { logEffects } from "../../system/dns/log/effects.ts";
import { multicastEffects } from "../../system/multicast/effects.ts";
import { networkEffects } from "../../system/network/effects.ts";
import { absentInterfaces } from "../../system/network/interfaces/absent_links.ts";
import { wifiEffects } from "../../system/wifi/effects.ts";
import { vpnEffects } from "../../system/wireguard/effects.ts";

/** What previews say of each part of the router, the gravest first. `present`: the machine's interfaces. */
export function effectsOfAllParts(
  present: () => { readonly has: (name: string) => boolean },
): readonly Effects<Config>[] {
  return [
    networkEffects,
    deviceEffects,
    wifiEffects,
    vpnEffects,
    dnsEffects,
    logEffects,
    multicastEffects,
    ({ before, after }) => absentInterfaces(before, after, present()),
  ];
}
