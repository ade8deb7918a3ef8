import { print } from "../print.ts";

/**
 * A plugin that answers with the same few bytes; under `/large` with what it is sent, under `/size` with
 * how much that was, and under `/zeros` with as much. Arguments: its socket.
 */
const body = new TextEncoder().encode('{"count":1}');
const headers = { "content-type": "application/json", "content-length": String(body.length) };
const LARGE = 100 << 20, CHUNK = 64 << 10;
Deno.serve(
  { path: Deno.args[0]!, onListen: () => print("listening") },
  async (request) => {
    switch (new URL(request.url).pathname) {
      case "/large":
        return new Response(request.body);
      case "/size": {
        let size = 0;
        for await (const part of request.body ?? []) size += part.length;
        return new Response(String(size));
      }
      case "/zeros": {
        let left = LARGE;
        return new Response(
          new ReadableStream({
            pull(controller) {
              if (left <= 0) return controller.close();
              controller.enqueue(new Uint8Array(CHUNK));
              left -= CHUNK;
            },
          }),
        );
      }
      default:
        return new Response(body, { headers });
    }
  },
);
