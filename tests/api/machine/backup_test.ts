import assert from "node:assert/strict";
import { join } from "node:path";
import { gunzip, gzip } from "../../../system/backup/gzip.ts";
import type { BackupReport } from "../../../system/backup/schema.ts";
import { readTar, writeTar } from "../../../system/backup/tar.ts";
import { isRestrictive } from "../../../system/firewall/sets/transition.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
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

/** An archive of a router with one uplink, one LAN interface with a VLAN, and a radio. */
const OTHER_MACHINE = {
  "configs/base/interfaces.json": [
    { Name: "eth0", Type: "Uplink", Enabled: true },
    { Name: "eth1", Type: "Downlink", Enabled: true },
    { Name: "wlan0", Type: "AP", Enabled: true },
  ],
  "configs/base/wan.json": { Uplinks: [{ Iface: "eth0", Weight: 1 }] },
  "configs/base/machine_interfaces.json": [{ Name: "eth1", MAC: "02:00:5e:00:53:02" }],
  "configs/wifi/hostapd_wlan0.conf": "ssid=Home\nhw_mode=a\nchannel=36\n",
};

Deno.test("a restore on a machine with other interfaces names those that are missing and takes a mapping", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const { Name, Report } = await upload(router, headers, await archiveOf(OTHER_MACHINE));
  assert.deepEqual(
    Report.missing.map(({ name, role, mac, suggestion }) => [name, role, mac, suggestion]),
    [
      ["eth0", "uplink", "", "lan0"],
      // The adapter with this address is called wan0 here.
      ["eth1", "lan", "02:00:5e:00:53:02", "wan0"],
      ["wlan0", "radio", "", ""],
    ],
  );
  assert.deepEqual(Report.present.map(({ name }) => name), ["wan0", "lan0", "lan1"]);
  const restore = `/backup/${Name}/restore`;
  const preview = async (body?: unknown) =>
    await router.json<{ effects: string[] }>("PUT", `${restore}?dryRun=true`, {
      headers,
      ...(body === undefined ? {} : { body }),
    });
  assert.deepEqual(
    (await preview()).effects.filter((line) => line.startsWith("This machine has no")),
    [
      "This machine has no interface eth0, which is a WAN interface: its settings take effect once it is there",
      "This machine has no interface eth1, which is a LAN interface: its settings take effect once it is there",
      "This machine has no interface wlan0, which is a Wi-Fi radio: its settings take effect once it is there",
    ],
  );
  const Interfaces = { eth0: "wan0", eth1: "lan0", wlan0: "lan1" };
  assert.deepEqual(
    (await preview({ Interfaces })).effects.filter((line) => line.startsWith("This machine")),
    [],
  );
  for (
    const wrong of [
      { eth0: "wan7" },
      { eth9: "lan0" },
      { eth0: "lan0", eth1: "lan0" },
      { eth0: "../x" },
      { "eth0;": "lan0" },
      ["eth0"],
      { eth0: 7 },
    ]
  ) {
    const got = await status(router, "PUT", restore, { headers, body: { Interfaces: wrong } });
    assert.equal(got, 400, JSON.stringify(wrong));
  }
  const before = router.engine.config;
  const done = await router.ask("PUT", restore, { headers, body: { Interfaces } });
  assert.equal(done.status, 200, await done.clone().text());
  assert.deepEqual((await done.json() as BackupReport).missing, []);
  const { interfaces, radios, wan } = router.engine.config;
  assert.deepEqual(interfaces.map(({ Name, Type }) => [Name, Type]), [
    ["wan0", "Uplink"],
    ["lan0", "Downlink"],
    ["lan1", "AP"],
  ]);
  assert.deepEqual([Object.keys(radios), wan.Uplinks.map(({ Iface }) => Iface)], [["lan1"], [
    "wan0",
  ]]);
  assert.equal(
    await status(router, "PUT", `/changes/${done.headers.get("change-id")}/undo?force=true`),
    200,
  );
  assert.deepEqual(router.engine.config, before);
});

Deno.test("a backup knows the MAC addresses of its machine, so that renamed interfaces are recognised", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const name = await router.json<string>("PUT", "/backup");
  const archive = await router.ask("GET", `/backup/${name}`, { headers });
  const Archive = new Uint8Array(await archive.arrayBuffer()).toBase64();
  const report = await router.json<BackupReport>("GET", `/backup/${name}/report`, { headers });
  assert.deepEqual([report.missing, report.present], [[], []]);
  assert.ok(!report.left.some(({ path }) => path.includes("machine_interfaces")));

  // The same machine after a boot that named two interfaces the other way round.
  const swapped = ["wan0", "lan1", "lan0"].map((link, at) => ({
    name: link,
    index: at + 2,
    mac: `02:00:5e:00:53:0${at + 2}`,
    up: true,
    running: true,
    kind: null,
  }));
  await using other = await testRouter({ host: memoryHost({ isRestrictive, links: swapped }) });
  const theirs = await otpOf(other);
  const { Name, Report } = await upload(other, theirs, Archive);
  assert.deepEqual(
    Report.missing.map(({ name, here, suggestion }) => [name, here, suggestion]),
    [["lan0", true, "lan1"], ["lan1", true, "lan0"]],
  );
  const Interfaces = Object.fromEntries(Report.missing.map((one) => [one.name, one.suggestion]));
  const done = await other.ask("PUT", `/backup/${Name}/restore?force=true`, {
    headers: theirs,
    body: { Interfaces },
  });
  assert.equal(done.status, 200, await done.text());
  assert.deepEqual(other.engine.config.interfaces.map(({ Name }) => Name), [
    "wan0",
    "lan1",
    "lan0",
  ]);
});
