import assert from "node:assert/strict";
import { RelayedConnection } from "../../../../routes/http/front/relayed_connection.ts";
import { eventually } from "../../../kit/eventually.ts";
import { HANGING, patience } from "../../../kit/pace.ts";

const HOST = { hostname: "127.0.0.1", port: 0 };
/** Bytes that are read from a client at once, of which some may be beyond the window. */
const AT_ONCE = 8 << 10;

async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await to.write(bytes.subarray(done));
}

Deno.test("a client sends no faster than its body is read, until the request ends", async () => {
  using outer = Deno.listen(HOST);
  using inner = Deno.listen(HOST);
  using client = await Deno.connect({ port: outer.addr.port });
  const times = { header: HANGING, idle: HANGING, stalled: HANGING };
  const relayed = new RelayedConnection(await outer.accept(), { times, ended() {} });
  const running = relayed.run(() => Deno.connect({ port: inner.addr.port }));
  let got = 0;
  const copying = (async () => {
    // The relay connects once something has come.
    await writeAll(client, new Uint8Array(1));
    using server = await inner.accept();
    const buffer = new Uint8Array(1 << 16);
    for (let size; (size = await server.read(buffer)) !== null;) got += size;
  })();
  const reaches = (size: number) =>
    eventually(`${size} bytes arrive`, () => assert.ok(got >= size, `${got}`));
  await reaches(1);
  relayed.requestStarted();
  const pace = relayed.pace(50_000);
  const total = 1_000_000;
  const writing = writeAll(client, new Uint8Array(total));
  let most = 1 + 50_000;
  const isHeld = async (): Promise<void> => {
    await reaches(most);
    await new Promise((resolve) => setTimeout(resolve, patience(0.1) * 1000));
    assert.ok(got < most + AT_ONCE, `${got} of ${most}`);
  };
  await isHeld();
  pace.read(30_000);
  most += 30_000;
  await isHeld();
  // Neither gives more room than there was at first.
  for (const more of [() => pace.read(10 * total), () => pace.starves()]) {
    most = got + 50_000;
    more();
    await isHeld();
  }
  assert.ok(got < total / 2);
  // A second request of the connection would never come otherwise.
  relayed.requestEnded();
  await writing;
  await reaches(1 + total);
  pace.read(1);
  pace.starves();
  client.closeWrite();
  await copying;
  relayed.end();
  await running;
});
