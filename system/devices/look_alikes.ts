import type { Config } from "../config.ts";
import { changedMembers, onceEach } from "../core/config/memo.ts";
import { conflict, type Problem } from "../core/errors/problem.ts";
import { skeleton } from "../core/net/look_alike.ts";

/** A kind of name by which rules and lists find what they mean. */
interface Kind {
  readonly noun: string;
  /** Parts of the configuration that hold such names. */
  readonly parts: readonly (keyof Config)[];
  readonly names: (config: Config) => Iterable<string>;
}

type Devices = Config["devices"];

/** Names that devices hold, each once: with 1,000 devices they may hold 60,000 tags. */
const groupsOf = onceEach((devices: Devices) => namesIn(devices, "Groups"));
const tagsOf = onceEach((devices: Devices) => namesIn(devices, "DeviceTags"));

function namesIn(devices: Devices, field: "Groups" | "DeviceTags"): ReadonlySet<string> {
  const found = new Set<string>();
  for (const device of Object.values(devices)) for (const name of device[field]) found.add(name);
  return found;
}

const KINDS: readonly Kind[] = [
  {
    noun: "group",
    parts: ["groups", "devices"],
    *names({ groups, devices }) {
      for (const { Name } of groups) yield Name;
      yield* groupsOf(devices);
    },
  },
  {
    noun: "tag",
    parts: ["groups", "devices", "dnsBlock", "firewall", "multicast"],
    *names({ groups, devices, dnsBlock, firewall, multicast }) {
      yield* tagsOf(devices);
      for (const { GroupTags } of groups) yield* GroupTags;
      for (const { Tags } of dnsBlock.BlockLists) yield* Tags;
      for (const { Tags } of dnsBlock.OverrideLists) yield* Tags;
      for (const { Tags } of firewall.Endpoints) yield* Tags;
      for (const { Tags } of multicast.Addresses) yield* Tags;
    },
  },
  {
    noun: "list of custom rules",
    parts: ["dnsBlock"],
    names: ({ dnsBlock }) => dnsBlock.OverrideLists.map(({ Name }) => Name),
  },
  {
    noun: "site",
    parts: ["wireguard"],
    names: ({ wireguard }) => wireguard.Sites.map(({ Name }) => Name),
  },
];

/** True where no device got or lost a group or tag. */
function sameDeviceNames(before: Devices, after: Devices): boolean {
  const same = (a: readonly string[], b: readonly string[]): boolean =>
    a === b || a.length === b.length && a.every((name, at) => name === b[at]);
  return changedMembers(before, after)?.every((identity) => {
    const [old, device] = [before[identity]!, after[identity]!];
    return same(old.Groups, device.Groups) && same(old.DeviceTags, device.DeviceTags);
  }) ?? false;
}

/**
 * Refuses a new name that looks like one of its kind that exists: a reader takes it for the
 * other, and gives access to what they do not mean.
 */
export function lookAlikeGuard(before: Config, after: Config): Problem | null {
  const sameNames = sameDeviceNames(before.devices, after.devices);
  for (const { noun, parts, names } of KINDS) {
    if (parts.every((part) => before[part] === after[part] || part === "devices" && sameNames)) {
      continue;
    }
    const now = new Set(names(after));
    const known = new Set(names(before));
    const added = [...now].filter((name) => !known.has(name));
    if (added.length === 0) continue;
    const shapes = Map.groupBy(now, skeleton);
    for (const name of added) {
      const twin = shapes.get(skeleton(name))?.find((other) => other !== name);
      if (twin === undefined) continue;
      return conflict(
        `The ${noun} ${name} looks like ${twin}, but is spelled otherwise: choose another name, ` +
          "or write it as that one",
        { name, looksLike: twin },
      );
    }
  }
  return null;
}
