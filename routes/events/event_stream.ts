import { Buffer } from "node:buffer";
import { onceEach } from "../../system/core/config/memo.ts";
import type { Bus, BusEvent } from "../../system/core/events/bus.ts";
import type { EventStore } from "../../system/events/store/event_store.ts";
import { readsNothing } from "../../system/events/topics/topic_access.ts";
import { feedOf, mayEndReaders } from "./event_feed.ts";

/** A reader that has this many bytes waiting is dropped; it can go on from its last event. */
const WAITING = 1024 * 1024;

/** Silence after which a comment tells both sides that the other is there, in milliseconds. */
const HEARTBEAT = 15_000;

/** Sent instead of events to a reader that may read no topic. */
const SILENT =
  ": this token covers no topic; add the paths that events are about, as /devices:r\n\n";

/** What a stream carries, and from where. */
export interface EventStreamOptions {
  readonly bus: Bus;
  /** Where missed events are read from; absent: what the bus remembers. */
  readonly store?: Pick<EventStore, "since"> | undefined;
  /** Aborted when the process is about to end: streams close. */
  readonly ending: AbortSignal;
  /** Whether the reader may read a topic. */
  readonly mayRead: (topic: string) => boolean;
  readonly holds: () => Promise<boolean>;
  /** Beginnings of the topics that are sent; empty: all. */
  readonly topics: readonly string[];
  /** Id of the last event that the reader has; null: only what comes. */
  readonly after: number | null;
  /** Called once when the stream has ended. */
  readonly closed: () => void;
  /** Milliseconds of silence before a heartbeat; default 15 s. */
  readonly heartbeat?: number;
}

/** Events as the bytes of a server-sent event stream, until the reader goes or falls behind. */
export function eventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  let end = (): void => {};
  /** Called when the reader has taken something. */
  let taken = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(controller): void {
      let ended = false;
      /** Live events while those that were missed are sent; null afterwards. */
      let held: BusEvent[] | null = options.after === null ? null : [];
      const enqueue = (bytes: Uint8Array): void => {
        if (!ended && bytes.length > 0) controller.enqueue(bytes);
      };
      const isFull = (): boolean => (controller.desiredSize ?? 0) <= 0;
      const send = (bytes: Uint8Array): void => {
        enqueue(bytes);
        if (!ended && isFull()) finish();
      };
      const sendAll = (events: readonly BusEvent[]): void => {
        const bytes = bytesOf(events);
        if (bytes.length <= (controller.desiredSize ?? 0)) enqueue(bytes);
        // Not all of it fits: those that do, and then the end.
        else for (const event of events) send(eventBytes(event));
      };
      const check = (): void => void options.holds().then((held) => held || finish(), finish);
      const isWanted = (topic: string): boolean =>
        wanted(topic, options.topics) && options.mayRead(topic);
      const pass = (events: readonly BusEvent[]): void => {
        if (held === null) {
          const those = events.filter(({ topic }) => isWanted(topic));
          sendAll(those.length === events.length ? events : those);
        } else {
          held.push(...events);
          if (held.length > MAX_HELD) finish();
        }
        if (mayEndReaders(events)) check();
      };
      const feed = feedOf(options.bus);
      const unsubscribe = feed.subscribe(pass);
      const first = options.bus.last;
      const timer = setInterval(() => {
        send(encoder.encode(": still here\n\n"));
        check();
      }, options.heartbeat ?? HEARTBEAT);
      end = (): void => {
        if (ended) return;
        ended = true;
        unsubscribe();
        clearInterval(timer);
        options.ending.removeEventListener("abort", finish);
        taken();
        options.closed();
      };
      function finish(): void {
        if (ended) return;
        feed.flush();
        if (ended) return;
        end();
        controller.close();
      }
      /** Sends what was missed, as fast as the reader takes it, then what came meanwhile. */
      async function catchUp(after: number): Promise<void> {
        const sent = new Set<number>();
        try {
          for await (const events of missed(options, after)) {
            if (ended) return;
            for (const { id } of events) if (id > first) sent.add(id);
            enqueue(bytesOf(events.filter(({ topic }) => isWanted(topic))));
            if (isFull()) await new Promise<void>((resolve) => taken = resolve);
          }
        } catch (error) {
          enqueue(resync(error instanceof LostEvents ? error.reason : "away"));
        }
        // What is gathered still may be among what was sent: it comes to the other held events.
        feed.flush();
        const rest = held!;
        held = null;
        if (!ended) pass(rest.filter(({ id }) => !sent.has(id)));
      }
      options.ending.addEventListener("abort", finish);
      send(encoder.encode("retry: 2000\n\n"));
      if (readsNothing(options.mayRead)) send(encoder.encode(SILENT));
      if (options.after !== null) void catchUp(options.after);
      if (options.ending.aborted) finish();
    },
    pull(): void {
      taken();
    },
    cancel(): void {
      end();
    },
  }, new ByteLengthQueuingStrategy({ highWaterMark: WAITING }));
}

/** Why a reader must read state again. */
class LostEvents extends Error {
  readonly reason: "gone" | "unknown";

  constructor(reason: LostEvents["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

/** Live events that wait while a reader takes in what it missed; one that needs more is dropped. */
const MAX_HELD = 20_000;
/** Missed events that are read at a time. */
const MISSED_PER_READ = 200;

/** Events after an id, oldest first, some at a time. Throws {@link LostEvents}. */
async function* missed(
  { bus, store }: Pick<EventStreamOptions, "bus" | "store">,
  after: number,
): AsyncGenerator<readonly BusEvent[]> {
  if (after > bus.last) throw new LostEvents("unknown");
  if (store === undefined) {
    const events = bus.since(after);
    if (events === null) throw new LostEvents("gone");
    return yield events;
  }
  for (let from = after;;) {
    const rows = await store.since(from, MISSED_PER_READ);
    if (rows === null) throw new LostEvents("gone");
    yield rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
    if (rows.length < MISSED_PER_READ) return;
    from = rows.at(-1)!.id;
  }
}

function resync(reason: string): Uint8Array {
  return encoder.encode(`event: resync\ndata: ${JSON.stringify({ reason })}\n\n`);
}

/** An event that holds a whole list; only a reader that names its topic is sent it. */
const WHOLE_LIST = "devices:save";

function wanted(topic: string, beginnings: readonly string[]): boolean {
  if (topic === WHOLE_LIST) return beginnings.includes(topic);
  return beginnings.length === 0 || beginnings.some((beginning) => topic.startsWith(beginning));
}

/** The same bytes for every reader: many may listen to many events. */
const bytesOf = onceEach((events: readonly BusEvent[]): Uint8Array =>
  Buffer.concat(events.map(eventBytes))
);
const eventBytes = onceEach((event: BusEvent): Uint8Array => {
  const data = JSON.stringify({ topic: event.topic, at: event.at, data: event.data });
  return encoder.encode(`id: ${event.id}\nevent: ${event.topic}\ndata: ${data}\n\n`);
});

const encoder = new TextEncoder();
