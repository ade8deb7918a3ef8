import assert from "node:assert/strict";
import { netdClient } from "../../../system/host/kernel/netd_client.ts";

/** A netd that answers anything, as a process that can be killed. */
const KILLED = `
  const [path] = Deno.args;
  try { Deno.removeSync(path); } catch { /* It is the first. */ }
  Deno.serve({ path, onListen: () => console.log("listens") }, () => Response.json([]));
`;

Deno.test("a call after netd was killed reaches the one that took its place", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-netd-" });
  const path = `${folder}/netd.sock`;
  await Deno.writeTextFile(`${folder}/killed.ts`, KILLED);
  const client = netdClient(path);
  for (let turn = 0; turn < 4; turn++) {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-lock", `${folder}/killed.ts`, path],
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    assert.deepEqual(await client.inspect({ kind: "tables" }), []);
    assert.deepEqual(await client.inspect({ kind: "tables" }), []);
    child.kill("SIGKILL");
    await child.status;
    await reader.cancel();
  }
  await client.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a call waits for netd, whatever keeps it from connecting", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-netd-" });
  const path = `${folder}/netd.sock`;
  // A link to itself: nothing is missing, and nothing refuses.
  await Deno.symlink(path, path);
  const client = netdClient(path);
  const applied = client.apply({ kind: "forwarding", on: true });
  await assert.rejects(Deno.connect({ transport: "unix", path }), (error) => {
    const { NotFound, ConnectionRefused } = Deno.errors;
    return !(error instanceof NotFound || error instanceof ConnectionRefused);
  });
  await Deno.remove(path);
  let calls = 0;
  const server = Deno.serve({ path, onListen: () => {} }, () => {
    calls++;
    return Response.json(null);
  });
  await applied;
  assert.equal(calls, 1);
  await client.close();
  await server.shutdown();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a change that netd read before it died is not sent again", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-netd-" });
  const path = `${folder}/netd.sock`;
  const read: string[] = [];
  const listener = Deno.listen({ transport: "unix", path });
  const serve = async (connection: Deno.Conn): Promise<void> => {
    using _ = connection;
    const bytes = new Uint8Array(4096);
    for (;;) {
      const length = await connection.read(bytes).catch(() => null);
      if (length === null) return;
      const head = new TextDecoder().decode(bytes.subarray(0, length));
      const [, called = ""] = /^POST (\S+)/.exec(head) ?? [];
      read.push(called);
      if (called !== "/inspect") return;
      const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]";
      await connection.write(new TextEncoder().encode(answer));
    }
  };
  const serving = (async () => {
    for await (const connection of listener) void serve(connection);
  })();
  const client = netdClient(path);
  const step = { kind: "forwarding", on: true } as const;
  const flow = {} as Parameters<typeof client.flushFlows>[0][number];
  const changes: readonly (readonly [string, () => Promise<void>])[] = [
    ["/apply", () => client.apply(step)],
    ["/plan", () => client.applyAll!([step, step])],
    ["/flush-flows", () => client.flushFlows([flow])],
    ["/block", () => client.block(null)],
  ];
  for (const [called, change] of changes) {
    await client.inspect({ kind: "tables" });
    read.length = 0;
    await assert.rejects(change(), { status: 502 });
    assert.deepEqual(read, [called]);
  }
  await client.close();
  listener.close();
  await serving;
  await Deno.remove(folder, { recursive: true });
});
