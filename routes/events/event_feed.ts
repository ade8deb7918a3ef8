import { onceEach } from "../../system/core/config/memo.ts";
import type { Bus, BusEvent } from "../../system/core/events/bus.ts";

/** Milliseconds after events went out in which further ones are gathered. */
const GATHER_MS = 25;
/** Events that are handed out without waiting for more. */
const MAX_GATHERED = 1000;

/** Events after which a reader's authorization may have ended: they wait for nothing. */
const ENDING: readonly string[] = ["auth:logout", "auth:token:delete"];

/** Takes events that came together, oldest first; must not throw. */
export type EventReader = (events: readonly BusEvent[]) => void;

/**
 * Events for the readers of many connections, who get the same list of them: at the end of this turn, or
 * a moment after the last ones. A write to a connection costs much more than an event in it, and what
 * is made of such a list is made once for all readers.
 */
class EventFeed {
  readonly #bus: Pick<Bus, "subscribe">;
  readonly #readers = new Set<EventReader>();
  #unsubscribe = (): void => {};
  #events: BusEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;
  #last = -Infinity;

  constructor(bus: Pick<Bus, "subscribe">) {
    this.#bus = bus;
  }

  /** Calls the reader for later events until the returned function is called. */
  subscribe(reader: EventReader): () => void {
    // What was published before goes to the others alone.
    this.flush();
    if (this.#readers.size === 0) {
      this.#unsubscribe = this.#bus.subscribe((event) => this.#take(event));
    }
    this.#readers.add(reader);
    return () => {
      if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
      this.#unsubscribe();
      this.#rest();
    };
  }

  /** Hands out what waits. */
  flush(): void {
    const events = this.#events;
    this.#rest();
    if (events.length === 0) return;
    this.#last = performance.now();
    for (const reader of [...this.#readers]) if (this.#readers.has(reader)) reader(events);
  }

  #take(event: BusEvent): void {
    this.#events.push(event);
    if (this.#events.length >= MAX_GATHERED) return this.flush();
    if (ENDING.includes(event.topic)) return queueMicrotask(() => this.flush());
    if (this.#isDue) return;
    this.#isDue = true;
    const wait = this.#last + GATHER_MS - performance.now();
    if (wait > 0) this.#timer = setTimeout(() => this.flush(), wait);
    else queueMicrotask(() => this.flush());
  }

  #rest(): void {
    this.#events = [];
    this.#isDue = false;
    clearTimeout(this.#timer);
  }
}

/** The one feed of a bus. */
export const feedOf: (bus: Pick<Bus, "subscribe">) => EventFeed = onceEach((bus) =>
  new EventFeed(bus)
);

/** Whether one of the events may have ended the authorization of a reader. */
export function mayEndReaders(events: readonly BusEvent[]): boolean {
  return events.some(({ topic }) => ENDING.includes(topic));
}
