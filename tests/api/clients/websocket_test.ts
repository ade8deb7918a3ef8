import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { listenTcp } from "../../../routes/http/listen.ts";
import { peerOf } from "../../../routes/http/peer.ts";
import { UNWATCHED } from "../../../system/core/ipc/watched_server.ts";
import { otpOf } from "../../kit/otp.ts";
import { PASSWORD, type TestRouter, testRouter } from "../../kit/router.ts";

/** A router behind a listener like those of the api. */
interface Stage extends AsyncDisposable {
  readonly router: TestRouter;
  readonly port: number;
}

async function stage(): Promise<Stage> {
  const router = await testRouter();
  const at = { hostname: "127.0.0.1", port: 0 };
  const listener = await listenTcp({
    ...at,
    variable: "SLUICE_HTTP",
    handler: (request, { remoteAddr, ...connection }) =>
      router.external.fetch(request, {
        peer: peerOf(remoteAddr, { ...at, ...connection, tls: false }),
      }),
    watch: UNWATCHED,
  });
  return {
    router,
    port: listener.port,
    async [Symbol.asyncDispose]() {
      await listener.close();
      await router[Symbol.asyncDispose]();
    },
  };
}

interface Message {
  readonly Type: string;
  readonly Data: string;
  readonly Notification: boolean;
  readonly WildcardAll: boolean;
}

/** A client that reads one text after the other; null once the socket is closed. */
class Client {
  readonly #socket: WebSocket;
  readonly #texts: (string | null)[] = [];
  #wake = (): void => {};

  constructor({ port }: Stage, path: string, first: string) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    this.#socket.onopen = () => this.#socket.send(first);
    this.#socket.onmessage = ({ data }) => this.#take(data);
    this.#socket.onclose = () => this.#take(null);
  }

  #take(text: string | null): void {
    this.#texts.push(text);
    this.#wake();
  }

  async next(): Promise<string | null> {
    while (this.#texts.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return this.#texts.shift()!;
  }

  /** The next message of this topic. */
  async message(topic: string): Promise<Message> {
    for (;;) {
      const text = await this.next();
      assert.notEqual(text, null, `closed before ${topic}`);
      const message: Message = JSON.parse(text!);
      if (message.Type === topic) return message;
    }
  }

  close(): void {
    this.#socket.close();
  }
}

Deno.test("a WebSocket is signed in to by password or token, in its first message", async () => {
  await using at = await stage();
  const { Token } = await at.router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "viewer", ScopedPaths: [] },
    headers: await otpOf(at.router),
  });
  const outcomes: readonly (readonly [first: string, answer: string])[] = [
    [`admin:${PASSWORD}`, "success"],
    [Token, "success"],
    ["admin:wrong", "Authentication failure"],
    ["nobody:at all", "Authentication failure"],
    ["no-such-token", "Authentication failure"],
    ["", "Authentication failure"],
  ];
  for (const path of ["/ws", "/ws_events_all"]) {
    for (const [first, answer] of outcomes) {
      const client = new Client(at, path, first);
      assert.equal(await client.next(), answer, first);
      if (answer === "success") client.close();
      assert.equal(await client.next(), null);
    }
  }
});

Deno.test("a token signs in where it covers the path", async () => {
  await using at = await stage();
  const headers = await otpOf(at.router);
  const token = async (ScopedPaths: readonly string[]) =>
    (await at.router.json<{ Token: string }>("PUT", "/tokens", {
      body: { Name: "viewer", ScopedPaths },
      headers,
    })).Token;
  const scoped = new Client(at, "/ws", await token(["/devices:r"]));
  assert.equal(await scoped.next(), "Authentication failure");
  const covered = new Client(at, "/ws_events_all", await token(["/ws_events_all:r"]));
  assert.equal(await covered.next(), "success");
  covered.close();
});

Deno.test("a scoped token's WebSocket has the topics whose path it may read", async () => {
  await using at = await stage();
  const { Token } = await at.router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "viewer", ScopedPaths: ["/ws_events_all", "/ws", "/wan/status:r"] },
    headers: await otpOf(at.router),
  });
  for (const path of ["/ws", "/ws_events_all"]) {
    const client = new Client(at, path, Token);
    assert.equal(await client.next(), "success");
    at.router.bus.publish("notices", { id: "1", kind: "x", resolved: false });
    at.router.bus.publish("wifi:psk:reload", {});
    at.router.bus.publish("wan:uplink:up", { Iface: "wan0" });
    assert.match(await client.next() ?? "", /"Type":"wan:uplink:up"/, path);
    client.close();
  }
});

Deno.test("where a second factor is always needed, it comes with the password", async () => {
  await using at = await stage();
  const enrolled = await at.router.json<{ OTPUsers: { Secret: string }[] }>(
    "PUT",
    "/otp_register",
    { body: { Name: "admin" } },
  );
  const totp = new TOTP({ secret: Secret.fromBase32(enrolled.OTPUsers[0]!.Secret) });
  const jwt = await at.router.json<string>("PUT", "/otp_validate", {
    body: { Name: "admin", Code: totp.generate(), UpdateAlwaysOn: true, AlwaysOn: true },
  });
  const bare = new Client(at, "/ws", `admin:${PASSWORD}`);
  assert.equal(await bare.next(), "Invalid JWT OTP");
  const whole = new Client(at, "/ws", `admin:${PASSWORD}:${jwt}`);
  assert.equal(await whole.next(), "success");
  whole.close();
});

Deno.test("notifications go to every reader, other events only to readers of all", async () => {
  await using at = await stage();
  const some = new Client(at, "/ws", `admin:${PASSWORD}`);
  const all = new Client(at, "/ws_events_all", `admin:${PASSWORD}`);
  for (const client of [some, all]) assert.equal(await client.next(), "success");
  await at.router.json("PUT", "/device?identity=pending", { body: { Name: "lamp" } });
  const saved = await all.message("device:save");
  assert.deepEqual([saved.Notification, saved.WildcardAll], [false, true]);
  assert.equal(JSON.parse(saved.Data).Name, "lamp");
  const failure = { Type: "sae", MAC: "02:00:00:00:0a:01", Reason: "mismatch" };
  await at.router.json("PUT", "/reportPSKAuthFailure", { body: failure });
  const first: Message = JSON.parse((await some.next())!);
  assert.deepEqual([first.Type, first.Notification, first.WildcardAll], [
    "wifi:auth:fail",
    true,
    false,
  ]);
  assert.equal(JSON.parse(first.Data).Reason, "mismatch");
  const both = [await all.message("wifi:auth:fail"), await all.message("wifi:auth:fail")];
  assert.deepEqual(both.map(({ Notification }) => Notification), [true, false]);
  await at.router.notices.open("test", "Something needs a person");
  assert.equal(
    JSON.parse((await some.message("alert:test")).Data).Body,
    "Something needs a person",
  );
  for (const client of [some, all]) client.close();
});

Deno.test("a socket closes with its own token, and the others stay", async () => {
  await using at = await stage();
  const headers = await otpOf(at.router);
  const made = await at.router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "viewer", ScopedPaths: [] },
    headers,
  });
  const mine = new Client(at, "/ws_events_all", `admin:${PASSWORD}`);
  const theirs = new Client(at, "/ws_events_all", made.Token);
  for (const client of [mine, theirs]) assert.equal(await client.next(), "success");
  const body = { Token: made.Token };
  const deleted = await at.router.ask("DELETE", "/tokens", { body, headers });
  await deleted.body?.cancel();
  while (await theirs.next() !== null);
  await at.router.json("PUT", "/device?identity=pending", { body: { Name: "lamp" } });
  await mine.message("device:save");
  mine.close();
});

/** A client of the bare protocol. */
async function upgraded(
  port: number,
  headers: readonly string[] = [],
  path = "/ws",
): Promise<Deno.TcpConn> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
  ];
  await conn.write(new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`));
  return conn;
}

async function statusOf(conn: Deno.TcpConn): Promise<number> {
  const chunk = new Uint8Array(4096);
  const size = await conn.read(chunk) ?? 0;
  return Number(new TextDecoder().decode(chunk.subarray(0, size)).split(" ")[1]);
}

Deno.test("who has not signed in can send little, in frames of any kind", async () => {
  await using at = await stage();
  // RFC 6455 5.2: FIN, opcode, mask bit and a length of 64 bits; then the mask.
  const frame = (first: number, length: number) => {
    const head = new Uint8Array(14);
    head.set([first, 0x80 | 127]);
    new DataView(head.buffer).setBigUint64(2, BigInt(length));
    return head;
  };
  const one = [frame(0x81, 32 << 20), new Uint8Array(1 << 20)];
  const fragments = Array.from({ length: 64 }, (_, at) => at).flatMap((at) => [
    frame(at === 0 ? 0x01 : 0x00, 16 << 10),
    new Uint8Array(16 << 10),
  ]);
  for (const chunks of [one, fragments]) {
    const conn = await upgraded(at.port);
    assert.equal(await statusOf(conn), 101);
    const sending = (async () => {
      for (const chunk of chunks) {
        for (let sent = 0; sent < chunk.length;) sent += await conn.write(chunk.subarray(sent));
      }
    })().catch(() => {});
    const chunk = new Uint8Array(1024);
    while ((await conn.read(chunk).catch(() => null)) !== null);
    await sending;
    conn.close();
  }
});

Deno.test("a reader that takes nothing is disconnected, and holds up neither others nor the bus", async () => {
  await using at = await stage();
  const slow = await upgraded(at.port, [], "/ws_events_all");
  assert.equal(await statusOf(slow), 101);
  // RFC 6455 5.2: a text of one frame, masked with zeros.
  const text = new TextEncoder().encode(`admin:${PASSWORD}`);
  await slow.write(new Uint8Array([0x81, 0x80 | text.length, 0, 0, 0, 0, ...text]));
  const reader = new Client(at, "/ws_events_all", `admin:${PASSWORD}`);
  assert.equal(await reader.next(), "success");
  const { router: { bus } } = at;
  const padding = "x".repeat(64 << 10);
  for (let n = 0; n < 300; n++) {
    const began = performance.now();
    bus.publish("of:tests", { n, padding });
    assert.ok(performance.now() - began < 2000, "publishing waits for nobody");
    // The reader takes each one; the other takes none.
    assert.equal(JSON.parse((await reader.message("of:tests")).Data).n, n);
  }
  // It never agrees to the end, which the router has asked for behind all that waits.
  const began = performance.now();
  let read = 0;
  const chunk = new Uint8Array(64 << 10);
  for (;;) {
    const size = await slow.read(chunk).catch(() => null);
    if (size === null) break;
    read += size;
  }
  assert.ok(read < 250 * padding.length, `${read} bytes came`);
  assert.ok(performance.now() - began < 10_000, "its connection is ended all the same");
  slow.close();
  reader.close();
  while (await reader.next() !== null);
});

Deno.test("pages of other sites, requests that upgrade nothing, and too many are refused", async () => {
  await using at = await stage();
  const foreign = await upgraded(at.port, ["Origin: https://evil.example"]);
  assert.equal(await statusOf(foreign), 403);
  foreign.close();
  const plain = await at.router.ask("GET", "/ws", { as: null });
  assert.equal(plain.status, 400);
  await plain.body?.cancel();
  const waiting: Deno.TcpConn[] = [];
  for (let n = 0; n < 8; n++) {
    const conn = await upgraded(at.port);
    assert.equal(await statusOf(conn), 101);
    waiting.push(conn);
  }
  const ninth = await upgraded(at.port);
  assert.equal(await statusOf(ninth), 429);
  for (const conn of [...waiting, ninth]) conn.close();
});
