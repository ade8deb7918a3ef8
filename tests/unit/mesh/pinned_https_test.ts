import assert from "node:assert/strict";
import { validFor } from "../../../system/certificates/rules.ts";
import {
  type KeyPair,
  makeCaCertificate,
  makeCertificate,
} from "../../../system/certificates/x509.ts";
import { pinnedRequest, UntrustedServer } from "../../../system/host/sockets/pinned_https.ts";
import { isPinned } from "../../../system/mesh/pin.ts";
import { inTime } from "../../kit/eventually.ts";

const DAY = 86_400_000;

/** A server with a certificate that counts the requests which reach it. */
function served({ cert, key }: KeyPair) {
  let requests = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert, key, onListen: () => {} },
    async (request) => {
      requests++;
      const text = await request.text();
      return new Response(`${request.headers.get("authorization")} ${text}`, {
        headers: { "x-proof": "yes" },
      });
    },
  );
  return {
    port: server.addr.port,
    get requests() {
      return requests;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function ask(port: number, pin: string | null) {
  return pinnedRequest({
    address: "127.0.0.1",
    port,
    pin,
    accepts: (certificate) => isPinned(certificate, pin!),
    method: "PUT",
    path: "/devices",
    headers: { authorization: "Bearer token" },
    body: `{"a":1}`,
    timeoutMs: 5000,
    ending: new AbortController().signal,
  });
}

/** A CA, and a certificate of it for a name that nobody connects to. */
async function pair(validity = validFor(30, Date.now())) {
  const authority = await makeCaCertificate("Sluice leaf", validFor(365, Date.now()));
  const names = { dns: ["elsewhere.lan"], ip: [] };
  return { authority, names, own: await makeCertificate(authority, { ...names, validity }) };
}

Deno.test("a server is trusted by the CA that is pinned, whatever it is called", async () => {
  const { authority, names, own } = await pair();
  await using server = served(own);
  const answer = await ask(server.port, authority.cert);
  assert.equal(new TextDecoder().decode(answer.body), `Bearer token {"a":1}`);
  assert.deepEqual([answer.status, answer.header("X-Proof"), answer.localAddress], [
    200,
    "yes",
    "127.0.0.1",
  ]);
  const renewed = await makeCertificate(authority, {
    ...names,
    validity: validFor(60, Date.now()),
  });
  await using after = served(renewed);
  assert.equal((await ask(after.port, authority.cert)).status, 200, "a renewed certificate");
});

Deno.test("another certificate is refused before anything is sent to it", async () => {
  const [ours, theirs] = [await pair(), await pair()];
  await using server = served(theirs.own);
  await assert.rejects(ask(server.port, ours.authority.cert), UntrustedServer);
  assert.equal(server.requests, 0);
});

Deno.test("a pinned certificate that is no CA covers itself alone", async () => {
  const { authority, names, own } = await pair();
  const sibling = await makeCertificate(authority, {
    ...names,
    validity: validFor(30, Date.now()),
  });
  const der = (pem: string) =>
    Uint8Array.fromBase64(pem.replace(/-----[A-Z ]+-----|\s/g, "")) as Uint8Array;
  assert.equal(await isPinned(der(own.cert), own.cert), true);
  assert.equal(await isPinned(der(sibling.cert), own.cert), false);
  assert.equal(await isPinned(der(sibling.cert), authority.cert), true);
  assert.equal(await isPinned(der(own.cert), "no certificate"), false);
  assert.equal(await isPinned(new Uint8Array(3), own.cert), false);
  // Its chain has an issuer that others have as well.
  await using server = served(sibling);
  await assert.rejects(ask(server.port, `${own.cert}\n${authority.cert}`), UntrustedServer);
  assert.equal(server.requests, 0);
});

Deno.test("a certificate that has ended is refused, and one of a clock a day off is not", async () => {
  const now = Date.now();
  const { authority, own } = await pair({ from: now - 9 * DAY, to: now - DAY });
  await using ended = served(own);
  await assert.rejects(ask(ended.port, authority.cert), UntrustedServer);
  // What a router issues whose clock is a day ahead of ours.
  const ahead = await makeCaCertificate("Sluice leaf", validFor(365, now + DAY));
  const names = { dns: [], ip: ["127.0.0.1"] };
  const cert = await makeCertificate(ahead, { ...names, validity: validFor(30, now + DAY) });
  await using server = served(cert);
  assert.equal((await ask(server.port, ahead.cert)).status, 200);
});

Deno.test("a router that is away or silent is no untrusted one", async () => {
  const { authority } = await pair();
  const isNetwork = (error: unknown) =>
    error instanceof Error && !(error instanceof UntrustedServer);
  using closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = closed.addr;
  closed.close();
  await assert.rejects(ask(port, authority.cert), isNetwork);
});

Deno.test("a request ends, wherever the server breaks off or falls silent", async () => {
  const { authority, own } = await pair();
  const HEAD = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n";
  const behaviours = {
    "before the handshake": { tls: false, sends: null },
    "before the response": { tls: true, sends: "" },
    "within its header": { tls: true, sends: HEAD.slice(0, 20) },
    "within its body": { tls: true, sends: `${HEAD}some` },
  } as const;
  for (const [where, { tls, sends }] of Object.entries(behaviours)) {
    for (const closes of [true, false]) {
      const listener = tls
        ? Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...own })
        : Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const connections: Deno.Conn[] = [];
      const serving = (async () => {
        for await (const connection of listener as AsyncIterable<Deno.Conn>) {
          connections.push(connection);
          await connection.read(new Uint8Array(4096)).catch(() => {});
          if (sends) await connection.write(new TextEncoder().encode(sends)).catch(() => {});
          if (closes) connection.close();
        }
      })().catch(() => {});
      const options = {
        ...{ address: "127.0.0.1", port: listener.addr.port, pin: authority.cert },
        ...{ accepts: () => Promise.resolve(true), method: "GET", path: "/topology" } as const,
        ...{ timeoutMs: 300, ending: new AbortController().signal },
      };
      await assert.rejects(
        inTime(`${where}, ${closes ? "closed" : "silent"}`, pinnedRequest(options)),
        (error: Error) => !/hangs/.test(error.message),
      );
      listener.close();
      for (const connection of connections) {
        try {
          connection.close();
        } catch {
          // It is closed already.
        }
      }
      await serving;
    }
  }
});

Deno.test("a slow server has all of the time once it is reached, and none otherwise", async () => {
  const { authority, own } = await pair();
  // The kernel completes the connection; the handshake waits until it is taken.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
  const { port } = listener.addr;
  const request = {
    ...{ address: "127.0.0.1", port, pin: authority.cert, method: "GET", path: "/" } as const,
    ...{ timeoutMs: 5000, connectTimeoutMs: 50, ending: new AbortController().signal },
    accepts: () => Promise.resolve(true),
  };
  await using server = served(own);
  const slow = pinnedRequest(request);
  await new Promise((resolve) => setTimeout(resolve, 150));
  const [taken, onward] = [await listener.accept(), await Deno.connect({ port: server.port })];
  const carried = Promise.allSettled([
    taken.readable.pipeTo(onward.writable),
    onward.readable.pipeTo(taken.writable),
  ]);
  assert.equal((await slow).status, 200);
  await carried;
  // A full queue drops what comes, as a firewall does.
  const queued = [await Deno.connect({ port }), await Deno.connect({ port })];
  await assert.rejects(
    inTime("the request", pinnedRequest(request)),
    /^Error: It did not respond in time$/,
  );
  for (const one of [...queued, listener]) one.close();
});

Deno.test("a request ends where the server is gone once its certificate was looked at", async () => {
  const { authority, own } = await pair();
  await using server = served(own);
  const { port } = server;
  const options = {
    ...{ address: "127.0.0.1", port, pin: authority.cert, method: "GET", path: "/" } as const,
    ...{ timeoutMs: 1000, ending: new AbortController().signal },
    accepts: async () => {
      await server[Symbol.asyncDispose]();
      await new Promise((resolve) => setTimeout(resolve, 200));
      return true;
    },
  };
  await assert.rejects(
    inTime("the request", pinnedRequest(options)),
    (error: Error) => !/hangs/.test(error.message),
  );
});
