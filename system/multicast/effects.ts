import type { Config } from "../config.ts";
import type { EffectContext } from "../core/engine/change.ts";
import type { MulticastSettings } from "./schema.ts";

/** Groups by which devices find each other, as people know them. */
const KNOWN: Readonly<Record<string, string>> = {
  "224.0.0.251:5353": "mDNS",
  "239.255.255.250:1900": "SSDP",
};

/** What a change of multicast does to devices that look for each other. */
export function multicastEffects({ before, after }: EffectContext<Config>): readonly string[] {
  if (before.multicast === after.multicast) return [];
  const old = reflected(before.multicast), now = reflected(after.multicast);
  const text = (address: string) => KNOWN[address] ? `${KNOWN[address]} (${address})` : address;
  return [
    ...[...old.keys()].filter((address) => !now.has(address)).map((address) =>
      `Devices on different interfaces no longer find each other by ${text(address)}`
    ),
    ...[...now].filter(([address, tags]) => old.get(address) !== tags).map(([address, tags]) =>
      `Devices on different interfaces find each other by ${text(address)}${
        tags === "" ? "" : `, towards interfaces of devices with the tag ${tags}`
      }`
    ),
  ];
}

/** The groups that are reflected, with the tags that they need. */
function reflected(settings: MulticastSettings): ReadonlyMap<string, string> {
  if (settings.Disabled) return new Map();
  return new Map(
    settings.Addresses.filter(({ Disabled }) => !Disabled)
      .map(({ Address, Tags }) => [Address, Tags.join(" or ")]),
  );
}
