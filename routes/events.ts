import type { Context } from "hono";
import { z } from "zod";
import { sourceKey } from "../system/core/net/net.ts";
import type { Bus, BusEvent } from "../system/core/events/bus.ts";
import { Problem } from "../system/core/errors/problem.ts";
import type { EventStore } from "../system/events/store/event_store.ts";
import { readsNothing } from "../system/events/topics/topic_access.ts";
import { type Route, route } from "./http/route.ts";

/** What the event stream needs from outside. */
export interface EventsDeps {
  readonly bus: Bus;
  /** Where missed events are read from; absent: what the bus remembers. */
  readonly store?: Pick<EventStore, "since"> | undefined;
  /** Aborted when the process is about to end: streams close. */
  readonly ending: AbortSignal;
  /** Which topics a caller may read. */
  readonly reads: (c: Context) => Promise<(topic: string) => boolean>;
  /** False once the reader signed out, or its token is gone; checked at each heartbeat and sign-out. */
  readonly holds: (c: Context) => Promise<boolean>;
}

/** A reader that has this many bytes waiting is dropped; it can go on from its last event. */
const WAITING = 1024 * 1024;

/** Silence after which a comment tells both sides that the other is there, in milliseconds. */
const HEARTBEAT = 15_000;

/** Events after which a reader's authorization may have ended. */
const ENDING: readonly string[] = ["auth:logout", "auth:token:delete"];

/** Streams open at a time, in all and of one source: no reader takes them all. */
const STREAMS = { all: 200, source: 32 } as const;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // A proxy must pass each event on at once.
  "x-accel-buffering": "no",
};

/** Sent instead of events to a reader that may read no topic. */
const SILENT =
  ": this token covers no topic; add the paths that events are about, as /devices:r\n\n";

/** Id of the last event that the reader has; one that is none of ours counts as missing. */
const EventId = z.string().optional()
  .transform((id) => id !== undefined && /^\d{1,16}$/.test(id) ? Number(id) : null)
  .describe("Id of the last event that was read; the stream goes on after it");

/** The live stream of what happens, as server-sent events. */
export function eventsRoutes({ bus, store, ending, reads, holds }: EventsDeps): Route[] {
  /** Sources of the streams that are open, one entry each. */
  const open: string[] = [];
  return [
    route({
      method: "GET",
      path: "/events",
      tag: "Events",
      access: "auth",
      summary: "Live event stream (server-sent events)",
      description:
        "Streams events as they happen, each with the fields `topic`, `at` (unix milliseconds) and " +
        "`data`. After `Last-Event-ID` the events that were missed and stored follow first, also after a " +
        "restart; the event `resync` means that state must be read again: some are deleted (`gone`), " +
        "no event had that id (`unknown`), or the store is away (`away`). Silence is broken by a comment every 15 " +
        "seconds. `devices:save`, which holds every device, comes only where `topics` names it. A " +
        "token with scopes is sent the topics whose path it may read, as docs/events.md lists them.",
      examples: { parameters: { topics: "device:,notices", "Last-Event-ID": "1042" } },
      query: z.object({
        topics: z.string().max(1000).optional().describe("Beginnings of topics, joined by commas"),
      }),
      headers: z.object({ "Last-Event-ID": EventId }),
      mediaType: HEADERS["content-type"],
      errors: [400, 503],
    }, async ({ c, query, headers, caller }) => {
      const mayRead = await reads(c);
      if (c.req.method === "HEAD") return new Response(null, { headers: HEADERS });
      const source = sourceKey(caller.from ?? "");
      const own = open.filter((other) => other === source).length;
      if (open.length >= STREAMS.all || own >= STREAMS.source) {
        throw new Problem(503, "Too many event streams are open", {
          headers: { "retry-after": "10" },
        });
      }
      open.push(source);
      const body = eventStream({
        bus,
        store,
        ending,
        topics: query.topics?.split(",").filter((topic) => topic !== "") ?? [],
        after: headers["Last-Event-ID"],
        mayRead,
        holds: () => holds(c),
        closed: () => open.splice(open.indexOf(source), 1),
      });
      return new Response(body, { headers: HEADERS });
    }),
  ];
}

/** What a stream carries, and from where. */
export interface EventStreamOptions extends Omit<EventsDeps, "holds" | "reads"> {
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
  const encoder = new TextEncoder();
  let end = (): void => {};
  /** Called when the reader has taken something. */
  let taken = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(controller): void {
      let ended = false;
      /** Live events while those that were missed are sent; null afterwards. */
      let held: BusEvent[] | null = options.after === null ? null : [];
      const enqueue = (text: string): void => {
        if (!ended) controller.enqueue(encoder.encode(text));
      };
      const isFull = (): boolean => (controller.desiredSize ?? 0) <= 0;
      const send = (text: string): void => {
        enqueue(text);
        if (!ended && isFull()) finish();
      };
      const check = (): void => void options.holds().then((held) => held || finish(), finish);
      const isWanted = (topic: string): boolean =>
        wanted(topic, options.topics) && options.mayRead(topic);
      const pass = (event: BusEvent): void => {
        if (held !== null) {
          held.push(event);
          if (held.length > MAX_HELD) finish();
        } else if (isWanted(event.topic)) send(eventText(event));
        if (ENDING.includes(event.topic)) check();
      };
      const unsubscribe = options.bus.subscribe(pass);
      const timer = setInterval(() => {
        send(": still here\n\n");
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
        end();
        controller.close();
      }
      /** Sends what was missed, as fast as the reader takes it, then what came meanwhile. */
      async function catchUp(after: number): Promise<void> {
        const sent = new Set<number>();
        try {
          for await (const event of missed(options, after)) {
            if (ended) return;
            if (held!.length > 0) sent.add(event.id);
            if (!isWanted(event.topic)) continue;
            enqueue(eventText(event));
            if (isFull()) await new Promise<void>((resolve) => taken = resolve);
          }
        } catch (error) {
          enqueue(resync(error instanceof LostEvents ? error.reason : "away"));
        }
        const rest = held!;
        held = null;
        for (const event of rest) if (!sent.has(event.id)) pass(event);
      }
      options.ending.addEventListener("abort", finish);
      send("retry: 2000\n\n");
      if (readsNothing(options.mayRead)) send(SILENT);
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

/** Events after an id, oldest first. Throws {@link LostEvents}. */
async function* missed(
  { bus, store }: Pick<EventStreamOptions, "bus" | "store">,
  after: number,
): AsyncGenerator<Omit<BusEvent, "data"> & { readonly data: unknown }> {
  if (after > bus.last) throw new LostEvents("unknown");
  if (store === undefined) {
    const events = bus.since(after);
    if (events === null) throw new LostEvents("gone");
    return yield* events;
  }
  for (let from = after;;) {
    const rows = await store.since(from, MISSED_PER_READ);
    if (rows === null) throw new LostEvents("gone");
    for (const row of rows) yield { ...row, data: JSON.parse(row.data) };
    if (rows.length < MISSED_PER_READ) return;
    from = rows.at(-1)!.id;
  }
}

function resync(reason: string): string {
  return `event: resync\ndata: ${JSON.stringify({ reason })}\n\n`;
}

/** An event that holds a whole list; only a reader that names its topic is sent it. */
const WHOLE_LIST = "devices:save";

function wanted(topic: string, beginnings: readonly string[]): boolean {
  if (topic === WHOLE_LIST) return beginnings.includes(topic);
  return beginnings.length === 0 || beginnings.some((beginning) => topic.startsWith(beginning));
}

function eventText(event: BusEvent): string {
  const data = JSON.stringify({ topic: event.topic, at: event.at, data: event.data });
  return `id: ${event.id}\nevent: ${event.topic}\ndata: ${data}\n\n`;
}
