import assert from "node:assert/strict";
import { eventually, inTime } from "../../kit/eventually.ts";
import { type PluginStage, pluginStage, SAMPLE } from "../../kit/plugins/stage.ts";
import { otpOf } from "../../kit/otp.ts";
import { basic } from "../../kit/router.ts";

const CHUNK = new Uint8Array(64 << 10).fill(7);

/** A plugin that answers by its path, and remembers what it saw end. */
function echo() {
  const ended: string[] = [];
  const program = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    if (request.headers.get("upgrade") === "websocket") {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = ({ data }) => socket.send(data);
      socket.onclose = () => ended.push("socket");
      return response;
    }
    switch (url.pathname) {
      case "/headers":
        return Response.json([...request.headers]);
      case "/body":
        return Response.json({
          type: request.headers.get("content-type"),
          text: await request.text(),
        });
      case "/size": {
        let size = 0;
        for await (const chunk of request.body ?? []) size += chunk.length;
        return Response.json(size);
      }
      case "/range":
        return request.headers.get("if-none-match") === '"1"'
          ? new Response(null, { status: 304, headers: { etag: '"1"' } })
          : new Response("b", {
            status: 206,
            headers: { "content-range": "bytes 1-1/3", etag: '"1"', "cache-control": "max-age=9" },
          });
      case "/bad":
        return new Response("<script>", {
          headers: { "content-type": "text/html", "set-cookie": "sluice-http=stolen; Path=/" },
        });
      case "/sse":
      case "/big": {
        let left = url.pathname === "/big" ? 256 : Infinity;
        return new Response(
          new ReadableStream({
            pull(controller) {
              if (url.pathname === "/sse") {
                controller.enqueue(new TextEncoder().encode(`data: ${left--}\n\n`));
                return new Promise<void>((resolve) => setTimeout(resolve, 5));
              }
              if (left-- > 0) controller.enqueue(CHUNK);
              else controller.close();
              return Promise.resolve();
            },
            cancel: () => void ended.push("stream"),
          }),
          { headers: { "content-type": "text/event-stream" } },
        );
      }
      case "/hang":
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
        ended.push("request");
        return new Response();
      default:
        return new Response(`${request.method} ${url.pathname}${url.search}`);
    }
  };
  return { ended, program };
}

Deno.test("requests reach a plugin below its prefix, whole and without credentials", async () => {
  const { program } = echo();
  await using stage = await pluginStage(program);
  const text = async (path: string, init?: RequestInit) => {
    const answer = await stage.call(path, init);
    return `${answer.status} ${await answer.text()}`;
  };
  assert.equal(await text("/plugins/sample/"), "200 GET /");
  assert.equal(await text("/plugins/sample/a%3Ab/c/?x=%2e%2e&y"), "200 GET /a:b/c/?x=%2e%2e&y");
  for (const method of ["PUT", "POST", "PATCH", "DELETE"]) {
    assert.equal(await text("/plugins/sample/x", { method }), `200 ${method} /x`);
  }
  const head = await stage.call("/plugins/sample/x", { method: "HEAD" });
  await head.body?.cancel();
  assert.equal(head.status, 200);
  const bare = await stage.call("/plugins/sample");
  await bare.body?.cancel();
  assert.deepEqual([bare.status, bare.headers.get("location")], [301, "/plugins/sample/"]);
  for (const path of ["/%2e%2e/x", "/..%2fx", "/%252e%252e/x", "/a%5cb", "/a;b", "/%00"]) {
    const answer = await stage.call(`/plugins/sample${path}`);
    await answer.body?.cancel();
    // fetch resolves plain dot segments by itself, out of the prefix.
    assert.ok([400, 404].includes(answer.status), `${path} ${answer.status}`);
  }
  const seen = new Headers(
    await (await stage.call("/plugins/sample/headers", {
      headers: {
        ...{ cookie: "sluice-http=secret", "x-jwt-otp": "secret", "sluice-caller": "root" },
        ...{ "x-forwarded-for": "203.0.113.9", accept: "text/x", "sluice-plugin": "other" },
      },
    })).json(),
  );
  assert.doesNotMatch(JSON.stringify([...seen]), /secret|203\.0\.113|root|other/);
  assert.deepEqual(
    [seen.get("sluice-caller"), seen.get("x-forwarded-for"), seen.get("accept")],
    ["admin", "127.0.0.1", "text/x"],
  );
  const body = await (await stage.call("/plugins/sample/body", {
    method: "POST",
    body: "a=1",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  })).json();
  assert.deepEqual(body, { type: "application/x-www-form-urlencoded", text: "a=1" });
  const part = await stage.call("/plugins/sample/range", { headers: { range: "bytes=1-1" } });
  assert.deepEqual(
    [part.status, part.headers.get("content-range"), part.headers.get("cache-control")],
    [206, "bytes 1-1/3", "max-age=9"],
  );
  await part.text();
  const same = await stage.call("/plugins/sample/range", { headers: { "if-none-match": '"1"' } });
  assert.equal(same.status, 304);
  await same.body?.cancel();
  const bad = await stage.call("/plugins/sample/bad");
  assert.equal(bad.headers.get("set-cookie"), null);
  assert.match(bad.headers.get("content-security-policy")!, /sandbox allow-scripts allow-forms;/);
  await bad.text();
  const worker = await stage.call("/plugins/sample/sw.js", {
    headers: { "service-worker": "script" },
  });
  assert.equal(worker.status, 403);
  await worker.text();
});

Deno.test("who may not call the router reaches no plugin, and learns of none", async () => {
  const { program } = echo();
  await using stage = await pluginStage(program);
  for (const path of ["/plugins/sample/x", "/plugins/other/x", "/plugins/sample"]) {
    const answer = await stage.router.ask("GET", path, { as: null });
    assert.equal(answer.status, 401, path);
  }
  assert.equal((await stage.router.ask("GET", "/plugins/other/x")).status, 404);
  const headers = await otpOf(stage.router);
  const scoped = async (path: string) => {
    const { Token } = await stage.router.json<{ Token: string }>("PUT", "/tokens", {
      body: { Name: path, ScopedPaths: [path], Expire: 0 },
      headers,
    });
    return `Bearer ${Token}`;
  };
  const reader = await scoped("/plugins/sample:r"), other = await scoped("/plugins/sampl");
  const status = async (method: string, as: string) => {
    const answer = await stage.router.ask(method, "/plugins/sample/x", { as });
    await answer.text();
    return answer.status;
  };
  assert.deepEqual(
    [await status("GET", reader), await status("PUT", reader), await status("GET", other)],
    [200, 403, 403],
  );
});

Deno.test("sixteen megabytes pass both ways, and a caller that leaves ends the work", async () => {
  const { program, ended } = echo();
  await using stage = await pluginStage(program);
  const size = 256 * CHUNK.length;
  let left = 256;
  const upload = await stage.call("/plugins/sample/size", {
    method: "POST",
    body: new ReadableStream({
      pull(controller) {
        if (left-- > 0) controller.enqueue(CHUNK);
        else controller.close();
      },
    }),
  });
  assert.equal(await upload.json(), size);
  let received = 0;
  for await (const chunk of (await stage.call("/plugins/sample/big")).body!) {
    received += chunk.length;
  }
  assert.equal(received, size);
  for (const path of ["/sse", "/hang"]) {
    const leaving = new AbortController();
    const answer = stage.call(`/plugins/sample${path}`, { signal: leaving.signal });
    if (path === "/sse") {
      const reader = (await answer).body!.getReader();
      assert.match(new TextDecoder().decode((await reader.read()).value), /^data: /);
    } else await new Promise((resolve) => setTimeout(resolve, 100));
    leaving.abort();
    await answer.catch(() => {});
    const what = path === "/sse" ? "stream" : "request";
    await eventually(`the plugin learns that ${path} ended`, () => assert.ok(ended.includes(what)));
  }
});

const opened = (socket: WebSocket) =>
  new Promise<boolean>((resolve) => {
    socket.onopen = () => resolve(true);
    socket.onerror = () => resolve(false);
  });

function socketTo(stage: PluginStage, options: Record<string, unknown>): WebSocket {
  return new (WebSocket as unknown as new (url: string, options: unknown) => WebSocket)(
    `${stage.origin.replace("http", "ws")}/plugins/sample/ws`,
    options,
  );
}

Deno.test("WebSockets echo through the proxy, and end when the plugin is turned off", async () => {
  const { program, ended } = echo();
  await using stage = await pluginStage(program);
  const socket = socketTo(stage, { headers: { authorization: basic() } });
  assert.ok(await inTime("the handshake", opened(socket)));
  socket.binaryType = "arraybuffer";
  const received: unknown[] = [];
  const whole = Promise.withResolvers<void>();
  socket.onmessage = ({ data }) => {
    received.push(data);
    if (received.length === 201) whole.resolve();
  };
  for (let n = 0; n < 200; n++) socket.send(`message ${n}`);
  socket.send(new Uint8Array(1 << 20).fill(3));
  await inTime("the echo", whole.promise);
  assert.equal(received[199], "message 199");
  assert.equal((received[200] as ArrayBuffer).byteLength, 1 << 20);
  const { token } = await stage.router.json<{ token: string }>("PUT", "/plugin/ui_session", {
    body: { pluginURI: "sample", protocolVersion: 1 },
  });
  // As a sandboxed page sends it, which can set no header.
  const page = socketTo(stage, {
    headers: { origin: "null" },
    protocols: [`sluice-token.${token}`],
  });
  assert.ok(await inTime("the handshake of a page", opened(page)));
  const foreign = socketTo(stage, { headers: { origin: "null", cookie: "sluice-http=x" } });
  assert.equal(await opened(foreign), false);
  const closed = [socket, page].map((one) => new Promise((resolve) => one.onclose = resolve));
  await stage.router.json("PUT", "/plugins_api/sample", { body: { ...SAMPLE, Enabled: false } });
  await inTime("the sockets close", Promise.all(closed));
  await eventually("the plugin sees both end", () => assert.equal(ended.length, 2));
  const answer = await stage.router.ask("GET", "/plugins/sample/x");
  assert.equal(answer.status, 404);
  const again = await stage.router.ask("GET", "/plugins/sample/x", { as: `Bearer ${token}` });
  assert.deepEqual([again.status, again.headers.get("x-spr-auth-error")], [401, "invalid_token"]);
});

Deno.test("what a plugin sends before it ends a WebSocket at once reaches the client", async () => {
  await using stage = await pluginStage((request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => {
      for (let n = 0; n < 20; n++) socket.send(`early ${n}`);
      socket.close(3999, "enough");
    };
    return response;
  });
  for (let round = 0; round < 20; round++) {
    const socket = socketTo(stage, { headers: { authorization: basic() } });
    const received: unknown[] = [];
    socket.onmessage = ({ data }) => received.push(data);
    const { code, reason } = await inTime(
      "the end",
      new Promise<CloseEvent>((resolve) => socket.onclose = resolve),
    );
    assert.equal(received.length, 20);
    assert.deepEqual([code, reason], [3999, "enough"]);
  }
});

Deno.test("a dead plugin is a 502 at once, and a link in the place of its socket leads nowhere", async () => {
  const { program } = echo();
  await using stage = await pluginStage(program);
  const ask = async () => {
    const answer = await stage.router.ask("GET", "/plugins/sample/x");
    return `${answer.status} ${await answer.text()}`;
  };
  assert.equal(await ask(), "200 GET /x");
  await stage.stopPlugin();
  const before = performance.now();
  assert.match(await ask(), /^502 .*sample/s);
  assert.ok(performance.now() - before < 1000);
  const other = `${stage.router.home}/state/net/other.sock`;
  await using _server = Deno.serve({ path: other, onListen() {} }, () => new Response("inside"));
  await Deno.remove(`${stage.folder}/socket`).catch(() => {});
  await Deno.symlink(other, `${stage.folder}/socket`);
  assert.match(await ask(), /^502 .*link/s);
  await Deno.rename(stage.folder, `${stage.folder}-moved`);
  await Deno.symlink(`${stage.router.home}/state/net`, stage.folder);
  assert.match(await ask(), /^502 .*link/s);
});

Deno.test("a page's session opens its plugin alone, for ten minutes", async () => {
  const { program } = echo();
  let time = Date.now();
  await using stage = await pluginStage(program, { now: () => time });
  const { router } = stage;
  type Session = { token: string; sessionId: string; pluginURI: string };
  const open = (body: object) =>
    router.ask("PUT", "/plugin/ui_session", {
      body: { pluginURI: "sample", protocolVersion: 1, ...body },
    });
  const first = await open({});
  assert.equal(first.status, 201);
  const session: Session = await first.json();
  assert.match(session.token, /^sprui1_[\w-]{43}$/);
  assert.match(session.sessionId, /^[\w-]{24}$/);
  const status = async (token: string, path: string) => {
    const answer = await router.ask("GET", path, {
      as: `Bearer ${token}`,
      headers: { origin: "null" },
    });
    await answer.text();
    return [answer.status, answer.headers.get("x-spr-auth-error")];
  };
  assert.deepEqual(await status(session.token, "/plugins/sample/x"), [200, null]);
  assert.deepEqual(await status(session.token, "/devices"), [403, "insufficient_scope"]);
  assert.deepEqual(await status(session.token, "/plugins"), [403, "insufficient_scope"]);
  const second: Session = await (await open({ replaceSessionId: session.sessionId })).json();
  assert.deepEqual(await status(session.token, "/plugins/sample/x"), [401, "invalid_token"]);
  time += 600_001;
  assert.deepEqual(await status(second.token, "/plugins/sample/x"), [401, "invalid_token"]);
  const old = await open({ protocolVersion: 2 });
  assert.equal(old.status, 409);
  assert.deepEqual((await old.json()).supportedProtocolVersions, [1]);
  assert.equal((await open({ pluginURI: "other" })).status, 403);
  const third: Session = await (await open({})).json();
  assert.equal((await router.ask("DELETE", `/plugin/ui_session/${third.sessionId}`)).status, 204);
  assert.deepEqual(await status(third.token, "/plugins/sample/x"), [401, "invalid_token"]);
});

Deno.test("a framed page gets its values before its own scripts, whatever it begins with, and nothing else does", async () => {
  const pages: Readonly<Record<string, string>> = {
    head: '<!doctype html><html><head class="a"><title>é</title></head><body>x</body></html>',
    bare: "<!doctype html>\n<p>é</p>",
    long: `<!doctype html>${"é".repeat(80_000)}`,
  };
  let page = "";
  await using stage = await pluginStage((request) =>
    new Response(page, {
      headers: { "content-type": new URL(request.url).searchParams.get("as") ?? "text/html" },
    })
  );
  const get = async (query = "", headers: Record<string, string> = {}) => {
    const answer = await stage.call(`/plugins/sample/${query}`, { headers });
    return { text: await answer.text(), cache: answer.headers.get("cache-control") };
  };
  const framed = { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-origin" };
  for (page of Object.values(pages)) {
    const { text, cache } = await get("", framed);
    const [, script = ""] = /<script>Object\.assign\(window, (.*?)\)<\/script>/.exec(text) ?? [];
    const { SPR_API_URL, SPR_PLUGIN, SPR_API_TOKEN } = JSON.parse(script);
    assert.equal(SPR_API_URL, `${stage.origin}/`);
    assert.deepEqual(SPR_PLUGIN, { Name: "sample", URI: "sample", GitURL: "" });
    assert.match(SPR_API_TOKEN, /^sprui1_/);
    assert.equal(cache, "no-store");
    assert.match(text, /^<!doctype html>/);
    assert.equal(text.replace(/<script>Object.*?<\/script>/, ""), page);
    assert.equal((await get()).text, page, "not in a frame");
  }
  assert.equal((await get("?as=text/plain", framed)).text, page);
  assert.equal((await get("other", framed)).text, page);
});
