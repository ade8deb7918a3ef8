/**
 * Run inside the lab's router: pages, programs and scripts that all use the API at once, for a while.
 * Prints what it measured as JSON ({@link Measured}). Arguments: a file of {@link Work} as JSON.
 */
import { Connection } from "../connection.ts";
import { print } from "../print.ts";

/** What is requested. */
export interface Work {
  readonly host: string;
  readonly password: string;
  readonly seconds: number;
  readonly streams: number;
  /** Devices whose policies are written, and paths, one of which is read at a time. */
  readonly identities: readonly string[];
  readonly reads: readonly Read[];
}

/** A kind of request. */
export interface Read {
  readonly what: string;
  /** Milliseconds from a response to the next request. */
  readonly pause: number;
  /** In turn. */
  readonly paths: readonly string[];
  /** A write's body; absent: it is read. */
  readonly body?: unknown;
}

/** What came of it. */
export interface Measured {
  /** Milliseconds to each response, by kind. */
  readonly times: Readonly<Record<string, readonly number[]>>;
  readonly errors: readonly string[];
  /** Events that each stream was sent. */
  readonly events: readonly number[];
}

/** A request that waits for nothing but the loop, and the milliseconds between two. */
const TINY = "a tiny GET (wait of the loop)", TINY_PATH = "/version", TINY_PAUSE = 15;
/** Milliseconds after which no response is expected any more. */
const HANGING = 60_000;
const WRITE = "PUT /device (policies)", WRITE_PAUSE = 400;

const work: Work = JSON.parse(await Deno.readTextFile(Deno.args[0]!));
const times: Record<string, number[]> = {};
const errors: string[] = [];
const end = performance.now() + work.seconds * 1000;
using first = await Connection.open(work.host);
const headers = await first.signIn(work.password);

async function repeat(
  what: string,
  pause: number,
  next: (connection: Connection, turn: number) => Uint8Array,
): Promise<void> {
  const taken: number[] = times[what] = [];
  // Pages and scripts do not all begin at once.
  await new Promise((resolve) => setTimeout(resolve, Math.min(pause, work.seconds * 500) / 2));
  using connection = await Connection.open(work.host);
  for (let turn = 0; performance.now() < end; turn++) {
    const request = next(connection, turn);
    const began = performance.now();
    const { status, body } = await inTime(what, connection.ask(request));
    taken.push(performance.now() - began);
    if (status >= 300) {
      errors.push(`${what}: ${status} ${new TextDecoder().decode(body).slice(0, 300)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Rejects where a response does not come at all. */
async function inTime<T>(what: string, response: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what}: no response`)), HANGING);
  try {
    return await Promise.race([response, late]);
  } finally {
    clearTimeout(timer);
  }
}

function write(connection: Connection, turn: number): Uint8Array {
  const identity = work.identities[Math.floor(turn / 2) % work.identities.length]!;
  const Policies = turn % 2 === 0 ? ["dns"] : ["wan", "dns"];
  return connection.request("PUT", `/device?identity=${identity}`, { headers, body: { Policies } });
}

async function stream(index: number, ending: AbortSignal): Promise<void> {
  const response = await fetch(`http://${work.host}/events`, { headers, signal: ending });
  if (!response.ok) throw new Error(`/events: ${response.status}`);
  try {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      events[index]! += part.split("\nevent: ").length - 1;
      if (part.includes("event: resync")) errors.push("A stream lost events");
    }
    errors.push("A stream ended");
  } catch (error) {
    if (!ending.aborted) errors.push(`A stream broke: ${error}`);
  }
}

const failed = (error: unknown): unknown => errors.push(String(error));
const ending = new AbortController();
const events = new Array<number>(work.streams).fill(0);
for (const index of events.keys()) stream(index, ending.signal).catch(failed);
const kinds = [
  repeat(TINY, TINY_PAUSE, (connection) => connection.request("GET", TINY_PATH, { headers })),
  repeat(WRITE, WRITE_PAUSE, write),
  ...work.reads.map(({ what, pause, paths, body }) =>
    repeat(what, pause, (connection, turn) => {
      const path = paths[turn % paths.length]!;
      return connection.request(body === undefined ? "GET" : "PUT", path, {
        headers,
        ...(body === undefined ? {} : { body }),
      });
    })
  ),
];
await Promise.all(kinds.map((kind) => kind.catch(failed)));
ending.abort();
const measured: Measured = { times, errors, events };
print(JSON.stringify(measured));
Deno.exit(0);
