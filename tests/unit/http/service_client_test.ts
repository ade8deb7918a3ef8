import assert from "node:assert/strict";
import { type ServiceClient, serviceClient } from "../../../routes/http/service_client.ts";
import type { Problem } from "../../../system/core/errors/problem.ts";
import { listenUnix, serveUnix } from "../../../system/core/ipc/unix_socket.ts";

async function withService(
  handler: (request: Request) => Response | Promise<Response>,
  work: (service: ServiceClient) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const socket = `${folder}/service`;
  const server = await serveUnix(socket, handler);
  const client = serviceClient({ name: "The service", socket });
  try {
    await work(client);
  } finally {
    client.close();
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a service call hands on method, body, status and answer", async () => {
  await withService(async (request) => {
    const { pathname, search } = new URL(request.url);
    const received = {
      method: request.method,
      path: pathname + search,
      body: await request.text(),
    };
    return Response.json(received, { status: 404, headers: { "set-cookie": "a=b" } });
  }, async (service) => {
    const answer = await service.call({ method: "PUT", path: "/a/b?c=d", body: { e: 1 } });
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get("set-cookie"), null);
    assert.deepEqual(await answer.json(), { method: "PUT", path: "/a/b?c=d", body: '{"e":1}' });
  });
});

Deno.test("a service call streams a large answer, and leaves nothing open when its reader goes", async () => {
  const megabyte = new Uint8Array(1 << 20);
  await withService((request) => {
    const parts = request.url.endsWith("/large") ? 20 : 0;
    let left = parts;
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (left-- > 0) controller.enqueue(megabyte);
          else controller.close();
        },
      }),
    );
  }, async (service) => {
    const whole = await service.call({ path: "/large" });
    assert.equal((await whole.arrayBuffer()).byteLength, 20 << 20);
    const broken = await service.call({ path: "/large" });
    const reader = broken.body!.getReader();
    await reader.read();
    await reader.cancel();
    const nothing = await service.call({ path: "/" });
    assert.equal(await nothing.text(), "");
  });
});

Deno.test("an empty or unread response leaves nothing open", async () => {
  const empty = new Response(null, { headers: { "content-length": "0" } });
  await withService(
    (request) => request.url.endsWith("/empty") ? empty.clone() : new Response("a"),
    async (service) => {
      for (const path of ["/empty", "/text"]) {
        for (let i = 0; i < 20; i++) {
          const answer = await service.call({ method: "PUT", path });
          await answer.body?.cancel();
        }
      }
    },
  );
});

Deno.test("a service that does not run is a 503 with a message", async () => {
  const folder = await Deno.makeTempDir();
  const socket = `${folder}/nobody`;
  const message = async (isApplied: boolean): Promise<string> => {
    const service = serviceClient({ name: "The resolver", socket, isApplied: () => isApplied });
    const refused = await service.call({ path: "/" }).then(() => null, (error: Problem) => error);
    service.close();
    assert.equal(refused?.status, 503);
    return refused.message;
  };
  assert.equal(await message(true), "The resolver does not run at the moment");
  assert.equal(
    await message(false),
    "The resolver does not run while nothing is applied to this machine",
  );
  await Deno.remove(folder, { recursive: true });
});

Deno.test("calls to a service share a connection, and reach it again after a restart", async () => {
  const folder = await Deno.makeTempDir();
  const socket = `${folder}/service`;
  let connections = 0;
  const listen = async () => {
    const listener = await listenUnix(socket);
    const open = new Set<Deno.Conn>();
    const accepting = (async () => {
      for await (const connection of listener) {
        connections++;
        open.add(connection);
        void respond(connection);
      }
    })();
    return {
      async close() {
        listener.close();
        for (const connection of open) connection.close();
        await accepting;
      },
    };
  };
  const service = serviceClient({ name: "The service", socket });
  try {
    const first = await listen();
    for (let i = 0; i < 5; i++) assert.equal(await textOf(service), "ok");
    assert.equal(connections, 1);
    await first.close();
    await assert.rejects(() => service.call({ path: "/" }), { status: 503 });
    const second = await listen();
    for (let i = 0; i < 5; i++) assert.equal(await textOf(service), "ok");
    assert.equal(connections, 2);
    await second.close();
  } finally {
    service.close();
    await Deno.remove(folder, { recursive: true });
  }
});

async function textOf(service: ServiceClient): Promise<string> {
  return await (await service.call({ path: "/" })).text();
}

/** Answers each request of a connection, one packet each, until it is closed. */
async function respond(connection: Deno.Conn): Promise<void> {
  const response = new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
  const buffer = new Uint8Array(4096);
  try {
    while (await connection.read(buffer) !== null) await connection.write(response);
  } catch {
    // It was closed.
  }
}
