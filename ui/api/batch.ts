/** What is read of an answer. */
export type Reply = Pick<Response, "ok" | "status" | "headers" | "text" | "json" | "blob">;

/** A plain read. */
interface Read {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** Sends one request by itself. */
type Send = (request: Read) => Promise<Response>;

/** Milliseconds in which one turn of the page has asked for everything. */
const TURN_MS = 5;
const MOST = 20;
/** Status of an entry that did not fit beside the others. */
const TOO_LARGE = 413;

interface Waiting {
  readonly request: Read;
  readonly settle: (reply: Promise<Reply>) => void;
}

interface Entry {
  readonly status: number;
  readonly etag: string | null;
  readonly body: unknown;
}

let waiting: Waiting[] = [];

/** Asks in one request with others of this turn. One that is alone, or whose batch fails, is sent by itself. */
export function askTogether(
  request: Read,
  send: Send,
): Promise<Reply> {
  return new Promise((resolve) => {
    waiting.push({ request, settle: resolve });
    if (waiting.length > 1) return;
    setTimeout(() => {
      const all = waiting;
      waiting = [];
      for (let from = 0; from < all.length; from += MOST) {
        void flush(all.slice(from, from + MOST), send);
      }
    }, TURN_MS);
  });
}

async function flush(
  some: readonly Waiting[],
  send: Send,
): Promise<void> {
  const paths = [...new Set(some.map(({ request }) => pathOf(request)))];
  let entries: readonly Entry[] = [];
  if (paths.length === 1) {
    const [first] = some;
    const reply = send(first!.request);
    for (const { settle } of some) {
      settle(some.length === 1 ? reply : reply.then((it) => it.clone()));
    }
    return;
  }
  try {
    const reply = await send({
      path: `/batch?${new URLSearchParams(paths.map((path) => ["path", path]))}`,
    });
    if (reply.ok) entries = await reply.json();
  } catch {
    // Each is then asked for by itself, and says what is wrong.
  }
  for (const { request, settle } of some) {
    const entry = entries[paths.indexOf(pathOf(request))];
    const isMissing = entry === undefined || entry.status === TOO_LARGE;
    settle(isMissing ? send(request) : Promise.resolve(replyOf(entry)));
  }
}

function pathOf({ path, query = {} }: Read): string {
  const text = new URLSearchParams({ ...query }).toString();
  return text === "" ? path : `${path}?${text}`;
}

function replyOf({ status, etag, body }: Entry): Reply {
  const headers = new Headers({ "Content-Type": "application/json" });
  if (etag !== null) headers.set("ETag", etag);
  return {
    ok: status < 300,
    status,
    headers,
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(JSON.stringify(body)),
    blob: () => Promise.resolve(new Blob([JSON.stringify(body)])),
  };
}
