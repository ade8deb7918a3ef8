import assert from "node:assert/strict";
import { eventually } from "../../../kit/eventually.ts";
import { answer, counted, streamed, withPlugin } from "../../../kit/plugins/scripted.ts";

/** Sockets that this process has open, at either end. */
function sockets(): number {
  return [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/self/fd/${name}`).startsWith("socket:");
    } catch {
      return false; // Of this listing itself.
    }
  }).length;
}

Deno.test("an answer that is whole before its request ends the connection, though the plugin does not", async () => {
  for (
    const said of [
      answer("no"),
      "HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n",
      "HTTP/1.1 403 Forbidden\r\ntransfer-encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
    ]
  ) {
    const leaving = Promise.withResolvers<void>();
    await withPlugin(async ({ until, say }) => {
      await until();
      await say(said);
      await leaving.promise;
    }, async ({ put }) => {
      const before = sockets(), bodies: { readonly isCancelled: boolean }[] = [];
      try {
        for (let n = 0; n < 20; n++) {
          const { seen, stream } = counted(Infinity, 1 << 16);
          const { body } = await put(streamed(stream));
          await new Response(body).text();
          bodies.push(seen);
        }
        await eventually(
          "nothing is read on",
          () => assert.ok(bodies.every((one) => one.isCancelled)),
        );
        await eventually("the ends of the plugin alone are open", () => {
          assert.equal(sockets() - before, 20);
        });
      } finally {
        leaving.resolve();
      }
    });
  }
});
