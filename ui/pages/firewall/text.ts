import { computed } from "@preact/signals";
import { devices } from "../../state/store.ts";
import { INTERFACE_POLICIES } from "../../text/policies.ts";
import { andList, nameOf } from "../../text/format.ts";
import { t } from "../../text/language.ts";

/** Every address, as rules write it. */
export const EVERYWHERE = "0.0.0.0/0";

/** Names of the devices that hold an address, by that address. */
export const deviceNames = computed((): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(devices.value ?? {}).filter(([, { RecentIP }]) => RecentIP !== "")
      .map(([identity, device]) => [device.RecentIP, nameOf(identity, device)]),
  )
);

/** Addresses by the names of their devices, for names that one device alone has. */
const addressesByName = computed((): ReadonlyMap<string, string> => {
  const holders = Map.groupBy(deviceNames.value, ([, name]) => name.toLowerCase());
  return new Map(
    [...holders].flatMap(([name, [one, ...others]]) =>
      one === undefined || others.length > 0 ? [] : [[name, one[0]]]
    ),
  );
});

/** The address of the device of this name; the text itself where there is none. */
export function addressOf(text: string): string {
  return addressesByName.value.get(text.toLowerCase()) ?? text;
}

/** What a field of an address offers: a device by its name, or by its address where others have it. */
export const deviceChoices = computed((): readonly (readonly [value: string, text: string])[] =>
  [...deviceNames.value].map(([address, name]) =>
    addressOf(name) === address ? [name, address] : [address, name]
  )
);

/** What stands for every address. */
export const ANYWHERE = t("anywhere");

/** Who or what an address or network is: a device’s name, `anywhere`, or as it was written. */
export function endpointText(text: string): string {
  if (text === EVERYWHERE) return ANYWHERE;
  return deviceNames.value.get(text.replace(/\/32$/, "")) ?? text;
}

/** The protocol of two rules that are shown as one. */
export const BOTH = "tcp+udp";

/** `TCP 443`, `any TCP`. */
export function portText(protocol: string, ports: string): string {
  const name = protocol === BOTH ? t("TCP and UDP") : protocol.toUpperCase();
  return ports === "any" || ports === "0-65535" || ports === ""
    ? t("any {name}", { name })
    : `${name} ${ports}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listText(words: readonly string[]): string {
  return andList(words);
}

/** What a policy allows a bridge or container network. */
export function policyText(policy: string): string {
  return INTERFACE_POLICIES.find((one) => one.name === policy)?.title ?? policy;
}
