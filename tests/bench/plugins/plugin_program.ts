import { print } from "../print.ts";

/**
 * A plugin that answers with the same few bytes, and under `/large` with what it is sent. Arguments:
 * its socket.
 */
const body = new TextEncoder().encode('{"count":1}');
const headers = { "content-type": "application/json", "content-length": String(body.length) };
Deno.serve(
  { path: Deno.args[0]!, onListen: () => print("listening") },
  (request) =>
    request.url.endsWith("/large") ? new Response(request.body) : new Response(body, { headers }),
);
