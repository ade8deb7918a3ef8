import { Problem } from "../../core/errors/problem.ts";
import { HistoryDesk } from "./desk.ts";
import { inTurns } from "../../core/time/slices.ts";
import type { Answers, Ask, Reply, Request } from "./messages.ts";
import { unpackSteps } from "./packed_items.ts";

/** Carries out requests to the event store. */
export interface StoreLink {
  /** Rejects with Problem 503 where it cannot be done. */
  ask<R extends Request>(request: R): Promise<Answers[R["type"]]>;
  /** Ends it at once. */
  end(): void;
}

/** In a thread of its own. `died` is called once, when it ended by itself. */
export function threadLink(died: (reason: string) => void): StoreLink {
  const thread = new Worker(new URL("./thread.ts", import.meta.url).href, {
    type: "module",
    name: "event store",
  });
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0, ended: string | null = null;
  const end = (reason: string): void => {
    if (ended !== null) return;
    ended = reason;
    thread.terminate();
    for (const { reject } of open.values()) reject(away(reason));
    open.clear();
  };
  thread.onmessage = ({ data }: MessageEvent<Reply>) => {
    const pending = open.get(data.id);
    open.delete(data.id);
    if ("error" in data) pending?.reject(away(data.error));
    else pending?.resolve(inTurns(unpackSteps(data.answer)));
  };
  thread.onerror = (event) => {
    event.preventDefault();
    if (ended !== null) return;
    end(event.message);
    died(event.message);
  };
  return {
    ask<R extends Request>(request: R) {
      if (ended !== null) return Promise.reject(away(ended));
      const pending = Promise.withResolvers<unknown>();
      const ask: Ask = { id: ++last, request };
      open.set(ask.id, pending);
      thread.postMessage(ask);
      return pending.promise as Promise<Answers[R["type"]]>;
    },
    end: () => end("It is closed"),
  };
}

/** In this thread, where nothing else waits for it. */
export function directLink(now: () => number): StoreLink {
  const desk = new HistoryDesk(now);
  return {
    ask: (request) =>
      desk.do(request).catch((error) => {
        throw away(error instanceof Error ? error.message : String(error));
      }),
    end: () => {},
  };
}

function away(reason: string): Problem {
  return new Problem(503, `The event store: ${reason}`);
}
