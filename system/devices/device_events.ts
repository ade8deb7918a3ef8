import type { Config } from "../config.ts";
import { differingMembers } from "../core/config/memo.ts";
import type { ChangeEngine, Observations } from "../core/engine/change.ts";
import type { Bus } from "../core/events/bus.ts";
import { atOnce, inTurns } from "../core/time/slices.ts";
import { devicesAnswerSteps, maskedAnswer } from "./answer.ts";
import type { Device, Devices } from "./schema.ts";
import type { DeviceAnswer } from "./wire.ts";

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
 * Publishes what existing clients are sent of a change of the devices: each device as responses show it,
 * its password masked; a deleted one as it was. In small steps.
 */
function* eventSteps(
  { before, after, seen }: {
    readonly before: Devices;
    readonly after: Devices;
    readonly seen: Observations["devices"];
  },
  publish: (event: DeviceEvent) => void,
): Generator<void, void> {
  const changed = differingMembers(before, after)
    .filter((identity) => before[identity] !== after[identity]);
  if (changed.length === 0) return;
  const shown = (identity: string, device: Device): DeviceAnswer =>
    maskedAnswer(identity, device, seen[identity]);
  for (const identity of changed) {
    const device = after[identity];
    if (device !== undefined) shown(identity, device);
    yield;
  }
  // Computed once somebody reads it, who may be nobody.
  publish({ topic: "devices:save", make: () => atOnce(devicesAnswerSteps(after, seen)) });
  yield;
  for (const identity of changed) {
    const events = eventsOf(
      before[identity],
      after[identity],
      (device) => shown(identity, device),
    );
    for (const event of events) publish(event);
    yield;
  }
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
  /** Called with what kept the events of one change from being published. */
  readonly failed: (error: unknown) => void;
}

/**
 * Publishes the events of every change from now on, those of one after those of another. Returns how to
 * stop, which resolves when no more work is under way.
 */
export function publishDeviceEvents(
  { engine, bus, failed }: DeviceEventsDeps,
): () => Promise<void> {
  let last = engine.config.devices;
  let isStopped = false;
  let publishing = Promise.resolve();
  // Late readers do without: a sync of many devices would push out what they need.
  const publish = ({ topic, make }: DeviceEvent): void => {
    bus.publishMade(topic, make, { kept: false });
  };
  function* untilStopped(steps: Generator<void, void>): Generator<void, void> {
    while (!isStopped && !steps.next().done) yield;
  }
  const unsubscribe = bus.subscribe(() => {
    const before = last, after = last = engine.config.devices;
    const { devices: seen } = engine.observed;
    // Once the event is delivered: readers get events in the order of their ids.
    publishing = publishing
      .then(() => inTurns(untilStopped(eventSteps({ before, after, seen }, publish))))
      // The events of later changes are published all the same.
      .catch(failed);
  }, ["devices"]);
  return async () => {
    isStopped = true;
    unsubscribe();
    await publishing;
  };
}
