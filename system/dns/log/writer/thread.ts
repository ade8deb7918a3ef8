/// <reference lib="deno.worker" />
import { RecordBlock } from "../segments/record_segment.ts";
import { LogBook } from "./query_log.ts";
import type { Outcome } from "./segment_compactor.ts";
import type { LogConfig } from "../schema.ts";
import { BrokenLog, isBroken } from "./log_file.ts";
import { LogTable } from "./segment_table.ts";
import type { Ask, FromThread, ToThread } from "./thread_messages.ts";

/*
 * The thread of the query log: libSQL holds up its thread while it writes, and answers to devices must
 * not wait for that.
 */
const scope = self as unknown as DedicatedWorkerGlobalScope;

/** Milliseconds that queries of a quiet time are gathered before the disk is stirred. */
const GATHER = 800;

let book: LogBook | null = null;

/** What is under way; all but waiting for news goes one after the other. */
let turn: Promise<void> = Promise.resolve();
/** Queries that came, and are not taken in yet. */
const blocks: Uint8Array<ArrayBuffer>[] = [];
let flushing: ReturnType<typeof setTimeout> | undefined;

scope.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === "write") {
    blocks.push(data.block);
    turn = turn.then(takeIn);
  } else if (data.ask.do === "events" || data.ask.do === "ping") void reply(data);
  else turn = turn.then(() => reply(data));
};

/** Takes in what came until now. */
async function takeIn(): Promise<void> {
  for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
    const read = RecordBlock.read(block);
    if (read === null || book === null) throw new Error("A block came that cannot be taken in");
    await book.write(read).catch(failed);
    tell({ kind: "taken" });
    if (book.hasPending) flushing ??= setTimeout(flushSoon, GATHER);
  }
}

/** Hears what came in the middle of long work, and writes it down. */
async function between(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  await takeIn();
}

function flushSoon(): void {
  flushing = undefined;
  turn = turn.then(() => book?.flush()).catch(failed);
}

/** What earlier forms of the log left is taken over in between. */
function takeOver(): void {
  turn = turn.then(async () => {
    if (await book?.takeOver()) takeOver();
  }).catch(failed);
}

/** Hears of what could not be done, and nobody waits for. */
function failed(error: unknown): void {
  tell({ kind: "settled", written: 0, lost: 0, why: words(error) });
  heal(error);
}

/** Ends this thread after what is under way, when the file turned out to be broken: another begins anew. */
function heal(error: unknown): void {
  const broken = book;
  if (broken === null || !isBroken(error)) return;
  turn = turn.then(async () => {
    book = null;
    await broken.putAside();
    throw new BrokenLog();
  });
}

function settled({ written, lost, error }: Outcome): void {
  tell({ kind: "settled", written, lost, why: error === null ? "" : words(error) });
  heal(error);
}

async function open(path: string, config: LogConfig): Promise<LogBook> {
  const table = await LogTable.open(path);
  try {
    book = await LogBook.open(table, { config, now: Date.now, settled, between });
  } catch (error) {
    if (!isBroken(error)) {
      table.close();
      throw error;
    }
    await table.putAside();
    throw new BrokenLog();
  }
  takeOver();
  return book;
}

async function close(): Promise<void> {
  clearTimeout(flushing);
  flushing = undefined;
  const closing = opened();
  book = null;
  await closing.close();
}

async function reply({ id, ask }: Extract<ToThread, { kind: "ask" }>): Promise<void> {
  try {
    tell({ kind: "told", id, value: await answer(ask) });
  } catch (error) {
    tell({ kind: "failed", id, why: words(error) });
    heal(error);
  }
}

async function answer(ask: Ask): Promise<unknown> {
  switch (ask.do) {
    case "open":
      return (await open(ask.path, ask.config)).last;
    case "configure":
      return await opened().configure(ask.config);
    case "page":
      return await opened().page(ask.query);
    case "status":
      return await opened().status(ask.client, ask.since);
    case "forget":
      return await opened().forget(ask.client);
    case "keepOnly":
      return await opened().keepOnly(ask.identities);
    case "events":
      return await opened().events(ask.after, ask);
    case "trim":
      return await opened().trim();
    case "ping":
      return null;
    case "close":
      return await close();
  }
}

function opened(): LogBook {
  if (book === null) throw new Error("The log is not open");
  return book;
}

function tell(message: FromThread): void {
  scope.postMessage(message);
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
