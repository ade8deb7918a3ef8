import assert from "node:assert/strict";
import { type Listener, listenTcp } from "../../../../routes/http/listen.ts";
import type { Handler, Limits } from "../../../../routes/http/front/front.ts";
import { textFrames } from "../../../../routes/http/front/websocket_frames.ts";
import { UNWATCHED } from "../../../../system/core/ipc/watched_server.ts";

const QUICK = { perSource: 4, total: 6, header: 300, idle: 300, check: 50 } as const;

async function fronted(
  handler: Handler,
  run: (listener: Listener) => Promise<void>,
  limits: Partial<Limits> = QUICK,
): Promise<void> {
  const listener = await listenTcp({
    hostname: "127.0.0.1",
    port: 0,
    variable: "TEST",
    handler,
    limits,
    watch: UNWATCHED,
  });
  try {
    await run(listener);
  } finally {
    await listener.close();
  }
}

const text = (value: string) => new TextEncoder().encode(value);

/** Everything that arrives until the other side ends it. */
async function untilEnded(connection: Deno.TcpConn): Promise<string> {
  const buffer = new Uint8Array(1024);
  let all = "";
  for (;;) {
    const size = await connection.read(buffer).catch(() => null);
    if (size === null) return all;
    all += new TextDecoder().decode(buffer.subarray(0, size));
  }
}

Deno.test("front: clients that send nothing, half a header, or no next request are ended", async () => {
  await fronted(() => new Response("ok"), async ({ port }) => {
    using silent = await Deno.connect({ port });
    using half = await Deno.connect({ port });
    using waiting = await Deno.connect({ port });
    await half.write(text("GET / HTTP/1.1\r\nHo"));
    await waiting.write(text("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    assert.equal(await untilEnded(silent), "");
    assert.equal(await untilEnded(half), "");
    assert.match(await untilEnded(waiting), /^HTTP\/1.1 200 OK[^]*ok$/);
  });
});

Deno.test("front: while the process stands still no client is late", async () => {
  await fronted(() => new Response("ok"), async ({ port }) => {
    using begun = await Deno.connect({ port });
    await begun.write(text("GET / HTTP/1.1\r\nHo"));
    // It is being read when all stands still, as on a machine whose other programs take its time.
    await new Promise((resolve) => setTimeout(resolve, QUICK.check));
    const sent = begun.write(text("st: x\r\n\r\n"));
    const end = performance.now() + 2 * QUICK.header;
    while (performance.now() < end);
    await sent;
    assert.match(await untilEnded(begun), /^HTTP\/1.1 200 OK[^]*ok$/);
  });
});

Deno.test("front: half-open connections of one source keep no other source out", async () => {
  await fronted((_, { remoteAddr }) => new Response(remoteAddr.hostname), async ({ port }) => {
    const held = await Promise.all(Array.from({ length: 50 }, () => Deno.connect({ port })));
    using client = Deno.createHttpClient({ localAddress: "127.0.0.2" });
    const init: RequestInit & { client: Deno.HttpClient } = { client };
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`, init)).text(), "127.0.0.2");
    for (const connection of held) connection.close();
  }, { perSource: 4, total: 6 });
});

Deno.test("front: a slow answer outlives the idle time, and its end is reported when the client goes", async () => {
  const gone = Promise.withResolvers<void>();
  const handler: Handler = () => {
    let timer: ReturnType<typeof setInterval>;
    return new Response(
      new ReadableStream({
        start(controller) {
          timer = setInterval(() => controller.enqueue(text("tick ")), 100);
        },
        cancel() {
          clearInterval(timer);
          gone.resolve();
        },
      }),
    );
  };
  await fronted(handler, async ({ port }) => {
    const abort = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: abort.signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let ticks = "";
    while (ticks.length < 40) ticks += (await reader.read()).value;
    abort.abort();
    await reader.closed.catch(() => {});
    await gone.promise;
  });
});

Deno.test("front: no part of a response waits for the acknowledgement of the one before", async () => {
  const undelayed: Deno.Addr[] = [];
  await fronted(() => new Response("x".repeat(100_000)), async ({ port }) => {
    using probe = await Deno.connect({ port });
    const shared: Deno.TcpConn = Object.getPrototypeOf(probe);
    const { setNoDelay } = shared;
    shared.setNoDelay = function (this: Deno.TcpConn, on?: boolean): void {
      setNoDelay.call(this, on);
      undelayed.push(this.localAddr);
    };
    try {
      const response = await fetch(`http://127.0.0.1:${port}/`);
      assert.equal((await response.text()).length, 100_000);
    } finally {
      shared.setNoDelay = setNoDelay;
    }
    assert.ok(undelayed.some((at) => (at as Deno.NetAddr).port === port));
  });
});

Deno.test("front: large bodies pass both ways unchanged", async () => {
  const body = crypto.getRandomValues(new Uint8Array(60_000));
  const sent = new Uint8Array(1_200_000).map((_, at) => body[at % body.length]!);
  await fronted(async (request) => new Response(await request.bytes()), async ({ port }) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "PUT", body: sent });
    assert.deepEqual(await response.bytes(), sent);
  });
});

Deno.test("front: a connection that was upgraded stays, and sends what it is allowed to", async () => {
  const handler: Handler = (request, { allow }) => {
    if (request.headers.get("upgrade") === null) return new Response("ok");
    const { socket, response } = Deno.upgradeWebSocket(request);
    allow(1000);
    socket.onmessage = ({ data }) => {
      if (data === "more") allow(1000);
      socket.send(data);
    };
    return response;
  };
  await fronted(handler, async ({ port }) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    let echoed = 0;
    let wake = (): void => {};
    let closed = false;
    const next = () => new Promise<void>((resolve) => wake = resolve);
    socket.onmessage = () => {
      echoed++;
      wake();
    };
    socket.onclose = () => {
      closed = true;
      wake();
    };
    await new Promise((resolve) => socket.onopen = resolve);
    // Another one is ended for its silence meanwhile.
    using waiting = await Deno.connect({ port });
    await waiting.write(text("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    await untilEnded(waiting);
    for (let round = 0; round < 3; round++) {
      for (const message of ["x".repeat(500), "more"]) {
        const answered = next();
        socket.send(message);
        await answered;
      }
    }
    assert.deepEqual([echoed, closed], [6, false]);
    for (let n = 0; n < 30; n++) socket.send("x".repeat(100));
    while (!closed && echoed < 36) await next();
    assert.equal(closed, true);
    assert.ok(echoed < 6 + 10, String(echoed));
  });
});

Deno.test("front: messages are written beside those of the server, each whole and in order", async () => {
  const handler: Handler = (request, { writeFrames }) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    const frames = writeFrames()!;
    // They wait for the response.
    frames.write(textFrames(["beside first", "beside second"]));
    socket.onopen = () => {
      for (let n = 0; n < 50; n++) {
        socket.send(`server ${"x".repeat(n * 3000)}`);
        frames.write(textFrames([`beside ${n}`]));
      }
      socket.send("end");
      frames.write(textFrames(["beside end"]));
    };
    return response;
  };
  await fronted(handler, async ({ port }) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    const got: string[] = [];
    await new Promise<void>((resolve) => {
      socket.onmessage = ({ data }) => {
        got.push(data);
        if (got.length === 104) resolve();
      };
    });
    socket.close();
    const ours = got.filter((one) => one.startsWith("beside"));
    assert.deepEqual(ours, [
      ...["beside first", "beside second"],
      ...Array.from({ length: 50 }, (_, n) => `beside ${n}`),
      "beside end",
    ]);
    const theirs = got.filter((one) => one.startsWith("server"));
    assert.deepEqual(
      theirs.map(({ length }) => length),
      Array.from({ length: 50 }, (_, n) => 7 + n * 3000),
    );
    await new Promise((resolve) => socket.onclose = resolve);
  });
});

Deno.test("front: no message is written behind the Close of the server", async () => {
  let write = (): void => {};
  const handler: Handler = (request, { writeFrames }) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    const frames = writeFrames()!;
    write = () => frames.write(textFrames(["late"]));
    socket.onopen = () => socket.close(1000);
    return response;
  };
  await fronted(handler, async ({ port }) => {
    using connection = await Deno.connect({ port });
    await connection.write(text(
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ));
    const close = "\x88\x02\x03\xe8", buffer = new Uint8Array(1024);
    let all = "";
    while (!all.endsWith(close)) {
      const size = await connection.read(buffer);
      assert.ok(size !== null, all);
      all += String.fromCharCode(...buffer.subarray(0, size));
    }
    write();
    await connection.closeWrite();
    assert.equal(await untilEnded(connection), "");
  });
});

Deno.test("front: behind another response no messages are written beside the server", async () => {
  const answers: (boolean | null)[] = [];
  const handler: Handler = (_request, { writeFrames }) => {
    answers.push(writeFrames() !== null);
    return new Response("ok");
  };
  await fronted(handler, async ({ port }) => {
    using connection = await Deno.connect({ port });
    await connection.write(text("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2)));
    assert.match(await untilEnded(connection), /ok[^]*ok$/);
  });
  assert.deepEqual(answers, [true, false]);
});
