import { domainToASCII } from "node:url";
import type { Config } from "../../config.ts";
import { onceEach } from "../../core/config/memo.ts";
import type { Device } from "../../devices/schema.ts";
import type { LocalName } from "../config/snapshot_schema.ts";

/** The domain of local names, which never go upstream. */
export const LOCAL_DOMAIN = "lan";

/** Longest label (RFC 1035 2.3.4). */
const MAX_LABEL_LENGTH = 63;

/** Names that no device gets. */
const RESERVED: ReadonlySet<string> = new Set([
  "localhost",
  "router",
  "gateway",
  "wpad",
  "isatap",
  LOCAL_DOMAIN,
]);

/** A display name as a host name label: `Anna's iPad` is `annas-ipad`; null when none is left. */
export function hostLabel(name: string): string | null {
  const text = name.normalize("NFC").toLowerCase().replaceAll(/['\u2019`]/g, "")
    .replaceAll(/[\s._]+/g, "-");
  const letters = text.replaceAll(/[^\p{L}\p{N}\p{M}-]/gu, "");
  const label = domainToASCII(letters.replaceAll(/-+/g, "-").replaceAll(/^-|-$/g, ""));
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label) && label.length <= MAX_LABEL_LENGTH &&
      !/^\d+$/.test(label)
    ? label
    : null;
}

/**
 * The router's names that its resolver answers: without those of multicast DNS and patterns. Their order
 * stays: a reverse lookup returns the first.
 */
export function unicastNames(names: Iterable<string>): readonly string[] {
  return [...names].filter((name) =>
    name !== "localhost" && !name.startsWith("*") && !/(^|\.)local$/.test(name)
  );
}

const deviceLabel = onceEach(({ Name }: Device): string | null => hostLabel(Name));

/** Sources of local names. */
export interface NameSources {
  readonly devices: Config["devices"];
  /** Local DNS records. */
  readonly hostnames: readonly { readonly name: string; readonly address: string }[];
  /** Names of the router itself, without a domain or with their own. */
  readonly routerNames: readonly string[];
  /** Address of the router in the LAN; null for none. */
  readonly lanAddress: string | null;
}

/**
 * The local names: the router's own, then local DNS records, then names of devices in the order of
 * their document. The first with a name gets it.
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
    const label = device.RecentIP === "" || device.DeviceDisabled ? null : deviceLabel(device);
    if (label === null || RESERVED.has(label)) continue;
    add(`${label}.${LOCAL_DOMAIN}`, device.RecentIP);
  }
  return [...names].map(([name, address]) => ({ name, address }));
}
