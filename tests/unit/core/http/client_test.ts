import assert from "node:assert/strict";
import { HttpFault } from "../../../../system/core/ipc/http/head.ts";
import { type HttpRequest, SourceFault } from "../../../../system/core/ipc/http/sending.ts";
import { ConnectFault, HttpClient } from "../../../../system/core/ipc/http/client.ts";
import { askWhole } from "../../../../system/core/ipc/http/whole.ts";
import { eventually } from "../../../kit/eventually.ts";
import {
  answer,
  type Caller,
  counted,
  streamed,
  withPlugin,
} from "../../../kit/plugins/scripted.ts";

/** Answers each request with the number of the connection and of the request on it. */
async function counting({ number, until, say }: Caller): Promise<void> {
  for (let n = 1;; n++) {
    await until();
    await say(answer(`${number}.${n}`));
  }
}

Deno.test("requests that ask for nothing to be done share a connection; others begin one", async () => {
  await withPlugin(counting, async ({ get, put }) => {
    const change = async () => await new Response((await put(null)).body).text();
    assert.equal(await change(), "1.1");
    // What it left can be used.
    assert.deepEqual([await get(), await get()], ["200 1.2", "200 1.3"]);
    const both = (await Promise.all([get(), get()])).sort();
    assert.deepEqual(both, ["200 1.4", "200 2.1"]);
    assert.equal(await change(), "3.1");
    assert.equal(await get(), "200 2.2");
  });
});

Deno.test("a connection that a change began is kept only where no other is idle", async () => {
  let ended = 0;
  await withPlugin(async ({ until, say, rest }) => {
    await until();
    await say(answer("1"));
    await rest();
    ended++;
  }, async ({ put, heard }) => {
    const change = async () => await new Response((await put(null)).body).text();
    await Promise.all(Array.from({ length: 8 }, change));
    assert.equal(heard.length, 8);
    await eventually("all others end", () => assert.equal(ended, 7));
  });
});

Deno.test("a request that cannot be sent fails at once, and its body is given up", async () => {
  await withPlugin(counting, async ({ client, get, put, heard }) => {
    const { seen, stream } = counted(2);
    let isOver = false;
    const body = { ...streamed(stream), over: () => void (isOver = true) };
    const wrong: readonly Partial<HttpRequest>[] = [
      ...[{ target: "/a b" }, { method: "PUT /x" }],
      { headers: [["a", "1\r\nb: 2"]] },
    ];
    for (const part of wrong) {
      const request = { method: "PUT", target: "/x", headers: [], body: null };
      await assert.rejects(client.ask({ ...request, ...part }), /malformed/);
    }
    const streaming = client.ask({ method: "PUT", target: "x", headers: [], body });
    await assert.rejects(streaming, /malformed/);
    assert.ok(seen.isCancelled && isOver);
    assert.equal(heard.length, 0);
    // Another reads the stream, which is seen only when it is to be sent.
    const taken = counted(2).stream;
    const reader = taken.getReader();
    await assert.rejects(put(streamed(taken)), TypeError);
    reader.releaseLock();
    const { signal } = new AbortController();
    const path = '/é?"';
    assert.equal((await askWhole(client, { method: "GET", path }, signal)).status, 200);
    assert.match(heard.at(-1)!, /^GET \/%C3%A9\?%22 /);
    assert.match(await get(), /^200 /);
  });
});

Deno.test("a connection that cannot be made is one kind of error, whatever the reason", async () => {
  const request = { method: "GET", target: "/", headers: [], body: null };
  for (const path of ["/nothing/here", "/dev/null", `/${"long".repeat(50)}`]) {
    await assert.rejects(new HttpClient(() => path).ask(request), ConnectFault, path);
  }
  const refused = new HttpClient(() => {
    throw new RangeError("The path is not known");
  });
  await assert.rejects(refused.ask(request), RangeError);
});

Deno.test("what may go over a kept connection once alone is not sent again, and fails where that ends", async () => {
  await withPlugin(async ({ number, until, say }) => {
    await until();
    await say(answer(`${number}`));
    // The next one is taken, and the connection ended without a word.
    await until();
  }, async ({ client, heard }) => {
    const once = { method: "PUT", path: "/x", body: "{}", reuse: "once" } as const;
    const { signal } = new AbortController();
    assert.deepEqual(await askWhole(client, once, signal), { status: 200, text: "1" });
    await assert.rejects(askWhole(client, once, signal), HttpFault);
    assert.equal(heard.length, 1);
    assert.equal(heard[0]!.match(/PUT/g)!.length, 2);
  });
});

Deno.test("a whole answer is read until its signal ends it", async () => {
  const text = "é".repeat(100_000);
  await withPlugin(async ({ number, until, say }) => {
    await until();
    const bytes = new TextEncoder().encode(text);
    await say(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
    await say(number === 1 ? bytes : bytes.subarray(1000));
    await until();
  }, async ({ client }) => {
    const call = { method: "POST", path: "/x", body: new Uint8Array([1]) };
    const ending = new AbortController();
    assert.equal((await askWhole(client, call, ending.signal)).text, text);
    const cut = askWhole(client, call, ending.signal);
    setTimeout(() => ending.abort(new Error("over")), 20);
    await assert.rejects(cut, /over/);
    await assert.rejects(askWhole(client, call, ending.signal), /over/);
  });
});

Deno.test("a kept connection that ended without an answer costs a GET nothing, and a PUT is sent once", async () => {
  const puts: string[] = [];
  await withPlugin(async ({ number, until, say }) => {
    const head = await until();
    if (head.startsWith("PUT")) return void puts.push(head);
    await say(answer(`${number}`));
    // The next one is taken, and the connection ended without a word.
    await until();
  }, async ({ get, put, heard }) => {
    assert.equal(await get(), "200 1");
    assert.equal(await get(), "200 2");
    assert.equal(heard[0]!.match(/GET/g)!.length, 2, "the first has seen it too");
    await assert.rejects(put(null));
    await assert.rejects(put(streamed(counted(2).stream)));
    assert.equal(puts.length, 2);
  });
  // An answer that has begun is never asked for again.
  await withPlugin(async ({ until, say }) => {
    await until();
    await say(answer("1"));
    await until();
    await say("HTTP/1.1 103 Early Hints\r\n\r\n");
  }, async ({ get, heard }) => {
    assert.equal(await get(), "200 1");
    await assert.rejects(get(), HttpFault);
    assert.equal(heard.length, 1);
  });
});

Deno.test("bytes that a plugin sends without a request, or after its answer, never answer the next request", async () => {
  const stolen = answer("stolen");
  for (
    const [what, first, second] of [
      ["behind its answer", answer("1") + stolen, ""],
      ["later", answer("1"), stolen],
      [
        "behind the end of chunks",
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n` +
        `1\r\n1\r\n0\r\n\r\n${stolen}`,
        "",
      ],
      ["as the body of what has none", `HTTP/1.1 204 No Content\r\n\r\n${stolen}`, ""],
    ] as const
  ) {
    await withPlugin(async ({ number, until, say, rest }) => {
      await until();
      await say(number === 1 ? first : answer("2"));
      if (number === 1 && second !== "") await say(second);
      await rest();
    }, async ({ get, heard }) => {
      await get();
      if (second !== "") await eventually("it is closed", () => assert.equal(heard.length, 1));
      // The bytes may come a little later than the answer; a GET may be sent again, so it never fails.
      assert.equal(await get(), "200 2", what);
    });
  }
});

Deno.test("a connection is not used again where the plugin says so, or its end is the end of the body", async () => {
  for (
    const first of [
      "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 1\r\n\r\n1",
      "HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n1",
      "HTTP/1.1 200 OK\r\n\r\n1",
    ]
  ) {
    await withPlugin(async ({ number, until, say, rest }) => {
      await until();
      await say(number === 1 ? first : answer("2"));
      if (number > 1 || first.includes("length")) await rest();
    }, async ({ get }) => {
      assert.deepEqual([await get(), await get()], ["200 1", "200 2"], first);
    });
  }
});

Deno.test("interim responses are passed over, up to a limit; another protocol is refused", async () => {
  const hint = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
  for (
    const [said, expected] of [
      [hint.repeat(3) + answer("1"), "200 1"],
      [`HTTP/1.1 100 Continue\r\n\r\n${answer("1")}`, "200 1"],
      [hint.repeat(17) + answer("1"), null],
      [`HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n${answer("1")}`, null],
    ] as const
  ) {
    await withPlugin(async ({ until, say, rest }) => {
      await until();
      await say(said);
      await rest();
    }, async ({ get }) => {
      if (expected === null) await assert.rejects(get(), HttpFault);
      else assert.equal(await get(), expected);
    });
  }
});

Deno.test("a body is sent in chunks, or with the length that was announced, and comes whole", async () => {
  for (const length of [null, 300_000]) {
    await withPlugin(async ({ until, say, rest }) => {
      const head = await until();
      let size = 0;
      if (length === null) {
        assert.match(head, /\r\ntransfer-encoding: chunked\r\n/);
        for (;;) {
          const chunk = parseInt(await until("\r\n"), 16);
          const bytes = await until("\r\n");
          assert.equal(bytes, `${"a".repeat(chunk)}\r\n`);
          size += chunk;
          if (chunk === 0) break;
        }
      } else {
        assert.match(head, /\r\ncontent-length: 300000\r\n/);
        size = (await until("a".repeat(length))).length;
      }
      await say(answer(`${size}`));
      await rest();
    }, async ({ put }) => {
      const { stream } = counted(3, 100_000);
      const { body } = await put(streamed(stream, length));
      assert.equal(await new Response(body).text(), "300000");
      const bytes = new ReadableStream({
        type: "bytes",
        start(controller) {
          for (let n = 0; n < 3; n++) controller.enqueue(new Uint8Array(100_000).fill(97));
          controller.close();
        },
      }) as ReadableStream<Uint8Array<ArrayBuffer>>;
      const again = await put(streamed(bytes, length));
      assert.equal(await new Response(again.body).text(), "300000");
    });
  }
});

Deno.test("a body that breaks off, or has another length, never looks whole to the plugin", async () => {
  const broken = () => {
    let pulls = 0;
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        if (pulls++ < 2) controller.enqueue(new Uint8Array(1000).fill(97));
        else controller.error(new Error("The client left"));
      },
    });
  };
  for (
    const body of [
      ...[streamed(broken()), streamed(broken(), 3000), streamed(broken(), 2001)],
      ...[streamed(counted(2).stream, 2001), streamed(counted(2).stream, 1999)],
    ]
  ) {
    const whole: string[] = [];
    await withPlugin(async ({ until, rest }) => {
      await until();
      whole.push(await rest());
    }, async ({ put }) => {
      await assert.rejects(put(body), SourceFault);
      await eventually("the plugin sees the end", () => assert.equal(whole.length, 1));
    });
    if (body.length === null) assert.doesNotMatch(whole[0]!, /\r\n0\r\n/);
    else assert.ok(whole[0]!.length < body.length);
  }
});

Deno.test("a plugin may answer while the upload is still running, and gets the rest", async () => {
  await withPlugin(async ({ until, say, rest }) => {
    await until();
    await say("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    const sent = await until("\r\n0\r\n\r\n");
    await say(`4\r\n${String(sent.length).slice(0, 4).padEnd(4)}\r\n0\r\n\r\n`);
    await rest();
  }, async ({ put }) => {
    let push = (_: string | null): void => {};
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        push = (text) =>
          text === null ? controller.close() : controller.enqueue(new TextEncoder().encode(text));
      },
    });
    push("first");
    const { status, body } = await put(streamed(stream));
    assert.equal(status, 200);
    push("second");
    push(null);
    assert.equal(await new Response(body).text(), "26  ");
  });
  // One that refuses early and takes no more has answered all the same.
  await withPlugin(async ({ until, say }) => {
    await until("a");
    await say("HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 2\r\n\r\nno");
  }, async ({ put }) => {
    const { seen, stream } = counted(Infinity, 1 << 16);
    const { status, body } = await put(streamed(stream));
    assert.deepEqual([status, await new Response(body).text()], [413, "no"]);
    await eventually("nothing is sent on", () => assert.ok(seen.isCancelled));
  });
});

Deno.test("nothing is read from a client faster than the plugin takes it, nor the other way round", async () => {
  const asked = Promise.withResolvers<void>(), go = Promise.withResolvers<void>();
  let said = 0;
  await withPlugin(async ({ until, say, rest }) => {
    await until();
    asked.resolve();
    await go.promise;
    void rest();
    await say("HTTP/1.1 200 OK\r\n\r\n");
    for (; said < 1000; said++) await say(new Uint8Array(1 << 16));
  }, async ({ put }) => {
    const { seen, stream } = counted(1000, 1 << 16);
    const answering = put(streamed(stream));
    await asked.promise;
    const settled = async (read: () => number): Promise<number> => {
      for (let before = -1;;) {
        const now = read();
        if (now === before) return now;
        before = now;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    assert.ok(await settled(() => seen.pulls) < 32, "of 64 KiB each");
    go.resolve();
    const { body } = await answering;
    assert.ok(body instanceof ReadableStream);
    assert.ok(await settled(() => said) < 32);
    let size = 0;
    for await (const bytes of body) size += bytes.length;
    assert.equal(size, 1000 << 16);
  });
});

Deno.test("a caller that aborts ends its connection, and the end of a plugin ends all of them", async () => {
  const ends: number[] = [];
  await withPlugin(async ({ number, until, say, rest }) => {
    await until();
    if (number > 1) await say("HTTP/1.1 200 OK\r\n\r\nbegun");
    await rest();
    ends.push(number);
  }, async ({ client, get }) => {
    const leaving = new AbortController();
    const request = { method: "GET", target: "/x", headers: [], body: null };
    const waiting = client.ask(request, leaving.signal);
    setTimeout(() => leaving.abort(), 20);
    await assert.rejects(waiting);
    await eventually("the first ended", () => assert.deepEqual(ends, [1]));
    await assert.rejects(client.ask(request, leaving.signal));
    const { body } = await client.ask(request);
    assert.ok(body instanceof ReadableStream);
    const reader = body.getReader();
    assert.equal(new TextDecoder().decode((await reader.read()).value), "begun");
    await reader.cancel();
    await eventually("it ended", () => assert.ok(ends.length >= 2));
    const other = await client.ask(request);
    assert.ok(other.body instanceof ReadableStream);
    const reading = new Response(other.body).text();
    client.close();
    await assert.rejects(reading);
    await assert.rejects(get());
  });
});
