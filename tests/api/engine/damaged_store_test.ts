import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createClient } from "@libsql/client";
import { copySync } from "../../kit/builders/copy_tree.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

/** What lies on disk after a stop: libSQL lets go of its own file some time later. */
async function leftBy(router: TestRouter): Promise<string> {
  await router.close();
  const home = await Deno.makeTempDir({ prefix: "sluice-test-" });
  copySync(router.home, home);
  // As after some use: everything is in the file, not in its log, which could mend it.
  const db = new DatabaseSync(`${home}/state/sluice.db`);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  return home;
}

type Damage = (path: string) => Promise<unknown>;

async function rewrite(path: string, change: (bytes: Uint8Array) => Uint8Array): Promise<void> {
  await Deno.writeFile(path, change(await Deno.readFile(path)) as Uint8Array<ArrayBuffer>);
}

const DAMAGES: Readonly<Record<string, Damage>> = {
  "header": (path) => rewrite(path, (bytes) => bytes.fill(0, 0, 100)),
  "second half": (path) => rewrite(path, (bytes) => bytes.subarray(0, bytes.length >> 1)),
  "pages": (path) => rewrite(path, (bytes) => bytes.fill(0xff, 4096, 5 * 4096)),
  "content": (path) => rewrite(path, (bytes) => bytes.map((_, i) => i * 7 & 255)),
  "schema": async (path) => {
    await Deno.remove(path);
    const client = createClient({ url: `file:${path}` });
    await client.execute("CREATE TABLE changes (other TEXT)");
    client.close();
  },
  "place": async (path) => {
    await Deno.remove(path);
    await Deno.mkdir(`${path}/inside`, { recursive: true });
  },
  "absence": (path) => Deno.remove(path),
  "emptiness": (path) => Deno.truncate(path),
};

for (const [what, damage] of Object.entries(DAMAGES)) {
  Deno.test(`a store with another ${what} begins anew, with what is known elsewhere`, async () => {
    await using first = await testRouter();
    const { Token } = await first.access.tokens.create({ Name: "t", Expire: 0, ScopedPaths: [] });
    const factor = { Name: "admin", Secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", Confirmed: true };
    await first.access.otp.adopt({ ...factor, AlwaysOn: true });
    const home = await leftBy(first);
    await damage(`${home}/state/sluice.db`);
    await using router = await testRouter({ home });
    assert.ok(router.engine.config.users.admin, "users come from their file");
    const { items: notices } = await router.json<{ items: { kind: string; detail: string }[] }>(
      "GET",
      "/notices",
      { as: `Bearer ${Token}` },
    );
    assert.deepEqual(notices.map(({ kind }) => kind), ["store-lost"]);
    assert.match(notices[0]!.detail, /history/);
    const answer = await router.ask("GET", "/devices");
    assert.equal(answer.status, 403, "the second factor comes from the copy");
    await answer.body?.cancel();
    assert.deepEqual(router.access.otp.users(), first.access.otp.users());
  });
}

Deno.test("a folder in the place of the store's log costs nothing", async () => {
  await using first = await testRouter();
  const home = await leftBy(first);
  await Deno.remove(`${home}/state/sluice.db-wal`).catch(() => {});
  await Deno.mkdir(`${home}/state/sluice.db-wal`);
  await using router = await testRouter({ home });
  const { items } = await router.json<{ items: unknown[] }>("GET", "/notices");
  assert.deepEqual(items, []);
});

Deno.test("where store and copy are lost, a password alone opens nothing", async () => {
  await using first = await testRouter();
  const home = await leftBy(first);
  await Deno.truncate(`${home}/state/sluice.db`);
  await Deno.writeTextFile(`${home}/state/access.json`, "{");
  await using router = await testRouter({ home });
  const answer = await router.ask("GET", "/devices");
  assert.equal(answer.status, 403, await answer.text());
  const deliberate = await leftBy(router);
  // What the log says to do.
  for (const name of ["sluice.db", "access.json"]) {
    await Deno.remove(`${deliberate}/state/${name}`);
  }
  await using again = await testRouter({ home: deliberate });
  const opened = await again.ask("GET", "/devices");
  assert.equal(opened.status, 200, await opened.text());
});
