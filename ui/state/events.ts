import { effect, signal } from "@preact/signals";
import { checkSession, stage } from "./session.ts";
import {
  changeEvents,
  devices,
  loadAll,
  loadDevices,
  loadGroups,
  loadNetwork,
  loadNotices,
  loadPackages,
  loadPendingConfirm,
  pluginEvents,
  radioEvents,
} from "./store.ts";

/** Whether what is shown follows the router at this moment. */
export const connection = signal<"connecting" | "live" | "lost">("connecting");

const BATCH_DELAY_MS = 120;
const RETRY_DELAY_MS = 3000;
/** A stream that is not open after this long no longer holds up the first load, in milliseconds. */
const OPEN_TIMEOUT_MS = 1500;

const loads: Readonly<Record<string, readonly (() => unknown)[]>> = {
  devices: [loadDevices],
  leases: [loadDevices],
  groups: [loadGroups],
  "group:schedule": [loadGroups],
  changes: [loadPendingConfirm, () => changeEvents.value++],
  network: [loadNetwork],
  radio: [() => radioEvents.value++],
  "radio:present": [() => radioEvents.value++],
  "plugins:state": [() => pluginEvents.value++],
  notices: [loadNotices],
  packages: [loadPackages],
};

/** Follows the event stream while somebody is signed in; answers how to stop. */
export function followEvents(): () => void {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const due = new Set<() => unknown>();
  let settle: ReturnType<typeof setTimeout> | undefined;

  function queueLoads(topic: string): void {
    for (const act of loads[topic] ?? []) due.add(act);
    settle ??= setTimeout(() => {
      settle = undefined;
      const acts = [...due];
      due.clear();
      for (const act of acts) act();
    }, BATCH_DELAY_MS);
  }

  function reloadAll(): void {
    for (const act of new Set(Object.values(loads).flat())) act();
  }

  function retryLater(): void {
    retry = setTimeout(async () => {
      const found = await checkSession();
      if (stage.value !== "in") return;
      if (found === "alive") open();
      else retryLater();
    }, RETRY_DELAY_MS);
  }

  function open(): void {
    source = new EventSource(`/events?topics=${Object.keys(loads).join(",")}`);
    source.onopen = () => {
      connection.value = "live";
      reloadAll();
    };
    source.onerror = () => {
      connection.value = "lost";
      if (source?.readyState === EventSource.CLOSED) retryLater();
    };
    for (const topic of Object.keys(loads)) source.addEventListener(topic, () => queueLoads(topic));
    source.addEventListener("resync", reloadAll);
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
    connection.value = "connecting";
    // The stream opens first, so that nothing falls between what is loaded and what is received.
    open();
    const slow = setTimeout(() => devices.peek() === null && void loadAll(), OPEN_TIMEOUT_MS);
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
