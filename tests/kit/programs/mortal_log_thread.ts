/// <reference lib="deno.worker" />
import "../../../system/dns/log/writer/thread.ts";
import type { ToThread } from "../../../system/dns/log/writer/thread_messages.ts";

/*
 * The thread of the query log, which dies of certain names: of `throw.example.` with an error, of
 * `end.example.` without a word. What it had before them it was told, and may not have written down.
 */
const scope = self as unknown as DedicatedWorkerGlobalScope;
const heard = scope.onmessage!;

scope.onmessage = (event: MessageEvent<ToThread>) => {
  const { data } = event;
  const text = data.kind === "write" ? new TextDecoder().decode(data.block) : "";
  if (text.includes("\x05throw\x07example")) throw new Error("It died of a name");
  if (text.includes("\x03end\x07example")) scope.close();
  heard.call(scope, event);
};
