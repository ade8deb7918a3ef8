import assert from "node:assert/strict";
import { Problem } from "../../../system/core/errors/problem.ts";
import {
  AwayFault,
  type SocketClient,
  socketClient,
} from "../../../system/core/ipc/socket_client.ts";
import { answer, withPlugin } from "../../kit/plugins/scripted.ts";
import { inFolder } from "../../kit/process.ts";

/** A program behind a socket, and its client. */
async function withClient(
  answer: (request: Request) => Response | Promise<Response>,
  work: (client: SocketClient) => Promise<void>,
  patience?: number,
): Promise<void> {
  await inFolder(async (folder) => {
    const path = `${folder}/socket`;
    const ending = new AbortController();
    await using _server = Deno.serve({ path, onListen: () => {} }, answer);
    const client = socketClient({
      name: "The program",
      socket: path,
      ending: ending.signal,
      ...(patience === undefined ? {} : { patience }),
    });
    try {
      await work(client);
    } finally {
      client.close();
    }
  });
}

Deno.test("an error keeps its status and message, or gets a default message", async () => {
  const answers: Record<string, Response> = {
    "/words": Response.json({ detail: "The pool is full" }, { status: 409 }),
    "/none": new Response(null, { status: 503 }),
    "/page": new Response("<h1>no</h1>", { status: 500 }),
    "/odd": Response.json({ detail: 7 }, { status: 400 }),
  };
  await withClient(({ url }) => answers[new URL(url).pathname]!, async (client) => {
    for (
      const [path, status, message] of [
        ["/words", 409, "The pool is full"],
        ["/none", 503, "The program refused"],
        ["/page", 500, "The program refused"],
        ["/odd", 400, "The program refused"],
      ] as const
    ) {
      await assert.rejects(client.call(path), (error) => {
        assert.ok(error instanceof Problem);
        assert.deepEqual([error.status, error.message], [status, message]);
        return true;
      });
    }
  });
});

Deno.test("a call with a body times out, a long poll does not", async () => {
  const response = Promise.withResolvers<Response>(), news = Promise.withResolvers<Response>();
  await withClient(
    ({ method }) => method === "PUT" ? response.promise : news.promise,
    async (client) => {
      const waiting = client.call("/news");
      await assert.rejects(client.call("/report", { a: 1 }), { name: "TimeoutError" });
      news.resolve(new Response("news"));
      assert.equal(await waiting, "news");
      response.resolve(new Response("late"));
    },
    50,
  );
});

Deno.test("a program that is away is distinguished from one that does not speak HTTP", async () => {
  const { signal: ending } = new AbortController();
  const responses = [
    ["", true],
    ["HTTP/1.1 200", true],
    ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n1", true],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n1", true],
    ["SSH-2.0-x\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n", false],
    [answer("whole"), null],
  ] as const;
  let socket = "";
  await withPlugin(async ({ number, until, say }) => {
    await until();
    await say(responses[number - 1]![0]);
  }, async ({ path }) => {
    socket = path;
    for (const [response, isAway] of responses) {
      const client = socketClient({ name: "The program", socket, ending });
      const called = client.call("/news");
      if (isAway === null) assert.equal(await called, "whole");
      else if (isAway) await assert.rejects(called, AwayFault, response);
      else {
        await assert.rejects(called, (error) => {
          assert.ok(error instanceof Error && !(error instanceof AwayFault), response);
          assert.match(error.message, /^The program sent a malformed response: /);
          return true;
        });
      }
      client.close();
    }
  });
  const gone = socketClient({ name: "The program", socket, ending });
  await assert.rejects(gone.call("/news"), AwayFault);
});

Deno.test("consecutive calls reuse one connection", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/socket`;
    const listener = Deno.listen({ transport: "unix", path });
    let connections = 0;
    const serving = (async () => {
      for await (const connection of listener) {
        connections++;
        void answerAll(connection);
      }
    })();
    const ending = new AbortController();
    const client = socketClient({ name: "The program", socket: path, ending: ending.signal });
    for (let call = 0; call < 5; call++) {
      assert.equal(await client.call("/news"), "ok");
      assert.equal(await client.call("/report", { call }), "ok");
    }
    client.close();
    listener.close();
    await serving;
    assert.equal(connections, 1);
  });
});

/** Answers every request on a connection, as far as the client of this test can tell. */
async function answerAll(connection: Deno.Conn): Promise<void> {
  const decoder = new TextDecoder(), encoder = new TextEncoder();
  const bytes = new Uint8Array(4096);
  for (let text = "";;) {
    const length = await connection.read(bytes);
    if (length === null) return connection.close();
    text += decoder.decode(bytes.subarray(0, length), { stream: true });
    const head = text.indexOf("\r\n\r\n");
    const size = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (head < 0 || text.length < head + 4 + size) continue;
    text = "";
    await connection.write(encoder.encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
  }
}
