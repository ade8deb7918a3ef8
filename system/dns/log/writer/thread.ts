/// <reference lib="deno.worker" />
import { RecordSegment } from "../segments/record_segment.ts";
import { freeStartMemory } from "../../../core/process/start_garbage.ts";
import { QueryLog } from "./query_log.ts";
import type { FlushResult } from "./segment_compactor.ts";
import type { LogConfig } from "../schema.ts";
import { CorruptLogError, isCorrupt } from "./log_file.ts";
import { SegmentTable } from "./segment_table.ts";
import type { FromThread, ThreadRequest, ToThread } from "./thread_messages.ts";

/*
 * The thread of the query log: libSQL received its thread while it writes, and answers to clients must
 * not wait for that.
 */
const scope = self as unknown as DedicatedWorkerGlobalScope;
freeStartMemory();

/** Milliseconds that queries are collected at a low rate before they are written to disk. */
const FLUSH_DELAY_MS = 800;

let queryLog: QueryLog | null = null;

/** The work under way; all requests but `events` and `ping` run one after the other. */
let turn: Promise<void> = Promise.resolve();
/** Segments that arrived and are not accepted yet. */
const received: Uint8Array<ArrayBuffer>[] = [];
let flushTimer: ReturnType<typeof setTimeout> | undefined;

scope.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === "write") {
    received.push(data.segment);
    turn = turn.then(acceptSegments);
  } else if (data.request.type === "events" || data.request.type === "ping") void reply(data);
  else turn = turn.then(() => reply(data));
};

async function acceptSegments(): Promise<void> {
  for (let segment = received.shift(); segment !== undefined; segment = received.shift()) {
    const parsed = RecordSegment.read(segment);
    if (parsed === null || queryLog === null) {
      throw new Error("The thread received an invalid segment, or one before the log was open");
    }
    await queryLog.write(parsed).catch(failed);
    send({ kind: "accepted" });
    if (queryLog.hasPending) flushTimer ??= setTimeout(flush, FLUSH_DELAY_MS);
  }
}

/** Accepts segments that arrived during long work. */
async function yieldTurn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  await acceptSegments();
}

function flush(): void {
  flushTimer = undefined;
  turn = turn.then(() => queryLog?.flush()).catch(failed);
}

/** Migrates legacy rows a few at a time between other work. */
function migrateLegacy(): void {
  turn = turn.then(async () => {
    if (await queryLog?.migrateLegacy()) migrateLegacy();
  }).catch(failed);
}

/** Reports the failure of work that no request waits for. */
function failed(error: unknown): void {
  send({ kind: "flushed", written: 0, lost: 0, reason: errorText(error) });
  endIfCorrupt(error);
}

/** Ends this thread after the work under way when the file is corrupt: the next one starts a new file. */
function endIfCorrupt(error: unknown): void {
  const corrupt = queryLog;
  if (corrupt === null || !isCorrupt(error)) return;
  turn = turn.then(async () => {
    queryLog = null;
    await corrupt.moveCorruptFile();
    throw new CorruptLogError();
  });
}

function onFlushed({ written, lost, error }: FlushResult): void {
  send({ kind: "flushed", written, lost, reason: error === null ? "" : errorText(error) });
  endIfCorrupt(error);
}

async function open(path: string, config: LogConfig): Promise<QueryLog> {
  const table = await SegmentTable.open(path);
  try {
    queryLog = await QueryLog.open(table, { config, now: Date.now, onFlushed, yieldTurn });
  } catch (error) {
    if (!isCorrupt(error)) {
      table.close();
      throw error;
    }
    await table.moveCorruptFile();
    throw new CorruptLogError();
  }
  migrateLegacy();
  return queryLog;
}

async function close(): Promise<void> {
  clearTimeout(flushTimer);
  flushTimer = undefined;
  const closing = opened();
  queryLog = null;
  await closing.close();
}

async function reply({ id, request }: Extract<ToThread, { kind: "request" }>): Promise<void> {
  try {
    send({ kind: "result", id, value: await answer(request) });
  } catch (error) {
    send({ kind: "error", id, reason: errorText(error) });
    endIfCorrupt(error);
  }
}

async function answer(request: ThreadRequest): Promise<unknown> {
  switch (request.type) {
    case "open":
      return (await open(request.path, request.config)).last;
    case "configure":
      return await opened().configure(request.config);
    case "search":
      return await opened().search(request.query);
    case "status":
      return await opened().status(request.client, request.since, request.periods);
    case "deleteQueries":
      return await opened().deleteQueries(request.client);
    case "retainDevices":
      return await opened().retainDevices(request.identities);
    case "events":
      return await opened().events(request.after, request);
    case "trim":
      return await opened().trim();
    case "ping":
      return null;
    case "close":
      return await close();
  }
}

function opened(): QueryLog {
  if (queryLog === null) throw new Error("The query log is not open");
  return queryLog;
}

function send(message: FromThread): void {
  scope.postMessage(message);
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
