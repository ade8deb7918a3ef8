import type { Config } from "../config.ts";
import { differingMembers } from "../core/config/memo.ts";
import { conflict, notFound } from "../core/errors/problem.ts";
import type { Bus } from "../core/events/bus.ts";
import { NOTICE_RETENTION_MS, type NoticeRecord } from "../core/events/notice.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { isUndecided, titleOf, withDevice, withDisabled } from "../devices/device.ts";
import { defaultPolicies } from "../devices/policies.ts";
import type { Device } from "../devices/schema.ts";

/** Kind of the notice about a device that joined and waits for a decision. */
export const NEW_DEVICE = "new-device";

/** What may be decided about a new device by one call. */
export const NEW_DEVICE_ACTS = ["allow", "guest", "block"] as const;
export type NewDeviceAct = (typeof NEW_DEVICE_ACTS)[number];

/** How long a guest is let in, in seconds. */
const GUEST_S = 86_400;

/** The device after a decision: the Internet for good, for a day, or nothing. `now`: unix seconds. */
function decided(device: Device, act: NewDeviceAct, now: number): Device {
  switch (act) {
    case "allow":
      return { ...device, Policies: ["wan", "dns", "noapi"] };
    case "guest":
      return {
        ...device,
        Policies: defaultPolicies("guest"),
        DeviceTags: [...new Set([...device.DeviceTags, "guest"])],
        DeviceExpiration: now + GUEST_S,
      };
    case "block":
      return withDisabled(device, true);
  }
}

/**
 * Decides about a device. Throws Problem 404 where it is gone, and 409 where another decision came
 * first: a link that was sent may be opened by several people, or late.
 */
export function decideNewDevice(
  config: Config,
  identity: string,
  { act, now }: { readonly act: NewDeviceAct; readonly now: number },
): Config {
  const device = config.devices[identity];
  if (device === undefined) throw notFound("This device is gone");
  if (!isUndecided(device)) throw conflict("This device was already allowed or blocked");
  return withDevice(config, identity, decided(device, act, now));
}

/** A decision in the words of the history. */
export function newDeviceSummary(config: Config, identity: string, act: NewDeviceAct): string {
  const text = { allow: "Allowed", guest: "Allowed for a day:", block: "Blocked" };
  return `${text[act]} ${titleOf(identity, config.devices[identity])}`;
}

/**
 * Opens a notice for each device that joins by itself, and resolves it once somebody decided about the
 * device or deleted it; what a crash kept from either is done at once. Returns how to stop, which
 * resolves when all of it is stored.
 */
export function watchNewDevices({ engine, bus, notices, now, failed }: {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly notices: NoticeRecord;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly failed: (error: unknown) => void;
}): () => Promise<void> {
  let storing: Promise<unknown> = Promise.resolve();
  const follow = (work: Promise<void>): void => {
    storing = Promise.all([storing, work.catch(failed)]).then(() => {});
  };
  let last = engine.config.devices;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** What the last run was kept from: a device is saved before its notice is. */
  async function catchUp(): Promise<void> {
    const before = last;
    const known = await notices.subjects(NEW_DEVICE);
    const { config: { devices }, observed } = engine;
    const undecided = new Set(
      Object.keys(devices).filter((identity) => isUndecided(devices[identity]!)),
    );
    // The notice of one that joined earlier may have been closed, and be gone by now.
    const since = now() - NOTICE_RETENTION_MS;
    const isMissing = (identity: string): boolean =>
      !known.has(identity) && (observed.devices[identity]?.firstSeen ?? 0) > since;
    await Promise.all([
      ...[...undecided].filter((identity) => before[identity] !== undefined && isMissing(identity))
        .map((identity) => open(identity, devices[identity]!)),
      ...[...known].filter(([identity, isOpen]) => isOpen && !undecided.has(identity))
        .map(([identity]) => notices.settle(NEW_DEVICE, identity)),
    ]);
  }
  async function look(): Promise<void> {
    timer = undefined;
    const before = last;
    const devices = last = engine.config.devices;
    await Promise.all(
      differingMembers(before, devices).flatMap((identity) => {
        const old = before[identity], device = devices[identity];
        const waited = old !== undefined && isUndecided(old);
        const waits = device !== undefined && isUndecided(device);
        if (waits && old === undefined) return [open(identity, device)];
        return waited && !waits ? [notices.settle(NEW_DEVICE, identity)] : [];
      }),
    );
  }
  async function open(identity: string, device: Device): Promise<void> {
    const link = engine.observed.devices[identity]?.link ?? "";
    const where = link === "" ? "" : ` on ${link}`;
    await notices.open(
      NEW_DEVICE,
      `${titleOf(identity, device)} is new${where}: no access until you decide`,
      { subject: identity, identity, name: device.Name, link },
    );
  }
  follow(catchUp());
  const unsubscribe = bus.subscribe(() => {
    // The device that joined gets its address first: a notice waits for the disk.
    timer ??= setTimeout(() => follow(look()), 0);
    const decided = differingMembers(last, engine.config.devices)
      .some((identity) => last[identity] !== undefined);
    if (!decided) return;
    clearTimeout(timer);
    queueMicrotask(() => follow(look()));
  }, ["devices"]);
  return async () => {
    unsubscribe();
    if (timer !== undefined) {
      clearTimeout(timer);
      follow(look());
    }
    await storing;
  };
}
