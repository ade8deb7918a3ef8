import type { Config } from "../../config.ts";
import { nameList } from "../../devices/name_list.ts";

/** True when no tags are required, or one of them is present. */
export function matchesAny(required: readonly string[], tags: readonly string[]): boolean {
  return required.length === 0 || required.some((tag) => tags.includes(tag));
}

/** A configuration as DNS sees it: clients are devices, or addresses that belong to none. */
export interface View {
  readonly config: Config;
  /** Identities, or addresses of no device, that nothing is blocked for. */
  readonly excluded: ReadonlySet<string>;
  /** The identity of the device with an address, else the address. */
  readonly ownerOf: (address: string) => string;
  /** True for a device of another view that is gone in this one. */
  readonly isGone: (owner: string, other: View) => boolean;
  readonly isExcluded: (identity: string) => boolean;
  readonly nameOf: (owner: string) => string;
  readonly tagsOf: (identity: string) => readonly string[];
  /** Names of the devices with a policy. */
  readonly withPolicy: (policy: string) => readonly string[];
  /** `all devices`, or those with one of the tags. */
  readonly audience: (tags: readonly string[]) => string;
}

const NONE: readonly string[] = [];

/** The view of a configuration. */
export function viewOf(config: Config): View {
  const { devices, dnsBlock } = config;
  let owners: ReadonlyMap<string, string> | null = null;
  const ownerOf = (address: string): string => {
    owners ??= new Map(
      Object.entries(devices).filter(([, { RecentIP }]) => RecentIP !== "")
        .map(([identity, { RecentIP }]) => [RecentIP, identity]),
    );
    return owners.get(address) ?? address;
  };
  const excluded = new Set(dnsBlock.ClientIPExclusions.map(ownerOf));
  const nameOf = (owner: string): string => devices[owner]?.Name || owner;
  const named = (isMeant: (device: Config["devices"][string], identity: string) => boolean) =>
    Object.entries(devices).filter(([identity, device]) => isMeant(device, identity))
      .map(([identity]) => nameOf(identity));
  return {
    config,
    excluded,
    ownerOf,
    isGone: (owner, other) =>
      other.config.devices[owner] !== undefined && devices[owner] === undefined,
    isExcluded: (identity) => excluded.has(identity),
    nameOf,
    tagsOf: (identity) => devices[identity]?.DeviceTags ?? NONE,
    withPolicy: (policy) =>
      named(({ Policies }) => (Policies as readonly string[]).includes(policy)),
    audience(tags) {
      if (tags.length === 0) {
        const but = [...excluded].map(nameOf);
        return but.length === 0 ? "all devices" : `all devices but ${nameList(but)}`;
      }
      const names = named(({ DeviceTags }, identity) =>
        !excluded.has(identity) && matchesAny(tags, DeviceTags)
      );
      const tagged = `devices with the tag ${tags.join(" or ")}`;
      return names.length === 0 ? `${tagged}, of which there are none` : nameList(names);
    },
  };
}
