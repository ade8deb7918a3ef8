/// <reference lib="deno.worker" />
import { unpacked } from "./batch.ts";
import { LogBook } from "./book.ts";
import { LogTable } from "./table.ts";
import type { Ask, FromThread, ToThread } from "./work.ts";

/*
 * The thread of the query log: libSQL holds up its thread while it writes, and answers to devices must
 * not wait for that.
 */
const scope = self as unknown as DedicatedWorkerGlobalScope;
let book: LogBook | null = null;

/** What is under way; all but waiting for news goes one after the other. */
let turn: Promise<void> = Promise.resolve();

scope.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === "ask" && data.ask.do === "events") void reply(data);
  else turn = turn.then(() => data.kind === "write" ? write(data) : reply(data));
};

async function write({ batch }: Extract<ToThread, { kind: "write" }>): Promise<void> {
  try {
    await opened().write(unpacked(batch));
    tell({ kind: "written", lost: 0, why: "" });
  } catch (error) {
    tell({ kind: "written", lost: batch.size, why: words(error) });
  }
}

async function reply({ id, ask }: Extract<ToThread, { kind: "ask" }>): Promise<void> {
  try {
    tell({ kind: "told", id, value: await answer(ask) });
  } catch (error) {
    tell({ kind: "failed", id, why: words(error) });
  }
}

async function answer(ask: Ask): Promise<unknown> {
  switch (ask.do) {
    case "open":
      book = await LogBook.open(await LogTable.open(ask.path), {
        config: ask.config,
        now: Date.now,
      });
      return null;
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
    case "close":
      opened().close();
      book = null;
      return null;
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
