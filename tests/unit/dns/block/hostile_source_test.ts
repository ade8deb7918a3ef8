import assert from "node:assert/strict";
import { isNonPublicAddress } from "../../../../system/dns/block/verdict/rebinding.ts";
import { type FetchDeps, fetchList } from "../../../../system/dns/block/lists/fetch_list.ts";
import { httpRequest } from "../../../../system/core/net/http_request.ts";
import type { ByteStream } from "../../../../system/core/net/transport.ts";

/** A connection over which these bytes come, as many at a time as asked for. */
function streamOf(bytes: Uint8Array, { ends = true } = {}): ByteStream {
  let at = 0;
  const { promise, resolve } = Promise.withResolvers<null>();
  return {
    async read(into) {
      if (at === bytes.length) return ends ? null : await promise;
      const part = bytes.subarray(at, at + into.length);
      into.set(part);
      at += part.length;
      return part.length;
    },
    write: () => Promise.resolve(),
    close: () => resolve(null),
  };
}

/** What was connected to: address, port and the name that TLS checks. */
interface PppoeConnection {
  readonly address: string;
  readonly port: number;
  readonly tls: string | null;
}

/** Fetches a list from an Internet in memory: what each URL's host answers, by its address. */
async function fetchFrom(
  uri: string,
  answers: Readonly<Record<string, string>>,
  { own = "203.0.113.2", ...deps }: Partial<FetchDeps> & { readonly own?: string } = {},
): Promise<{ readonly result: string; readonly dialled: readonly PppoeConnection[] }> {
  const dialled: PppoeConnection[] = [];
  const folder = await Deno.makeTempDir();
  try {
    const fetched = await fetchList({
      uri,
      target: `${folder}/list`,
      known: null,
      signal: new AbortController().signal,
    }, {
      resolve: (host) => Promise.resolve([host.startsWith("six.") ? "2001:db8::7" : "203.0.113.7"]),
      isAllowed: (address) => !isNonPublicAddress(address) && address !== own,
      connect(address, port, tls) {
        dialled.push({ address, port, tls: tls?.serverName ?? null });
        const answer = answers[`${tls === null ? "http" : "https"} ${port}`];
        if (answer === undefined) return Promise.reject(new Error("Connection refused"));
        return Promise.resolve(streamOf(new TextEncoder().encode(answer)));
      },
      ...deps,
    }).then((done) => done.changed ? `${done.bytes} bytes` : "the same", (error) => error.message);
    return { result: fetched, dialled };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const OK = "HTTP/1.1 200 OK\r\n\r\nads.example\n";
const to = (location: string): string => `HTTP/1.1 302 Found\r\nlocation: ${location}\r\n\r\n`;

Deno.test("a redirect from http to https is followed and its certificate checked, none goes back", async () => {
  const up = await fetchFrom("http://lists.example/a", {
    "http 80": to("https://other.example/b"),
    "https 443": OK,
  });
  assert.equal(up.result, "12 bytes");
  assert.deepEqual(up.dialled, [
    { address: "203.0.113.7", port: 80, tls: null },
    { address: "203.0.113.7", port: 443, tls: "other.example" },
  ]);
  const down = await fetchFrom("https://lists.example/a", {
    "https 443": to("http://lists.example/b"),
    "http 80": OK,
  });
  assert.match(down.result, /from https to http/);
  assert.equal(down.dialled.length, 1);
  const around = await fetchFrom("http://lists.example/", {
    "http 80": to("https://lists.example/"),
    "https 443": to("http://lists.example/"),
  });
  assert.match(around.result, /from https to http/);
});

Deno.test("no redirect leads to the LAN, this machine, its link or the router, in any notation", async () => {
  const targets = [
    ...["http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/"],
    ...["http://0.0.0.0/", "http://0/", "http://[::1]/", "http://[::]/", "http://[::ffff:7f00:1]/"],
    ...["http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://[fd00::1]/"],
    ...["http://192.168.2.1/", "http://10.0.0.1:8080/", "http://172.31.0.1/", "//192.168.2.1/"],
    ...["http://100.64.0.1/", "http://224.0.0.1/", "http://255.255.255.255/"],
    ...["http://[64:ff9b::a00:1]/", "http://[2002:c0a8:201::1]/"],
    // The router's own address on the Internet.
    ...["http://203.0.113.2/", "http://0xcb.0.0x71.2/"],
  ];
  for (const target of targets) {
    const { result, dialled } = await fetchFrom("http://lists.example/", { "http 80": to(target) });
    assert.match(result, /not on the Internet/, target);
    assert.equal(dialled.length, 1, target);
  }
  for (
    const target of ["ftp://lists.example/", "file:///etc/passwd", "data:text/plain,a.example"]
  ) {
    const { result } = await fetchFrom("http://lists.example/", { "http 80": to(target) });
    assert.match(result, /https or http URL/, target);
  }
  for (const target of ["http://", "http://a b/", "http://lists.example:99999/", ""]) {
    const { result } = await fetchFrom("http://lists.example/", { "http 80": to(target) });
    assert.match(result, /without a valid target/, target);
  }
});

Deno.test("a redirect loop over several hosts ends", async () => {
  let hop = 0;
  const { result, dialled } = await fetchFrom("http://lists.example/", {}, {
    connect: () =>
      Promise.resolve(streamOf(new TextEncoder().encode(to(`http://h${hop++}.example/`)))),
  });
  assert.match(result, /too many redirects/);
  assert.deepEqual([hop, dialled.length], [6, 0]);
});

Deno.test("a slow response head is given up, whatever it contains", async () => {
  const line = new TextEncoder().encode("HTTP/1.1 200 OK\r\n" + "x: a\r\n".repeat(1000));
  let at = 0, closed = false;
  const { result } = await fetchFrom("http://lists.example/", {}, {
    limits: { stallTimeoutMs: 150 },
    connect: () =>
      Promise.resolve({
        async read(into) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          if (closed) return null;
          into[0] = line[at++ % line.length]!;
          return 1;
        },
        write: () => Promise.resolve(),
        close: () => void (closed = true),
      }),
  });
  assert.match(result, /did not respond in time/);
  assert.equal(closed, true);
});

async function packed(size: number): Promise<Uint8Array<ArrayBuffer>> {
  const block = new Uint8Array(1 << 20).fill(97);
  const blocks = ReadableStream.from(Array.from({ length: size >> 20 }, () => block));
  return new Uint8Array(
    await new Response(blocks.pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  );
}

Deno.test("highly compressed content is decompressed in small parts", async () => {
  const bomb = await packed(64 << 20);
  const head = new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n");
  const stream = streamOf(Uint8Array.from([...head, ...bomb]));
  const { body } = await httpRequest(stream, new URL("http://lists.example/"), { headers: {} });
  let most = 0, whole = 0;
  for await (const chunk of body) {
    most = Math.max(most, chunk.length);
    whole += chunk.length;
  }
  assert.equal(whole, 64 << 20);
  assert.ok(most <= 4 << 20, `${most} bytes at once`);
});

Deno.test("content that is compressed twice, truncated or followed by more is no list", async () => {
  const once = await packed(1 << 20);
  const gzip = new CompressionStream("gzip");
  const again = new Response(once).body!.pipeThrough(gzip);
  const twice = new Uint8Array(await new Response(again).arrayBuffer());
  const head = new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n");
  for (
    const [what, bytes, text] of [
      ["twice", twice, /not text|packed/],
      ["cut", once.subarray(0, once.length - 20), /interrupted/],
      ["more", Uint8Array.from([...once, 1, 2, 3, 4]), /interrupted/],
      ["nothing", new Uint8Array(0), /interrupted|nothing/],
    ] as const
  ) {
    const { result } = await fetchFrom("http://lists.example/", {}, {
      connect: () => Promise.resolve(streamOf(Uint8Array.from([...head, ...bytes]))),
    });
    assert.match(result, text, what);
  }
});

Deno.test("a certificate that is not valid at the router's time has an error of its own", async () => {
  const text = {
    "invalid peer certificate: certificate not valid yet: verification time 0 (UNIX), but certificate":
      "The server certificate is not valid at the router's time; check the clock",
    "invalid peer certificate: certificate expired: verification time 1 (UNIX), but certificate":
      "The server certificate is not valid at the router's time; check the clock",
    "invalid peer certificate: UnknownIssuer": "The server certificate is not valid",
    "invalid peer certificate: certificate not valid for name":
      "The server certificate is not valid",
  };
  for (const [fault, expected] of Object.entries(text)) {
    const { result } = await fetchFrom("https://lists.example/", {}, {
      connect: () => Promise.reject(new Error(fault)),
    });
    assert.equal(result, expected, fault);
  }
});
