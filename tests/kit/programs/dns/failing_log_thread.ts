/// <reference lib="deno.worker" />
import "../../../../system/dns/log/writer/thread.ts";
import type { ToThread } from "../../../../system/dns/log/writer/thread_messages.ts";

/*
 * The thread of the query log, but a query for `throw.example.` ends it with an error, and one for
 * `end.example.` silently. Earlier queries were accepted and may not be written yet.
 */
const scope = self as unknown as DedicatedWorkerGlobalScope;
const onmessage = scope.onmessage!;

scope.onmessage = (event: MessageEvent<ToThread>) => {
  const { data } = event;
  const text = data.kind === "write" ? new TextDecoder().decode(data.segment) : "";
  if (text.includes("\x05throw\x07example")) throw new Error("It died of a name");
  if (text.includes("\x03end\x07example")) scope.close();
  onmessage.call(scope, event);
};
