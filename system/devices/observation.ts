import { derive } from "../core/config/memo.ts";
import type { DeviceObservation, Observations } from "../core/engine/change.ts";
import type { Devices } from "./schema.ts";

/** A sighting may be ahead by so many milliseconds, from clocks that are set little by little: a minute. */
const SKEW = 60_000;

/** Something seen of a device. */
export interface Sighting {
  readonly identity: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly link: string;
  readonly online: boolean;
  /** What it calls itself in DHCP; what it said before stays where this is left out. */
  readonly clientId?: string | undefined;
}

/** What was seen, with this sighting taken in. */
export function sighted(observed: Observations, sighting: Sighting): Observations {
  const before = observed.devices[sighting.identity];
  const clientId = sighting.clientId ?? before?.clientId;
  const after: DeviceObservation = {
    firstSeen: before?.firstSeen || sighting.at,
    lastSeen: sighting.at,
    link: sighting.link,
    online: sighting.online,
    ...(clientId === undefined ? {} : { clientId }),
  };
  return { ...observed, devices: derive(observed.devices, { [sighting.identity]: after }) };
}

/** A device left this link; one that was seen elsewhere meanwhile stays online. */
export function left(observed: Observations, identity: string, link: string): Observations {
  const before = observed.devices[identity];
  if (before === undefined || !before.online || before.link !== link) return observed;
  return {
    ...observed,
    devices: derive(observed.devices, { [identity]: { ...before, online: false } }),
  };
}

/**
 * A device goes by another name from now on: what was seen of it goes along. The old name keeps it as
 * that of a deleted device, for the day on which it comes back by an undo.
 */
export function renamed(observed: Observations, from: string, to: string): Observations {
  const seen = observed.devices[from];
  if (seen === undefined) return observed;
  const gone = { ...seen, link: null, online: false };
  return { ...observed, devices: { ...observed.devices, [from]: gone, [to]: seen } };
}

/**
 * Takes the last sighting off guests that were disabled for staying away, so that one who is let in
 * again is not disabled at once for the same absence.
 */
export function unseen(observed: Observations, identities: readonly string[]): Observations {
  const devices = { ...observed.devices };
  for (const identity of identities) {
    const seen = devices[identity];
    if (seen !== undefined) devices[identity] = { ...seen, lastSeen: 0 };
  }
  return { ...observed, devices };
}

/**
 * Takes devices offline whose last sighting is older than their lease: a client renews at half of it
 * (RFC 2131 4.4.5), so one that let it run out has gone. The same object when there is none.
 */
export function faded(observed: Observations, since: number): Observations {
  const gone = Object.entries(observed.devices)
    .filter(([, seen]) => seen.online && seen.lastSeen < since);
  if (gone.length === 0) return observed;
  const offline = gone.map(([identity, seen]) => [identity, { ...seen, online: false }]);
  return { ...observed, devices: { ...observed.devices, ...Object.fromEntries(offline) } };
}

/**
 * Takes sightings from ahead for ones of now: they were written under a wrong clock, and would keep a
 * device online for as long as it was wrong by. The same object when there is none.
 */
export function notAhead(observed: Observations, now: number): Observations {
  const ahead = Object.entries(observed.devices).filter(([, seen]) => seen.lastSeen > now + SKEW);
  if (ahead.length === 0) return observed;
  const back = ahead.map(([identity, seen]) => [identity, { ...seen, lastSeen: now }]);
  return { ...observed, devices: { ...observed.devices, ...Object.fromEntries(back) } };
}

/**
 * Forgets what is no device and was not seen since `since` (unix milliseconds): a device that was
 * deleted, an unapproved station. The same object when there is none.
 */
export function pruned(observed: Observations, devices: Devices, since: number): Observations {
  const kept = Object.entries(observed.devices).filter(([identity, seen]) =>
    Object.hasOwn(devices, identity) || seen.lastSeen >= since
  );
  return kept.length === Object.keys(observed.devices).length
    ? observed
    : { ...observed, devices: Object.fromEntries(kept) };
}
