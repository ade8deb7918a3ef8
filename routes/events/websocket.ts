import { Buffer } from "node:buffer";
import type { Context } from "hono";
import { admit, type Identity, invalidJwt } from "../../system/access/identity.ts";
import type { Access } from "../../system/access/open.ts";
import { onceEach } from "../../system/core/config/memo.ts";
import { sourceKey } from "../../system/core/net/net.ts";
import { socketCredentials } from "../../system/access/socket_credentials.ts";
import type { Bus, BusEvent } from "../../system/core/events/bus.ts";
import { invalid, Problem } from "../../system/core/errors/problem.ts";
import { socketMessages } from "../../system/events/socket_message.ts";
import { topicAccess } from "../../system/events/topics/topic_access.ts";
import { feedOf, mayEndReaders } from "./event_feed.ts";
import type { FrameWriter } from "../http/front/relayed_connection.ts";
import { textFrames } from "../http/front/websocket_frames.ts";
import { peerFrom } from "../http/peer.ts";
import { type Route, route } from "../http/route.ts";

/** What the WebSockets need from outside. */
export interface WebSocketDeps {
  readonly bus: Pick<Bus, "subscribe">;
  readonly access: Pick<Access, "identify" | "holds" | "refused">;
  /** Aborted when the process is about to end: sockets close. */
  readonly ending: AbortSignal;
  readonly log: (error: unknown) => void;
}

/** Sockets at a time, in all and of one source; those that have not signed in yet besides. */
const SOCKETS = { all: 200, source: 32 } as const;
const SIGNING_IN = { all: 32, source: 8 } as const;

/** Milliseconds within which the first message must have arrived, and characters of it. */
const SIGN_IN_TIMEOUT_MS = 10_000;
const MAX_SIGN_IN = 8 << 10;
/**
 * Bytes that a client may send before it signed in, and in each heartbeat after it: Deno would keep a
 * message of any size in memory.
 */
const BEFORE_SIGN_IN = 16 << 10;
const PER_HEARTBEAT = 64 << 10;
const HEARTBEAT_INTERVAL_MS = 30_000;
/** Milliseconds that a client has to agree to the end, before its connection is ended without it. */
const CLOSE_TIMEOUT_MS = 3000;
/** A reader that has this many bytes waiting is dropped. */
const MAX_WAITING = 1 << 20;

/** What the first message is answered; existing clients compare the texts. */
const ANSWERS = {
  success: "success",
  failure: "Authentication failure",
  otp: "Invalid JWT OTP",
} as const;

/** The WebSockets of existing clients: notifications, and every event. */
export function webSocketRoutes(deps: WebSocketDeps): Route[] {
  const signingIn: string[] = [], open: string[] = [];

  function upgrade(c: Context, readsAll: boolean): Response {
    const peer = peerFrom(c), source = sourceKey(peer.source);
    refuseMany(signingIn, SIGNING_IN, source);
    refuseMany(open, SOCKETS, source);
    const { socket, response } = upgraded(c.req.raw);
    peer.allow?.(BEFORE_SIGN_IN);
    const frames = peer.writeFrames?.() ?? null;
    const path = c.req.path;
    void serve(socket, {
      ...deps,
      ...{ readsAll, frames },
      signIn: (text) => identified(deps.access, { text, path, ...peer }),
      counted: (signedIn) => {
        if (!signedIn) return counted(signingIn, source);
        peer.allow?.(PER_HEARTBEAT);
        return counted(open, source);
      },
      heartbeat: () => peer.allow?.(PER_HEARTBEAT),
      // The WebSocket itself would wait for the client for as long as that likes.
      terminate: () => peer.end?.(),
    });
    return response;
  }

  const common = {
    method: "GET",
    tag: "Events",
    access: "public",
    status: 101,
    errors: [400, 403, 429],
  } as const;
  const signIn = "The first message signs in, within ten seconds: `user:password`, " +
    "`user:password:jwt` or an API token that covers this path; it is answered `success`, " +
    "`Authentication failure` or `Invalid JWT OTP`. Messages have `Type`, `Data` (JSON as text), " +
    "`Notification` and `WildcardAll`. A token with scopes is sent the topics whose path it may " +
    "read. ";
  return [
    route({
      ...common,
      path: "/ws",
      summary: "Notifications (WebSocket)",
      description: `${signIn}Only events for people come: alerts, and stations and uplinks that ` +
        "come and go.",
    }, ({ c }) => upgrade(c, false)),
    route({
      ...common,
      path: "/ws_events_all",
      summary: "All events (WebSocket)",
      description: `${signIn}Every event comes whose payload is an object, and notifications ` +
        "besides.",
    }, ({ c }) => upgrade(c, true)),
  ];
}

function refuseMany(
  sources: readonly string[],
  limits: { readonly all: number; readonly source: number },
  source: string,
): void {
  const own = sources.filter((other) => other === source).length;
  if (sources.length < limits.all && own < limits.source) return;
  throw new Problem(429, "Too many WebSockets are open", { headers: { "retry-after": "10" } });
}

function counted(sources: string[], source: string): () => void {
  sources.push(source);
  return () => void sources.splice(sources.indexOf(source), 1);
}

function upgraded(request: Request): Deno.WebSocketUpgrade {
  try {
    // Sends pings, and ends the connection of who does not answer them.
    return Deno.upgradeWebSocket(request, { idleTimeout: HEARTBEAT_INTERVAL_MS / 1000 });
  } catch {
    throw invalid("", "This path speaks WebSocket; send a request to upgrade to it");
  }
}

/** Who signs in by the first message; null where they may not read here. Throws Problem 429. */
async function identified(
  access: WebSocketDeps["access"],
  { text, path, source, tls }: {
    readonly text: string;
    readonly path: string;
    readonly source: string;
    readonly tls: boolean;
  },
): Promise<Identity | keyof typeof ANSWERS> {
  const identity = await access.identify({
    ...socketCredentials(text),
    ...{ cookie: null, source, tls },
    confirms: () => false,
  });
  const { principal, alwaysOn, otp } = identity;
  if (principal?.kind !== "user" && principal?.kind !== "token") return "failure";
  if (alwaysOn && !otp) {
    access.refused(identity, invalidJwt(), source);
    return "otp";
  }
  try {
    admit(identity, { access: "auth", method: "GET", path, setupOpen: false });
  } catch (error) {
    if (error instanceof Problem) access.refused(identity, error, source);
    throw error;
  }
  return identity;
}

interface SocketOptions extends WebSocketDeps {
  readonly readsAll: boolean;
  /** Where messages are written past the WebSocket; null where they cannot be. */
  readonly frames: FrameWriter | null;
  readonly signIn: (text: string) => Promise<Identity | keyof typeof ANSWERS>;
  /** Counts the socket until the returned function is called. */
  readonly counted: (signedIn: boolean) => () => void;
  readonly heartbeat: () => void;
  /** Ends the connection without the client. */
  readonly terminate: () => void;
}

/** Signs a client in and sends it events, until it goes, falls behind, or may read no more. */
async function serve(socket: WebSocket, options: SocketOptions): Promise<void> {
  const ended = Promise.withResolvers<void>();
  let late: ReturnType<typeof setTimeout> | undefined;
  const close = (): void => {
    if (socket.readyState === WebSocket.OPEN) socket.close();
    late ??= setTimeout(() => {
      options.terminate();
      ended.resolve();
    }, CLOSE_TIMEOUT_MS);
  };
  const closed = (): Promise<void> => {
    close();
    return ended.promise;
  };
  socket.addEventListener("close", () => ended.resolve());
  socket.addEventListener("error", () => ended.resolve());
  options.ending.addEventListener("abort", close);
  let leave = options.counted(false);
  try {
    const text = await firstMessage(socket, ended.promise);
    if (text === null) return await closed();
    const identity = await options.signIn(text).catch((error): "failure" => {
      if (!(error instanceof Problem)) options.log(error);
      return "failure";
    });
    if (socket.readyState !== WebSocket.OPEN) return await closed();
    if (typeof identity === "string") {
      socket.send(ANSWERS[identity]);
      return await closed();
    }
    leave();
    leave = options.counted(true);
    if (options.frames === null) socket.send(ANSWERS.success);
    // All that follows goes the same way, so that it stays in order.
    else options.frames.write(textFrames([ANSWERS.success]));
    const stop = sendEvents(socket, { ...options, identity, close });
    await ended.promise;
    stop();
  } finally {
    clearTimeout(late);
    leave();
    options.ending.removeEventListener("abort", close);
  }
}

/** The text that a client signs in with; null where it sends something else, too much, or nothing in time. */
async function firstMessage(socket: WebSocket, ended: Promise<void>): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const late = setTimeout(() => resolve(null), SIGN_IN_TIMEOUT_MS);
  void ended.then(() => resolve(null));
  socket.addEventListener("message", ({ data }) => {
    resolve(typeof data === "string" && data.length <= MAX_SIGN_IN ? data : null);
  }, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(late);
  }
}

/** The same texts and frames for every reader: many may listen to many events. */
const EVERYTHING = forms(true), NOTIFICATIONS = forms(false);

interface Forms {
  readonly texts: (events: readonly BusEvent[]) => readonly string[];
  readonly frames: (events: readonly BusEvent[]) => Uint8Array;
}

function forms(readsAll: boolean): Forms {
  const texts = onceEach((event: BusEvent) =>
    socketMessages(event, readsAll).map((message) => JSON.stringify(message))
  );
  const frames = onceEach((event: BusEvent) => textFrames(texts(event)));
  return {
    texts: (events) => events.flatMap(texts),
    frames: onceEach((events: readonly BusEvent[]) => Buffer.concat(events.map(frames))),
  };
}

/** Sends events from now on. Returns how to stop. */
function sendEvents(
  socket: WebSocket,
  { bus, access, readsAll, frames, identity, heartbeat, close }: SocketOptions & {
    readonly identity: Identity;
    readonly close: () => void;
  },
): () => void {
  const as = readsAll ? EVERYTHING : NOTIFICATIONS;
  const mayRead = topicAccess(identity);
  const feed = feedOf(bus);
  const check = (): void => {
    if (access.holds(identity)) return;
    feed.flush();
    close();
  };
  const unsubscribe = feed.subscribe((events) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const those = events.filter(({ topic }) => mayRead(topic));
    send(those.length === events.length ? events : those);
    // Once the credentials are gone: the event comes before they are.
    if (mayEndReaders(events)) queueMicrotask(check);
  });
  function send(events: readonly BusEvent[]): void {
    if (frames === null) as.texts(events).forEach((text) => socket.send(text));
    else frames.write(as.frames(events));
    if ((frames?.waiting ?? socket.bufferedAmount) > MAX_WAITING) close();
  }
  const timer = setInterval(() => {
    heartbeat();
    check();
  }, HEARTBEAT_INTERVAL_MS);
  return () => {
    unsubscribe();
    clearInterval(timer);
  };
}
