import assert from "node:assert/strict";
import { socketCall } from "../../../routes/http/socket_call.ts";
import { serveUnix } from "../../../system/core/ipc/unix_socket.ts";

async function withService(
  handler: (request: Request) => Response | Promise<Response>,
  work: (service: { name: string; socket: string }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const socket = `${folder}/service`;
  const server = await serveUnix(socket, handler);
  try {
    await work({ name: "The service", socket });
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a call hands on method, body, status and answer", async () => {
  await withService(async (request) => {
    const { pathname, search } = new URL(request.url);
    const said = { method: request.method, path: pathname + search, body: await request.text() };
    return Response.json(said, { status: 404, headers: { "set-cookie": "a=b" } });
  }, async (service) => {
    const answer = await socketCall(service, { method: "PUT", path: "/a/b?c=d", body: { e: 1 } });
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get("set-cookie"), null);
    assert.deepEqual(await answer.json(), { method: "PUT", path: "/a/b?c=d", body: '{"e":1}' });
  });
});

Deno.test("a call streams a large answer, and leaves nothing open when its reader goes", async () => {
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
    const whole = await socketCall(service, { path: "/large" });
    assert.equal((await whole.arrayBuffer()).byteLength, 20 << 20);
    const broken = await socketCall(service, { path: "/large" });
    const reader = broken.body!.getReader();
    await reader.read();
    await reader.cancel();
    const nothing = await socketCall(service, { path: "/" });
    assert.equal(await nothing.text(), "");
  });
});

Deno.test("an empty answer, and one that nobody reads, leave nothing open", async () => {
  const empty = new Response(null, { headers: { "content-length": "0" } });
  await withService(
    (request) => request.url.endsWith("/empty") ? empty.clone() : new Response("a"),
    async (service) => {
      for (const path of ["/empty", "/text"]) {
        for (let i = 0; i < 20; i++) {
          const answer = await socketCall(service, { method: "PUT", path });
          await answer.body?.cancel();
        }
      }
    },
  );
});

Deno.test("a service that does not run is 503 in words", async () => {
  const folder = await Deno.makeTempDir();
  const service = { name: "The resolver", socket: `${folder}/nobody` };
  await assert.rejects(() => socketCall(service, { path: "/" }), {
    name: "Problem",
    status: 503,
    message: "The resolver does not run at the moment",
  });
  await Deno.remove(folder, { recursive: true });
});
