import type { Config } from "../../config.ts";
import { differingMembers } from "../../core/config/memo.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { Device, Devices } from "../../devices/schema.ts";
import { TUNNEL } from "../schema.ts";

/** A VPN peer that came, changed its address, or went, as `wg:update` says it. */
export interface PeerEvent {
  readonly IP: string;
  readonly PublicKey: string;
  readonly Iface: string;
  readonly Name: string;
  readonly removed?: true;
}

/** The peers that a change of the devices added, changed or removed, removed ones first. */
function peerEvents(before: Devices, after: Devices): readonly PeerEvent[] {
  const identities = differingMembers(before, after);
  const peersOf = (devices: Devices): ReadonlyMap<string, Device> =>
    new Map(
      identities.flatMap((identity) => devices[identity] ?? [])
        .filter(({ WGPubKey }) => WGPubKey !== "")
        .map((device) => [device.WGPubKey, device]),
    );
  const old = peersOf(before), now = peersOf(after);
  return [
    ...[...old].filter(([key]) => !now.has(key))
      .map(([, device]): PeerEvent => ({ ...eventOf(device), removed: true })),
    ...[...now].filter(([key, device]) => old.get(key)?.RecentIP !== device.RecentIP)
      .map(([, device]) => eventOf(device)),
  ];
}

function eventOf({ RecentIP, WGPubKey, Name }: Device): PeerEvent {
  return { IP: RecentIP, PublicKey: WGPubKey, Iface: TUNNEL, Name };
}

/** Publishes {@link peerEvents} of every change from now on. Returns how to stop. */
export function publishPeerEvents({ engine, bus }: {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly bus: Pick<Bus, "publish" | "subscribe">;
}): () => void {
  let last = engine.config.devices;
  return bus.subscribe(() => {
    // Once the event is delivered: readers get events in the order of their ids.
    queueMicrotask(() => {
      const before = last;
      last = engine.config.devices;
      for (const event of peerEvents(before, last)) bus.publish("wg:update", event);
    });
  }, ["devices"]);
}
