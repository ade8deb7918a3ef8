/// <reference lib="deno.worker" />
import { errorText } from "../../core/errors/error_text.ts";
import { freeStartMemory } from "../../core/process/start_garbage.ts";
import { HistoryDesk } from "./desk.ts";
import type { Ask, Reply } from "./messages.ts";
import { packed } from "./packed_items.ts";

/* The thread of the event store: libSQL blocks its thread, and events must not wait for that. */
self.onmessage = answerBy(new HistoryDesk(Date.now));
freeStartMemory();

function answerBy(desk: HistoryDesk): (message: MessageEvent<Ask>) => Promise<void> {
  return async ({ data: { id, request } }) => {
    const reply: Reply = await desk.do(request).then(
      (value) => ({ id, answer: packed(request.type, value) }),
      (error) => ({ id, error: errorText(error) }),
    );
    self.postMessage(reply);
  };
}
