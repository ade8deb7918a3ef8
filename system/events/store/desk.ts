import { TrafficDesk } from "../../traffic/store/desk.ts";
import { History } from "./history.ts";
import type { Answers, Request, Retention } from "./messages.ts";

/** Milliseconds between two looks at what is too old or too much. */
const TRIM_INTERVAL_MS = 5 * 60_000;
/** Rows after which it is looked sooner. */
const TRIM_ROWS = 20_000;

/** Requests that may read much: they go on page by page while others are done. */
const LONG: readonly Request["type"][] = ["items", "entries", "latest"];
/** Long ones that are done at a time: each holds a page of rows, and takes its share of the thread. */
const LONG_AT_ONCE = 3;

/**
 * Does what requests ask of the event store, one after the other; retention runs between them. A long
 * one begins in its turn, after what was written before it, and holds up no other.
 */
export class HistoryDesk {
  readonly #now: () => number;
  #history: History | null = null;
  #traffic: TrafficDesk | null = null;
  #retention: Retention = { days: 0, bytes: 0, topics: [] };
  #turn: Promise<unknown> = Promise.resolve();
  /** The last long request of each place for one; they take turns. */
  readonly #long: Promise<unknown>[] = Array.from({ length: LONG_AT_ONCE }, () => this.#turn);
  #requests = 0;
  #rows = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  do<R extends Request>(request: R): Promise<Answers[R["type"]]> {
    const isLong = LONG.includes(request.type);
    const place = isLong ? this.#requests++ % LONG_AT_ONCE : 0;
    const before = isLong ? Promise.all([this.#turn, this.#long[place]]) : this.#turn;
    const done = before.then(() => this.#answer(request));
    if (isLong) this.#long[place] = done.catch(() => {});
    else this.#turn = done.catch(() => {});
    return done as Promise<Answers[R["type"]]>;
  }

  async #answer(request: Request): Promise<Answers[keyof Answers]> {
    if (request.type === "open") return await this.#open(request);
    if (request.type === "traffic") {
      this.#traffic ??= new TrafficDesk(request.path);
      return await this.#traffic.do(request.request);
    }
    const history = this.#history;
    if (history === null) throw new Error("The event store is not open");
    switch (request.type) {
      case "configure":
        this.#retention = request.retention;
        this.#trimSoon();
        return null;
      case "append":
        await history.append(request.rows);
        this.#rows += request.rows.length;
        if (this.#rows >= TRIM_ROWS) this.#trimSoon();
        return null;
      case "since":
        return await history.since(request.after, request.limit);
      case "latest":
        return await history.latest(request);
      case "buckets":
        return await history.buckets();
      case "addBucket":
        return await history.addBucket(request.name);
      case "deleteBucket":
        return await history.deleteBucket(request.name);
      case "countItems":
        return await history.countItems(request.bucket);
      case "size":
        return await history.size();
      case "items":
        return await history.items(request.bucket, request.query);
      case "entries":
        return await history.entries(request.bucket, request);
      case "get":
        return await history.get(request.bucket, request.key);
      case "put":
        await history.put(request.bucket, request.key, request.item);
        return null;
      case "remove":
        await history.remove(request.bucket, request.key);
        return null;
      case "unsent":
        return await history.toServer.unsent(request);
      case "sent":
        await history.toServer.sent(request.server, request.id);
        return null;
      case "corrections":
        return await history.toServer.corrections(request.rows);
      case "corrected":
        await history.toServer.corrected(request.id);
        return null;
      case "backlog":
        return await history.toServer.backlog(request.server);
      case "close":
        clearInterval(this.#timer);
        this.#history = null;
        this.#traffic?.close();
        history.close();
        return null;
    }
  }

  async #open({ path, retention }: Extract<Request, { type: "open" }>): Promise<Answers["open"]> {
    this.#history = await History.open(path);
    this.#retention = retention;
    this.#timer = setInterval(() => this.#trimSoon(), TRIM_INTERVAL_MS);
    return { last: await this.#history.last(), loss: this.#history.loss?.reason ?? null };
  }

  /** A step at a time, so that requests come between. */
  #trimSoon(): void {
    this.#rows = 0;
    this.#turn = this.#turn.then(async () => {
      const history = this.#history;
      if (history === null) return;
      if (await history.trim({ ...this.#retention, now: this.#now() })) this.#trimSoon();
      else for (const topic of this.#retention.topics) await history.trimTopic(topic);
    }).catch(() => {
      // A full disk, or a file that another program holds: the next look comes.
    });
  }
}
