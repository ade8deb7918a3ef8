import type { Config } from "../../system/config.ts";
import type { Effects } from "../../system/core/engine/change.ts";
import { deviceEffects } from "../../system/devices/effects.ts";
import { groupEffects } from "../../system/devices/groups/group_effects.ts";
import { dnsEffects } from "../../system/dns/config/effects.ts";
import { logEffects } from "../../system/dns/log/effects.ts";
import { meshEffects } from "../../system/mesh/effects.ts";
import { multicastEffects } from "../../system/multicast/effects.ts";
import { networkEffects } from "../../system/network/effects.ts";
import { wifiEffects } from "../../system/wifi/effects.ts";
import { vpnEffects } from "../../system/wireguard/effects.ts";

/** What previews say of each part of the router, the gravest first. */
export const EFFECTS: readonly Effects<Config>[] = [
  ...[networkEffects, deviceEffects, groupEffects, wifiEffects, vpnEffects, meshEffects],
  ...[dnsEffects, logEffects, multicastEffects],
];
