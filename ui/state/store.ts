import { computed, type Signal, signal } from "@preact/signals";
import { call } from "../api/client.ts";
import { reuseEqual } from "./reuse_equal.ts";
import { ApiProblem, textOf } from "../api/problem.ts";
import { isPendingApproval } from "../text/format.ts";
import type { ConfirmWindow, Devices, Group, Network, Notice, PackageList, Page } from "../wire.ts";

/** What the router says, kept current by events; null until it was loaded once. */
export const devices = signal<Devices | null>(null);
export const groups = signal<readonly Group[] | null>(null);
export const network = signal<Network | null>(null);
/** Debian packages of the network; null until a page or an event loads them. */
export const packages = signal<PackageList | null>(null);
export const notices = signal<readonly Notice[]>([]);
/** Why the last load of something failed; null when it did not. */
export const loadProblem = signal<string | null>(null);
/** Counts the events about changes, so that the history loads anew. */
export const changeEvents = signal(0);

/** Counts reports of the radios: pages that show their state load it anew. */
export const radioEvents = signal(0);
/** Counts changes of how plugins run. */
export const pluginEvents = signal(0);

/** The confirm window, with its end by this machine’s monotonic clock. */
export interface PendingConfirm {
  readonly id: string;
  readonly summary: string;
  /** `performance.now()` at the end. */
  readonly endsAt: number;
  /** Wall clock of this machine at the end, unix milliseconds. */
  readonly until: number;
  /** Seconds that were left when it was first seen. */
  readonly from: number;
}
export const pendingConfirm = signal<PendingConfirm | null>(null);
/** Origins under which the router responds during the confirm window; null while there is none. */
export const reachableOrigins = signal<readonly string[] | null>(null);
/**
 * Confirms a change from another of the router’s addresses, and answers what went wrong. Set by the
 * watch: once the router has moved, this page can load no code that it does not have yet.
 */
export const confirmElsewhere = signal<((id: string) => Promise<ApiProblem | null>) | null>(null);
/** Where the router is after a change that moved it was kept from there. */
export const movedTo = signal<string | null>(null);

/** Devices that wait for a person. */
export const pendingCount = computed(() =>
  Object.values(devices.value ?? {}).filter(isPendingApproval).length
);

let requests = 0;
/** Which question each path's shown answer is of: an older answer may come after a newer one. */
const shownRequest = new Map<string, number>();

async function load<T, V>(path: string, into: Signal<V>, pick: (body: T) => V): Promise<void> {
  const turn = ++requests;
  try {
    const { body } = await call<T>({ path });
    if (turn < (shownRequest.get(path) ?? 0)) return;
    shownRequest.set(path, turn);
    into.value = pick(body);
    loadProblem.value = null;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return;
    loadProblem.value = textOf(error);
  }
}

export function loadDevices(): Promise<void> {
  return load<Devices, Devices | null>(
    "/devices",
    devices,
    (body) => reuseEqual(devices.peek(), body),
  );
}

export function loadGroups(): Promise<void> {
  return load<Group[], readonly Group[] | null>("/groups", groups, (body) => body);
}

export function loadNetwork(): Promise<void> {
  return load<Network, Network | null>("/network", network, (body) => body);
}

export function loadPackages(): Promise<void> {
  return load<PackageList, PackageList | null>("/packages", packages, (body) => body);
}

export function loadNotices(): Promise<void> {
  return load<Page<Notice>, readonly Notice[]>("/notices", notices, (body) => body.items);
}

export function loadPendingConfirm(): Promise<void> {
  return load<{ window: ConfirmWindow | null }, PendingConfirm | null>(
    "/changes/window",
    pendingConfirm,
    ({ window }) => {
      if (window === null) return null;
      const left = window.secondsLeft * 1000;
      const known = pendingConfirm.peek();
      return {
        id: window.id,
        summary: window.summary,
        endsAt: performance.now() + left,
        until: Date.now() + left,
        from: known?.id === window.id ? known.from : window.secondsLeft,
      };
    },
  );
}

/** Loads everything that the shell and the first pages show. */
export async function loadAll(): Promise<void> {
  await Promise.all([
    loadDevices(),
    loadGroups(),
    loadNetwork(),
    loadNotices(),
    loadPendingConfirm(),
  ]);
}
