import assert from "node:assert/strict";
import { plainUpstreamNetwork } from "../../../../system/host/datagrams/upstream_sockets.ts";
import {
  type FetchDeps,
  fetchList,
  type FetchOptions,
} from "../../../../system/dns/block/lists/fetch_list.ts";

interface Source extends AsyncDisposable {
  readonly port: number;
  /** Where lists go in this test. */
  readonly folder: string;
  /** Fetches a path of the source by a name that leads to it. */
  fetch(path: string, given?: Given): ReturnType<typeof fetchList>;
  /** Asserts that a path is refused, and that the list from before is as it was. */
  refused(path: string, text: RegExp, given?: Given): Promise<void>;
}

interface Given {
  readonly deps?: Partial<FetchDeps>;
  readonly options?: Partial<FetchOptions>;
  readonly host?: string;
}

/** A server on loopback that stands for one on the Internet. */
async function source(
  handler: (request: Request) => Response | Promise<Response>,
): Promise<Source> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handler);
  const { port } = server.addr;
  const folder = await Deno.makeTempDir();
  const target = `${folder}/list`;
  const get: Source["fetch"] = (path, { deps = {}, options = {}, host } = {}) =>
    fetchList({
      uri: `http://${host ?? `lists.example:${port}`}${path}`,
      target,
      known: null,
      signal: new AbortController().signal,
      ...options,
    }, {
      resolve: () => Promise.resolve(["127.0.0.1"]),
      connect: plainUpstreamNetwork().connect,
      isAllowed: (address) => address === "127.0.0.1",
      ...deps,
    });
  return {
    port,
    folder,
    fetch: get,
    async refused(path, text, given) {
      await Deno.writeTextFile(target, "old.example\n");
      await assert.rejects(() => get(path, given), (error: Error) => {
        assert.equal(error.name, "ListFault");
        assert.match(error.message, text);
        return true;
      });
      assert.equal(await Deno.readTextFile(target), "old.example\n");
      assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["list"]);
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Raw bytes as an answer, whatever HTTP says of them; the connection stays open unless `end`. */
async function rawSource(
  answer: string,
  { end }: { readonly end: boolean },
  work: (port: number) => Promise<void>,
): Promise<void> {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const open: Deno.Conn[] = [];
  const serving = (async () => {
    for await (const connection of listener) {
      open.push(connection);
      await connection.read(new Uint8Array(4096));
      await connection.write(new TextEncoder().encode(answer));
      if (end) connection.closeWrite();
    }
  })();
  try {
    await work((listener.addr as Deno.NetAddr).port);
  } finally {
    listener.close();
    for (const connection of open) connection.close();
    await serving;
  }
}

Deno.test("a list is fetched completely from the checked address, under its host name", async () => {
  const hosts: (string | null)[] = [];
  await using lists = await source((request) => {
    hosts.push(request.headers.get("host"));
    return new Response("ads.example\n", {
      headers: { etag: '"1"', "last-modified": "Sat, 28 Nov 2026 00:00:00 GMT" },
    });
  });
  assert.deepEqual(await lists.fetch("/hosts"), {
    changed: true,
    bytes: 12,
    etag: '"1"',
    modified: "Sat, 28 Nov 2026 00:00:00 GMT",
  });
  assert.equal(await Deno.readTextFile(`${lists.folder}/list`), "ads.example\n");
  assert.deepEqual(hosts, [`lists.example:${lists.port}`]);
});

Deno.test("a list is judged by its content, not by its content type", async () => {
  await using lists = await source(() =>
    new Response("ads.example\n", { headers: { "content-type": "text/html" } })
  );
  assert.equal((await lists.fetch("/hosts")).changed, true);
});

Deno.test("an unchanged list is not downloaded again", async () => {
  await using lists = await source((request) =>
    request.headers.get("if-none-match") === '"1"' &&
      request.headers.get("if-modified-since") === "then"
      ? new Response(null, { status: 304 })
      : new Response("ads.example\n")
  );
  const known = { etag: '"1"', modified: "then" };
  assert.deepEqual(await lists.fetch("/", { options: { known } }), { changed: false });
  const other = { etag: '"0"', modified: "" };
  assert.equal((await lists.fetch("/", { options: { known: other } })).changed, true);
});

Deno.test("an address that is not on the Internet is rejected in any notation", async () => {
  let requests = 0;
  await using lists = await source(() => {
    requests++;
    return new Response("ads.example\n");
  });
  const inside = (addresses: readonly string[]): Given => ({
    deps: {
      resolve: () => Promise.resolve(addresses),
      isAllowed: (address) => address === "203.0.113.7",
    },
  });
  await lists.refused("/", /not on the Internet/, inside(["127.0.0.1", "192.168.2.1"]));
  await lists.refused("/", /not on the Internet/, inside([]));
  await lists.refused("/", /not on the Internet/, {
    ...inside(["203.0.113.7"]),
    host: `127.0.0.1:${lists.port}`,
  });
  await lists.refused("/", /could not be resolved/, {
    deps: { resolve: () => Promise.reject(new Error("no such name")) },
  });
  assert.equal(requests, 0);
});

Deno.test("a host is resolved once, so that a second answer cannot redirect the fetch", async () => {
  let lookups = 0;
  await using lists = await source(() => new Response("ads.example\n"));
  const resolve = () => Promise.resolve([lookups++ === 0 ? "127.0.0.1" : "192.168.2.1"]);
  await lists.fetch("/", { deps: { resolve } });
  assert.equal(lookups, 1);
});

Deno.test("of several addresses the next is tried when one does not answer", async () => {
  await using lists = await source(() => new Response("ads.example\n"));
  const tried: string[] = [];
  const deps: Partial<FetchDeps> = {
    resolve: () => Promise.resolve(["203.0.113.1", "192.168.2.1", "203.0.113.2"]),
    isAllowed: (address) => address.startsWith("203."),
    connect(address, port, tls) {
      tried.push(address);
      return address.endsWith(".1")
        ? Promise.reject(new Error("Connection refused"))
        : plainUpstreamNetwork().connect("127.0.0.1", port, tls);
    },
  };
  assert.equal((await lists.fetch("/", { deps })).changed, true);
  assert.deepEqual(tried, ["203.0.113.1", "203.0.113.2"]);
});

Deno.test("redirects are followed, each checked like the first address", async () => {
  await using lists = await source((request) => {
    const { pathname } = new URL(request.url);
    const to = (location: string) => new Response(null, { status: 302, headers: { location } });
    switch (pathname) {
      case "/relative":
        return to("/list");
      case "/home":
        return to("http://router.example/list");
      case "/literal":
        return to("http://192.168.2.1/list");
      case "/file":
        return to("file:///etc/passwd");
      case "/user":
        return to("http://user:word@lists.example/list");
      case "/loop":
        return to("/loop");
      case "/nowhere":
        return new Response(null, { status: 302 });
      default:
        return new Response("ads.example\n");
    }
  });
  assert.equal((await lists.fetch("/relative")).changed, true);
  const resolve = (host: string) =>
    Promise.resolve([host === "router.example" ? "192.168.2.1" : "127.0.0.1"]);
  await lists.refused("/home", /router\.example.*not on the Internet/, { deps: { resolve } });
  await lists.refused("/literal", /not on the Internet/);
  await lists.refused("/file", /https or http URL/);
  await lists.refused("/user", /password/);
  await lists.refused("/loop", /too many redirects/);
  await lists.refused("/nowhere", /without a valid target/);
});

Deno.test("errors, web pages, images, archives and empty files are rejected, and the old list stays", async () => {
  await using lists = await source((request) => {
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case "/missing":
        return new Response("gone", { status: 404 });
      case "/part":
        return new Response("ads.example\n", { status: 206 });
      case "/page":
        return new Response("<p>", { headers: { "content-type": "text/html; charset=utf-8" } });
      case "/hidden-page":
        return new Response("\n<!doctype html>", { headers: { "content-type": "text/plain" } });
      case "/picture":
        return new Response("GIF89a", { headers: { "content-type": "image/gif" } });
      case "/archive":
        return new Response(new Uint8Array([0x1f, 0x8b, 8, 0]));
      case "/binary":
        return new Response(new Uint8Array(100_000).fill(65).fill(0, 99_000));
      default:
        return new Response("");
    }
  });
  await lists.refused("/missing", /404/);
  await lists.refused("/part", /206/);
  await lists.refused("/page", /web page/);
  await lists.refused("/hidden-page", /web page/);
  await lists.refused("/picture", /image/);
  await lists.refused("/archive", /compressed|not text/);
  await lists.refused("/binary", /not text/);
  await lists.refused("/nothing", /is empty/);
});

Deno.test("an endless list is aborted at the size limit, announced or not, compressed or not", async () => {
  const line = new TextEncoder().encode("ads.example\n".repeat(1000));
  await using lists = await source((request) => {
    const { pathname } = new URL(request.url);
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => controller.enqueue(line),
    });
    if (pathname !== "/packed") return new Response(endless);
    return new Response(endless.pipeThrough(new CompressionStream("gzip")), {
      headers: { "content-encoding": "gzip" },
    });
  });
  const deps = { limits: { maxBytes: 1 << 20 } };
  await lists.refused("/endless", /larger than 1 MiB/, { deps });
  await lists.refused("/packed", /larger than 1 MiB/, { deps });
  const announced = `HTTP/1.1 200 OK\r\ncontent-length: ${2 * 2 ** 30}\r\n\r\na`;
  await rawSource(announced, { end: false }, async (port) => {
    await lists.refused("/", /larger than 128 MiB/, { host: `lists.example:${port}` });
  });
});

Deno.test("a server that stops, stalls or sends a wrong length is given up", async () => {
  await using lists = await source(() => new Response("unused"));
  const limits = { stallTimeoutMs: 150 };
  const given = (port: number): Given => ({
    host: `lists.example:${port}`,
    deps: { limits },
  });
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";
  await rawSource("", { end: false }, async (port) => {
    await lists.refused("/", /did not respond in time/, given(port));
  });
  await rawSource(
    `${head}content-length: 100\r\n\r\nads.example\n`,
    { end: false },
    async (port) => {
      await lists.refused("/", /stalled/, given(port));
    },
  );
  await rawSource(
    `${head}content-length: 100\r\n\r\nads.example\n`,
    { end: true },
    async (port) => {
      await lists.refused("/", /interrupted/, given(port));
    },
  );
  await rawSource("no HTTP at all\r\n\r\n", { end: true }, async (port) => {
    await lists.refused("/", /interrupted/, given(port));
  });
  const refused = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = refused.addr as Deno.NetAddr;
  refused.close();
  await lists.refused("/", /refused the connection|interrupted/, given(port));
});

Deno.test("valid HTTP is understood: interim responses, chunks, an end without a length", async () => {
  await using lists = await source(() => new Response("unused"));
  const read = async (answer: string): Promise<string> => {
    let text = "";
    await rawSource(answer, { end: true }, async (port) => {
      await lists.fetch("/a?b", { host: `lists.example:${port}` });
      text = await Deno.readTextFile(`${lists.folder}/list`);
    });
    return text;
  };
  const ok = "HTTP/1.1 200 OK\r\n";
  assert.equal(await read("HTTP/1.0 200\r\n\r\nads.example"), "ads.example");
  assert.equal(await read(`HTTP/1.1 103 Early\r\nlink: x\r\n\r\n${ok}\r\na.example`), "a.example");
  assert.equal(await read(`${ok}Content-Length:  4 \r\n\r\na.bcd`), "a.bc");
  const chunks = "Transfer-Encoding: Chunked\r\n\r\n";
  assert.equal(
    await read(`${ok}${chunks}2;x=y\r\nad\r\nA\r\ns.example\n\r\n0\r\n\r\n`),
    "ads.example\n",
  );
});

Deno.test("invalid HTTP is rejected: bad heads, lengths, chunks and codings", async () => {
  await using lists = await source(() => new Response("unused"));
  const ok = "HTTP/1.1 200 OK\r\n";
  const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
  const answers = [
    ...["HTTP/2 200\r\n\r\na", "HTTP/1.1 999 No\r\n\r\na", "200 OK\r\n\r\na", "\r\n\r\n"],
    ...[`${ok}no header\r\n\r\na`, `${ok}a b: c\r\n\r\na`, `${ok} folded: c\r\n\r\na`],
    ...[`${ok}content-length: -1\r\n\r\na`, `${ok}content-length: 1, 2\r\n\r\na`],
    ...[`${ok}content-length: 1e3\r\n\r\na`, `${ok}x: ${"a".repeat(70_000)}\r\n\r\na`],
    ...[`${ok}${"x: a\r\n".repeat(20_000)}\r\na`, `${ok}transfer-encoding: gzip\r\n\r\na`],
    ...[`${ok}content-encoding: br\r\n\r\na`, `${ok}content-encoding: gzip\r\n\r\na.example`],
    ...[`${chunked}zz\r\na`, `${chunked}-1\r\na`, `${chunked}1\r\nab\r\n0\r\n\r\n`],
    ...[`${chunked}5\r\nab`, `${chunked}ffffffffff\r\nab`, `${chunked}${"0".repeat(500)}1\r\na`],
    ...[`${chunked}2\r\nab\r\n`, "HTTP/1.1 100 Continue\r\n\r\n"],
  ];
  for (const answer of answers) {
    await rawSource(answer, { end: true }, async (port) => {
      await lists.refused("/", /interrupted/, { host: `lists.example:${port}` });
    });
  }
});

Deno.test("a slow server is given up when the download takes too long", async () => {
  let timer: ReturnType<typeof setInterval> | undefined;
  await using lists = await source(() =>
    new Response(
      new ReadableStream({
        start(controller) {
          timer = setInterval(() => controller.enqueue(new TextEncoder().encode("a")), 20);
        },
        cancel: () => clearInterval(timer),
      }),
    )
  );
  await lists.refused("/", /too long/, {
    deps: { limits: { stallTimeoutMs: 5000, totalTimeoutMs: 200 } },
  });
  clearInterval(timer);
});

Deno.test("a fetch is aborted when the resolver stops", async () => {
  await using lists = await source(() => new Promise(() => {}));
  const ending = new AbortController();
  const fetched = lists.refused("/", /stopped/, { options: { signal: ending.signal } });
  ending.abort();
  await fetched;
});
