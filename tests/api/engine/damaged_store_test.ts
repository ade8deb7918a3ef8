import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createClient } from "@libsql/client";
import { TOTP } from "otpauth";
import { copySync } from "../../kit/builders/copy_tree.ts";
import { openStore } from "../../../system/core/store/open.ts";
import { eventually } from "../../kit/eventually.ts";
import { answered, inFolder, startProgram, until } from "../../kit/process.ts";
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
    const Code = new TOTP({ secret: factor.Secret }).generate();
    const none = { Name: "", UpdateAlwaysOn: false, AlwaysOn: false };
    await first.access.otp.createRecoveryCodes("admin", { ...none, Code }, null);
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
    assert.match(notices[0]!.detail, /Recovery codes count no more/);
    // A copy may be older than the use of one.
    assert.equal(router.access.otp.status("admin").RecoveryCodes, 0);
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

/** Overwrites the page where the table of changes begins, as a failing disk does. */
async function damagePage(path: string): Promise<void> {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const page = db.prepare("SELECT rootpage AS at FROM sqlite_master WHERE name = 'changes'").get();
  const size = db.prepare("PRAGMA page_size").get();
  db.close();
  using file = await Deno.open(path, { read: true, write: true });
  const bytes = Number(size!.page_size);
  await file.seek((Number(page!.at) - 1) * bytes, Deno.SeekMode.Start);
  await file.write(new Uint8Array(bytes).fill(255));
}

Deno.test("a store that is damaged while it is used is reported, and set aside by the next open", async () => {
  const router = await testRouter();
  const group = (Name: string) => router.ask("PUT", "/groups", { body: { Name } });
  assert.equal((await group("kitchen")).status, 200);
  // A row that is marked later would write the page anew.
  await eventually("the change is finished", async () => {
    const { items } = await router.json<{ items: { state: string }[] }>("GET", "/changes");
    assert.equal(items[0]!.state, "written");
  });
  await damagePage(`${router.home}/state/sluice.db`);
  const refused = await group("garden");
  assert.equal(refused.status, 500, await refused.text());
  await router.storeDamaged;
  await using again = await router.reopen();
  const { items } = await again.json<{ items: { kind: string }[] }>("GET", "/notices");
  assert.deepEqual(items.map(({ kind }) => kind), ["store-lost"]);
  assert.deepEqual(again.engine.config.groups.map(({ Name }) => Name).includes("kitchen"), true);
  await Deno.stat(`${router.home}/state/sluice.db.broken`);
  assert.equal((await again.ask("PUT", "/groups", { body: { Name: "garden" } })).status, 200);
});

Deno.test("a store goes whose damage is met twice in use, though none is found in it", async () => {
  await using first = await testRouter();
  const home = await leftBy(first);
  const path = `${home}/state/sluice.db`;
  for (const [damages, loss] of [[1, null], [2, "it was found damaged while in use"]] as const) {
    await Deno.writeTextFile(`${path}-run`, `open ${damages}`);
    const store = await openStore(path);
    assert.equal(store.loss?.reason ?? null, loss);
    store.close();
  }
  await assert.rejects(Deno.stat(`${path}-run`), Deno.errors.NotFound, "a store begun anew");
});

const AS_ADMIN = { authorization: `Basic ${btoa("admin:correct horse battery")}` };

for (
  const [what, damage] of [
    ["page", damagePage],
    ["text, at which libSQL ends the process", async (path: string) => {
      const db = new DatabaseSync(path);
      db.exec("UPDATE changes SET summary = CAST(x'ff' AS TEXT)");
      db.close();
      await Promise.resolve();
    }],
  ] as const
) {
  Deno.test(`a running router goes on by itself after damage of a ${what}`, () =>
    inFolder(async (home) => {
      await using program = startProgram({ home });
      await (await answered(program)).body?.cancel();
      const ask = async (method: string, path: string, body?: unknown): Promise<string> => {
        const init = body === undefined ? {} : { body: JSON.stringify(body) };
        const answer = await fetch(`${program.url}${path}`, { method, headers: AS_ADMIN, ...init });
        return answer.ok ? await answer.text() : `${answer.status} ${await answer.text()}`;
      };
      assert.doesNotMatch(await ask("PUT", "/groups", { Name: "kitchen" }), /^\d/);
      await damage(`${home}/state/sluice.db`);
      await ask("GET", "/changes").catch(() => "the process ended");
      await until("it is reported", async () => {
        const notices = await ask("GET", "/notices").catch(() => "");
        return notices.includes("store-lost");
      });
      assert.match(await ask("GET", "/groups"), /kitchen/);
      assert.doesNotMatch(await ask("PUT", "/groups", { Name: "garden" }), /^\d/);
      assert.match(await ask("GET", "/changes"), /Created group garden/);
    }));
}
