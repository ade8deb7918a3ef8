/**
 * Run in the lab's `wan` namespace: a server of a block list at the address that the lab's resolver
 * gives for every name. Argument: that address.
 */
import { BLOCKED, blockedName } from "../dns/other_servers.ts";
import { print } from "../print.ts";

const NAMES_PER_CHUNK = 1000;

function names(): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let sent = 0;
  return new ReadableStream({
    pull(controller): void {
      if (sent >= BLOCKED) return controller.close();
      const part = Array.from({ length: NAMES_PER_CHUNK }, (_, i) => `${blockedName(sent + i)}\n`);
      sent += NAMES_PER_CHUNK;
      controller.enqueue(encoder.encode(part.join("")));
    },
  });
}

const listen = { hostname: Deno.args[0]!, port: 8080, onListen: () => print("ready") };
Deno.serve(listen, () => new Response(names(), { headers: { "content-type": "text/plain" } }));
