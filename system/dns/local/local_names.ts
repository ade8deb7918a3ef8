import { domainToASCII } from "node:url";
import type { Config } from "../../config.ts";
import type { LocalName } from "../config/snapshot_schema.ts";

/** Top-level domain of home; nothing below it is ever asked outside. */
export const LOCAL_DOMAIN = "lan";

/** Longest label (RFC 1035 2.3.4). */
const MAX_LABEL_LENGTH = 63;

/** Names that no device takes by calling itself so. */
const RESERVED: ReadonlySet<string> = new Set([
  "localhost",
  "router",
  "gateway",
  "wpad",
  "isatap",
  LOCAL_DOMAIN,
]);

/** A name for people as a label of a host name: `Anna's iPad` is `annas-ipad`; null when none is left. */
export function hostLabel(name: string): string | null {
  const words = name.normalize("NFC").toLowerCase().replaceAll(/['’`]/g, "")
    .replaceAll(/[\s._]+/g, "-");
  const kept = words.replaceAll(/[^\p{L}\p{N}\p{M}-]/gu, "");
  const label = domainToASCII(kept.replaceAll(/-+/g, "-").replaceAll(/^-|-$/g, ""));
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label) && label.length <= MAX_LABEL_LENGTH &&
      !/^\d+$/.test(label)
    ? label
    : null;
}

/**
 * Of the names under which the router answers those that its resolver tells: not multicast DNS's, no
 * patterns. Their order remains; the address leads back to the first.
 */
export function unicastNames(names: Iterable<string>): readonly string[] {
  return [...names].filter((name) =>
    name !== "localhost" && !name.startsWith("*") && !/(^|\.)local$/.test(name)
  );
}

/** What names are made of. */
export interface NameSources {
  readonly devices: Config["devices"];
  /** Names that people gave: host name to address. */
  readonly hostnames: readonly { readonly name: string; readonly address: string }[];
  /** Names of the router itself, without a domain or with their own. */
  readonly routerNames: readonly string[];
  /** Address under which the router is reached at home; null for none. */
  readonly lanAddress: string | null;
}

/**
 * The names of home. The router's own come first, then those that people gave, then those of devices
 * in the order of their document: who comes later takes no name that is there.
 */
export function localNames(sources: NameSources): readonly LocalName[] {
  const { devices, hostnames, routerNames, lanAddress } = sources;
  const names = new Map<string, string>();
  const add = (name: string, address: string): void => {
    if (!names.has(name)) names.set(name, address);
  };
  if (lanAddress !== null) {
    for (const name of routerNames) {
      if (name.includes(".")) add(name.toLowerCase(), lanAddress);
      else {
        const label = hostLabel(name);
        if (label !== null) add(`${label}.${LOCAL_DOMAIN}`, lanAddress);
      }
    }
  }
  for (const { name, address } of hostnames) {
    add(name.includes(".") ? name : `${name}.${LOCAL_DOMAIN}`, address);
  }
  for (const device of Object.values(devices)) {
    const label = device.RecentIP === "" || device.DeviceDisabled ? null : hostLabel(device.Name);
    if (label === null || RESERVED.has(label)) continue;
    add(`${label}.${LOCAL_DOMAIN}`, device.RecentIP);
  }
  return [...names].map(([name, address]) => ({ name, address }));
}
