import type { Context } from "hono";
import * as z from "zod";
import { TopicBeginning } from "../system/events/topics/topic.ts";
import { sourceKey } from "../system/core/net/net.ts";
import type { Bus } from "../system/core/events/bus.ts";
import { Problem } from "../system/core/errors/problem.ts";
import type { EventStore } from "../system/events/store/event_store.ts";
import { eventStream } from "./events/event_stream.ts";
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

/** Streams open at a time, in all and of one source: no reader takes them all. */
const STREAMS = { all: 200, source: 32 } as const;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // A proxy must pass each event on at once.
  "x-accel-buffering": "no",
};

/** Id of the last event that the reader has; one that is none of ours counts as missing. */
const EventId = z.string().optional()
  .transform((id) => id !== undefined && /^\d+$/.test(id) ? Number(id) : null)
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
        topics: TopicBeginning.max(1000).optional()
          .describe("Beginnings of topics, joined by commas"),
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
