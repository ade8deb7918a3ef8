import { print } from "./print.ts";

/** Answers every request with a file's bytes as JSON, and does nothing else. Arguments: the file. */
const body = Deno.args[0] === undefined ? new Uint8Array() : Deno.readFileSync(Deno.args[0]);
const headers = { "content-type": "application/json" };
Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ hostname, port }) => print(`listening ${hostname}:${port}`),
}, () => new Response(body, { headers }));
