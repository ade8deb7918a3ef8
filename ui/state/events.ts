import { effect, signal } from "@preact/signals";
import { revive, stage } from "./session.ts";
import {
  changesSeen,
  devices,
  loadAll,
  loadDevices,
  loadGroups,
  loadNetwork,
  loadNotices,
  loadTrial,
} from "./store.ts";

/** Whether what is shown follows the router at this moment. */
export const link = signal<"connecting" | "live" | "lost">("connecting");

const SETTLE = 120;
const RETRY = 3000;
/** A stream that is not open after this long no longer holds up the first load, in milliseconds. */
const PATIENCE = 700;

const loads: Readonly<Record<string, readonly (() => unknown)[]>> = {
  devices: [loadDevices],
  leases: [loadDevices],
  groups: [loadGroups],
  changes: [loadTrial, () => changesSeen.value++],
  network: [loadNetwork],
  notices: [loadNotices],
};

/** Follows the event stream while somebody is signed in; answers how to stop. */
export function follow(): () => void {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const due = new Set<() => unknown>();
  let settle: ReturnType<typeof setTimeout> | undefined;

  function heard(topic: string): void {
    for (const act of loads[topic] ?? []) due.add(act);
    settle ??= setTimeout(() => {
      settle = undefined;
      const acts = [...due];
      due.clear();
      for (const act of acts) act();
    }, SETTLE);
  }

  function everything(): void {
    for (const act of new Set(Object.values(loads).flat())) act();
  }

  function again(): void {
    retry = setTimeout(async () => {
      const found = await revive();
      if (stage.value !== "in") return;
      if (found === "alive") open();
      else again();
    }, RETRY);
  }

  function open(): void {
    source = new EventSource(`/events?topics=${Object.keys(loads).join(",")}`);
    source.onopen = () => {
      link.value = "live";
      everything();
    };
    source.onerror = () => {
      link.value = "lost";
      if (source?.readyState === EventSource.CLOSED) again();
    };
    for (const topic of Object.keys(loads)) source.addEventListener(topic, () => heard(topic));
    source.addEventListener("resync", everything);
  }

  function close(): void {
    source?.close();
    source = null;
    clearTimeout(retry);
    clearTimeout(settle);
    settle = undefined;
    due.clear();
  }

  const stop = effect(() => {
    if (stage.value !== "in") return;
    link.value = "connecting";
    // The stream opens first, so that nothing falls between what is loaded and what is heard.
    open();
    const slow = setTimeout(() => devices.peek() === null && void loadAll(), PATIENCE);
    return () => {
      clearTimeout(slow);
      close();
    };
  });
  return () => {
    stop();
    close();
  };
}
