import type { ClosedGroups } from "../../core/kernel/desired.ts";
import { NONE_CLOSED, withholding } from "../../devices/groups/group_schedule.ts";
import { type DevicePolicySet, isolationOf, POLICIES } from "../../devices/policies.ts";
import type { Device } from "../../devices/schema.ts";
import type { Element, Verdict } from "../../core/kernel/ruleset.ts";
import { Differences, onceEach } from "../../core/config/memo.ts";
import { groupMaps } from "./names.ts";

/** A device on the interface that it is reached by, to which its address is bound. */
export interface LocatedDevice {
  readonly identity: string;
  readonly device: Device;
  readonly link: string;
  /** The interface is a VPN: its key, not a MAC address, identifies the device. */
  readonly tunnel: boolean;
}

/**
 * Positions at which two lists hold other devices, those behind the end of the first among them; nothing
 * else in them differs.
 */
export const replacedDevices = new Differences<readonly LocatedDevice[], readonly number[]>();

/** One element that a device puts into a set. */
export interface Contribution {
  readonly set: string;
  /** Canonical text of the element's key. */
  readonly key: string;
  readonly element: Element;
}

const ACCEPT: Verdict = { kind: "accept" };
const RETURN: Verdict = { kind: "return" };
const CONTINUE: Verdict = { kind: "continue" };

function contribution(set: string, key: readonly string[], value?: Verdict): Contribution {
  return {
    set,
    key: key.join(" . "),
    element: value === undefined ? { key } : { key, value },
  };
}

/** The entry of an address in the set of a policy. */
export function policyEntry(
  set: DevicePolicySet,
  [ip, link]: readonly [string, string],
): Contribution {
  const key = set.key === "address" ? [ip] : [ip, link];
  return contribution(set.name, key, set.verdict === null ? undefined : { kind: set.verdict });
}

/**
 * What the device's policies put into the sets, without those that a closed group withholds; isolated, it
 * keeps only what the isolation lets it.
 */
function policyEntries(
  device: Device,
  at: readonly [string, string],
  closedGroups: ClosedGroups,
): readonly Contribution[] {
  const isolation = isolationOf(device.Policies);
  const held = POLICIES.filter(({ name, effect }) =>
    isolation?.kind === "isolate" && effect.kind === "allow"
      ? effect.target === isolation.except
      : device.Policies.includes(name) &&
        withholding(name, device.Groups, closedGroups) === undefined
  );
  return held.flatMap(({ devices }) => devices === null ? [] : [policyEntry(devices, at)]);
}

/** Everything that one device puts into the sets. Equal calls give the same object. */
export function deviceElements(
  located: LocatedDevice,
  activeGroups: ReadonlySet<string>,
  closedGroups: ClosedGroups = NONE_CLOSED,
): readonly Contribution[] {
  return elementsWith(activeGroups)(closedGroups)(located);
}

const elementsWith = onceEach((activeGroups: ReadonlySet<string>) =>
  onceEach((closedGroups: ClosedGroups) =>
    onceEach(({ device, link, tunnel }: LocatedDevice): readonly Contribution[] => {
      const ip = device.RecentIP;
      const at = [ip, link] as const;
      const list = [
        tunnel
          ? contribution("wireguard_filter", at, RETURN)
          : contribution("ethernet_filter", [ip, link, device.MAC], RETURN),
        ...policyEntries(device, at, closedGroups),
      ];
      if (isolationOf(device.Policies)?.kind === "isolate") return list;
      for (const group of new Set(device.Groups)) {
        if (!activeGroups.has(group)) continue;
        const maps = groupMaps(group);
        list.push(
          contribution(maps.target, at, CONTINUE),
          contribution(maps.source, at, ACCEPT),
        );
      }
      return list;
    })
  )
);
