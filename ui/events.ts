import { effect, signal } from "@preact/signals";
import { stage, start } from "./session.ts";
import {
  changesSeen,
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

const loads: Readonly<Record<string, readonly (() => unknown)[]>> = {
  devices: [loadDevices],
  groups: [loadGroups],
  leases: [loadDevices],
  rules: [loadNetwork],
  changes: [loadTrial, loadNetwork, () => changesSeen.value++],
  alert: [loadNotices, loadNetwork],
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

  function open(): void {
    source = new EventSource("/events");
    source.onopen = () => {
      link.value = "live";
      for (const act of Object.values(loads).flat()) due.add(act);
      heard("devices");
    };
    source.onerror = () => {
      link.value = "lost";
      if (source?.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(() => void start().finally(() => stage.value === "in" && open()), RETRY);
    };
    for (const topic of Object.keys(loads)) source.addEventListener(topic, () => heard(topic));
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
    void loadAll();
    open();
    return close;
  });
  return () => {
    stop();
    close();
  };
}
