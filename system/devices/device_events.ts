import type { Config } from "../config.ts";
import { differingMembers } from "../core/config/memo.ts";
import type { ChangeEngine, Observations } from "../core/engine/change.ts";
import type { Bus } from "../core/events/bus.ts";
import { deviceAnswer, devicesAnswer } from "./answer.ts";
import type { Device, Devices } from "./schema.ts";

/** An event of one device, or of all. */
export interface DeviceEvent {
  readonly topic:
    | "devices:save"
    | "device:save"
    | "device:update"
    | "device:delete"
    | "device:groups:update"
    | "device:tags:update";
  readonly make: () => unknown;
}

/**
 * What existing clients are sent of a change of the devices: each device as responses show it, its
 * password masked; a deleted one as it was.
 */
function deviceEvents(
  before: Devices,
  after: Devices,
  seen: Observations["devices"],
): readonly DeviceEvent[] {
  const identities = differingMembers(before, after);
  const events = identities.flatMap((identity) => {
    const old = before[identity], device = after[identity];
    return old === device
      ? []
      : eventsOf(old, device, (one) =>
        deviceAnswer(identity, one, seen[identity], { showPsk: false }));
  });
  if (events.length === 0) return [];
  // Computed once somebody reads it, who may be nobody.
  const all = { topic: "devices:save", make: () => devicesAnswer(after, seen) } as const;
  return [all, ...events];
}

function eventsOf(
  old: Device | undefined,
  device: Device | undefined,
  shown: (device: Device) => unknown,
): readonly DeviceEvent[] {
  const list: DeviceEvent[] = [];
  const add = (topic: DeviceEvent["topic"], data: unknown) =>
    list.push({ topic, make: () => data });
  if (device === undefined) add("device:delete", shown(old!));
  else if (old === undefined) add("device:save", shown(device));
  else {
    if (differ(old.Groups, device.Groups)) add("device:groups:update", shown(device));
    if (differ(old.DeviceTags, device.DeviceTags)) add("device:tags:update", shown(device));
    add("device:update", shown(device));
  }
  return list;
}

function differ(some: readonly string[], others: readonly string[]): boolean {
  return some.length !== others.length || some.some((one, index) => one !== others[index]);
}

/** What device events are made of. */
export interface DeviceEventsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed">;
  readonly bus: Pick<Bus, "publishMade" | "subscribe">;
}

/** Publishes {@link deviceEvents} of every change from now on. Returns how to stop. */
export function publishDeviceEvents({ engine, bus }: DeviceEventsDeps): () => void {
  let last = engine.config.devices;
  return bus.subscribe(() => {
    // Once the event is delivered: readers get events in the order of their ids.
    queueMicrotask(() => {
      const before = last;
      last = engine.config.devices;
      // Late readers do without: a sync of many devices would push out what they need.
      for (const { topic, make } of deviceEvents(before, last, engine.observed.devices)) {
        bus.publishMade(topic, make, { kept: false });
      }
    });
  }, ["devices"]);
}
