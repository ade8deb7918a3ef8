import assert from "node:assert/strict";
import { pluginStage } from "../../kit/plugins/stage.ts";

Deno.test("what a plugin read and did not answer is not sent again", async () => {
  await using stage = await pluginStage(() => new Response());
  await stage.stopPlugin();
  const path = `${stage.folder}/socket`;
  await Deno.remove(path).catch(() => {});
  const listener = Deno.listen({ transport: "unix", path });
  const read: string[] = [];
  const serve = async (connection: Deno.Conn): Promise<void> => {
    using _ = connection;
    const bytes = new Uint8Array(4096);
    for (;;) {
      const length = await connection.read(bytes).catch(() => null);
      if (length === null) return;
      const head = new TextDecoder().decode(bytes.subarray(0, length));
      const [method = ""] = head.split(" ");
      read.push(method);
      if (method !== "GET") return;
      const answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
      await connection.write(new TextEncoder().encode(answer));
    }
  };
  const serving = (async () => {
    for await (const connection of listener) void serve(connection);
  })();
  const status = async (method: string, body?: string) => {
    const init = body === undefined ? { method } : { method, body };
    const answer = await stage.call("/plugins/sample/x", init);
    await answer.body?.cancel();
    return answer.status;
  };
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    for (const body of [undefined, "short"]) {
      assert.equal(await status("GET"), 200);
      assert.equal(await status(method, body), 502);
      assert.deepEqual(read.splice(0), ["GET", method]);
    }
  }
  listener.close();
  await serving;
});
