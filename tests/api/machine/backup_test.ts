import assert from "node:assert/strict";
import { join } from "node:path";
import { gunzip, gzip } from "../../../system/backup/gzip.ts";
import type { BackupReport } from "../../../system/backup/schema.ts";
import { readTar, writeTar } from "../../../system/backup/tar.ts";
import { otpOf } from "../../kit/otp.ts";
import { basic, type TestRouter, testRouter } from "../../kit/router.ts";

const CARD = "02:00:00:00:0a:01";

function archiveOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  const list = Object.entries(files).map(([path, value]) => ({
    path,
    bytes: new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)),
  }));
  return gzip(writeTar(list, 0)).then((packed) => packed.toBase64());
}

async function upload(router: TestRouter, headers: Record<string, string>, Archive: string) {
  return await router.json<{ Name: string; Report: BackupReport }>("PUT", "/backup/upload", {
    headers,
    body: { Archive },
  });
}

async function status(
  router: TestRouter,
  method: string,
  path: string,
  sent = {},
): Promise<number> {
  const answer = await router.ask(method, path, sent);
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("a backup is created, listed, downloaded with a second factor, restored as one change, undone, deleted", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const device = `/device?identity=${CARD}`;
  await router.ask("PUT", device, {
    body: { Name: "printer", PSKEntry: { Type: "sae", Psk: "first psk 1" } },
  });
  const name = await router.json<string>("PUT", "/backup");
  assert.match(name, /^spr-configs-v0\.0\.0-at\.\d{8}-\d{6}\.tgz$/);
  const path = join(router.home, "state/backups", name);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  const [item] = await router.json<{ Name: string; Timestamp: string }[]>("GET", "/backup");
  assert.equal(item?.Name, name);
  assert.ok(Math.abs(Date.parse(item!.Timestamp) - Date.now()) < 60_000);

  assert.equal(await status(router, "GET", `/backup/${name}`), 403);
  const archive = await router.ask("GET", `/backup/${name}`, { headers });
  assert.match(archive.headers.get("content-type") ?? "", /^application\/x-gtar-compressed/);
  const files = readTar(await gunzip(new Uint8Array(await archive.arrayBuffer())));
  assert.ok(files.some((file) => file.path === "configs/devices/devices.json"));

  await router.ask("PUT", device, { body: { Name: "other" } });
  await router.ask("PUT", "/groups", { body: { Name: "kitchen" } });
  const restore = `/backup/${name}/restore`;
  assert.equal(await status(router, "PUT", restore), 403);
  const preview = await router.json<{ config: { document: string }[] }>(
    "PUT",
    `${restore}?dryRun=true`,
    { headers },
  );
  assert.deepEqual(
    new Set(preview.config.map(({ document }) => document)),
    new Set(["devices", "groups"]),
  );
  assert.doesNotMatch(JSON.stringify(preview), /first psk 1/);
  const answer = await router.ask("PUT", restore, { headers });
  const report: BackupReport = await answer.json();
  assert.ok(report.taken.some(({ document }) => document === "devices"));
  const id = answer.headers.get("change-id");
  assert.ok(id);
  assert.equal(router.engine.config.devices[CARD]?.Name, "printer");
  assert.deepEqual(router.engine.config.groups, []);
  assert.equal(await status(router, "PUT", `/changes/${id}/undo`), 200);
  assert.equal(router.engine.config.devices[CARD]?.Name, "other");
  assert.equal(router.engine.config.groups.length, 1);

  assert.equal(await status(router, "DELETE", `/backup/${name}`), 403);
  assert.equal(await status(router, "DELETE", `/backup/${name}`, { headers }), 200);
  assert.equal(await status(router, "GET", `/backup/${name}`, { headers }), 404);
  assert.deepEqual(await router.json("GET", "/backup"), []);
});

Deno.test("a restore also resets documents that were at their defaults", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const name = await router.json<string>("PUT", "/backup");
  const before = router.engine.config;
  await router.ask("PUT", "/featureFlags", { body: ["webllm"] });
  await router.ask("PUT", "/info/hostname", { body: "other" });
  assert.equal(await status(router, "PUT", `/backup/${name}/restore`, { headers }), 200);
  assert.deepEqual(router.engine.config, before);
});

Deno.test("a restore under a confirm window is reverted unless it is confirmed", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const name = await router.json<string>("PUT", "/backup");
  await router.ask("PUT", "/groups", { body: { Name: "kitchen" } });
  const answer = await router.ask("PUT", `/backup/${name}/restore`, {
    headers: { ...headers, "confirm-within": "60" },
  });
  await answer.body?.cancel();
  const token = answer.headers.get("confirm-token");
  assert.ok(token);
  const confirm = `/changes/${answer.headers.get("change-id")}/confirm`;
  assert.equal(await status(router, "PUT", confirm, { as: `Bearer ${token}` }), 200);
  assert.deepEqual(router.engine.config.groups, []);
});

Deno.test("another router's archive is imported with a report, and plain passwords are hashed", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const { Name, Report } = await upload(
    router,
    headers,
    await archiveOf({
      "configs/base/dhcp.json": { TinyNets: ["10.7.0.0/16"], LeaseTime: "2h0m0s" },
      "configs/auth/auth_users.json": { admin: "their own password 1" },
      "configs/devices/groups.json": [{ Name: "kids", Disabled: false }, { Name: 7 }],
      "configs/wifi/hostapd_template.conf": "ssid=x",
    }),
  );
  assert.match(Name, /-upload\./);
  assert.deepEqual(Report.left.map(({ path }) => path), ["wifi/hostapd_template.conf"]);
  assert.equal(Report.taken.find(({ document }) => document === "groups")?.dropped.length, 1);
  assert.deepEqual(
    await router.json("GET", `/backup/${Name}/report`, { headers }),
    Report,
  );
  const done = await router.ask("PUT", `/backup/${Name}/restore?force=true`, { headers });
  assert.equal(done.status, 200, await done.text());
  assert.deepEqual(router.engine.config.dhcp.TinyNets, ["10.7.0.0/16"]);
  const users = await Deno.readTextFile(join(router.home, "configs/auth/auth_users.json"));
  assert.doesNotMatch(users, /their own password/);
  const as = basic("admin", "their own password 1");
  assert.equal(await status(router, "GET", "/status", { as }), 200);
});

Deno.test("a backup without users keeps the current admins, and an empty one is refused", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const empty = await upload(
    router,
    headers,
    await archiveOf({ "auth/auth_users.json": {}, "base/names.json": ["x.example.org"] }),
  );
  assert.equal(await status(router, "PUT", `/backup/${empty.Name}/restore`, { headers }), 200);
  assert.deepEqual(Object.keys(router.engine.config.users), ["admin"]);
  assert.deepEqual(router.engine.config.names, ["x.example.org"]);
  const other = await upload(router, headers, await archiveOf({ "readme.txt": "hello" }));
  assert.equal(await status(router, "PUT", `/backup/${other.Name}/restore`, { headers }), 400);
});

Deno.test("a token restores only documents that its paths may change, users never", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const tokenFor = async (...ScopedPaths: string[]) => {
    const { Token } = await router.json<{ Token: string }>("PUT", "/tokens", {
      headers,
      body: { Name: "t", ScopedPaths },
    });
    return `Bearer ${Token}`;
  };
  const users = await upload(
    router,
    headers,
    await archiveOf({ "auth/auth_users.json": { mallory: "a password of hers" } }),
  );
  const groups = await upload(
    router,
    headers,
    await archiveOf({ "devices/groups.json": [{ Name: "kids", Disabled: false }] }),
  );
  const narrow = await tokenFor("/backup:rw");
  const wide = await tokenFor("/backup:rw", "/groups:rw", "/group:rw");
  const all = await tokenFor();
  const restore = (name: string, as: string) =>
    status(router, "PUT", `/backup/${name}/restore`, { as, headers });
  assert.equal(await restore(groups.Name, narrow), 403);
  assert.equal(await restore(users.Name, all), 403);
  assert.deepEqual(router.engine.config.groups, []);
  assert.deepEqual(Object.keys(router.engine.config.users), ["admin"]);
  assert.equal(await restore(groups.Name, wide), 200);
  assert.equal(router.engine.config.groups.length, 1);
});

Deno.test("hostile archives and names are refused without leaving files", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const before = router.engine.config;
  const put = (Archive: unknown) =>
    status(router, "PUT", "/backup/upload", { headers, body: { Archive } });
  const evil = writeTar([{ path: "aa/b", bytes: new Uint8Array(1) }], 0);
  evil.set(new TextEncoder().encode("../b"), 0);
  assert.equal(await put((await gzip(evil)).toBase64()), 400);
  assert.equal(await put((await gzip(new Uint8Array(40 << 20))).toBase64()), 413);
  for (const odd of ["", "!", "aGVsbG8=", 7, null]) assert.equal(await put(odd), 400);
  assert.equal(await put("A".repeat(13 << 20)), 413);
  const names = ["..%2f..%2fetc%2fpasswd", "spr-configs-v1.0.0.tgz%2f..", "x.tgz", "-x.tgz"];
  for (const name of names) {
    for (const method of ["GET", "DELETE"]) {
      const got = await status(router, method, `/backup/${name}`, { headers });
      assert.ok([400, 404].includes(got), `${method} ${name}: ${got}`);
    }
  }
  assert.deepEqual(await router.json("GET", "/backup"), []);
  assert.equal(router.engine.config, before);
});

Deno.test("backups of the same second have distinct names, and too many are refused", async () => {
  await using router = await testRouter({ now: () => 1_800_000_000_000 });
  const names = new Set<string>();
  for (let n = 0; n < 40; n++) names.add(await router.json<string>("PUT", "/backup"));
  assert.equal(names.size, 40);
  assert.equal(await status(router, "PUT", "/backup"), 409);
});

Deno.test("an archive with two trees is refused and not stored", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const Archive = await archiveOf({ "a/configs/base/x.json": {}, "b/configs/base/x.json": {} });
  assert.equal(await status(router, "PUT", "/backup/upload", { headers, body: { Archive } }), 400);
  assert.deepEqual(await router.json("GET", "/backup"), []);
});
