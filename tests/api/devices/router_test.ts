import assert from "node:assert/strict";
import { renderLoad } from "../../../system/core/kernel/nft/text.ts";
import { device, mac } from "../../kit/builders/device_config.ts";
import { testRouter } from "../../kit/router.ts";

const TABLET = mac(1);
const PATH = `/device?identity=${TABLET}`;

Deno.test("a device, its lease and its place survive a restart", async () => {
  const router = await testRouter();
  await router.json("PUT", PATH, { body: { Name: "tablet", Policies: ["wan", "dns"] } });
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC: TABLET, Iface: "lan1" });
  const { IP } = await lease.json();
  await using again = await router.reopen();
  const devices = await again.json<Record<string, Record<string, unknown>>>("GET", "/devices");
  assert.equal(devices[TABLET]!.RecentIP, IP);
  assert.equal(devices[TABLET]!.DHCPLastInterface, "lan1");
  assert.notEqual(devices[TABLET]!.DHCPFirstTime, "");
});

Deno.test("leases that come in together are all different, durable and no address is lost", async () => {
  // Known devices: of others, some addresses are kept back.
  const known = Array.from({ length: 64 }, (_, n) => [mac(n), device(mac(n))]);
  await using router = await testRouter({
    files: { "devices/devices.json": Object.fromEntries(known) },
  });
  const answers = await Promise.all(
    Array.from(
      { length: 64 },
      (_, n) => router.inside("dhcp", "PUT", "/dhcpRequest", { MAC: mac(n), Iface: "lan0" }),
    ),
  );
  const given = await Promise.all(answers.map(async (answer) => (await answer.json()).IP));
  assert.equal(new Set(given).size, 64);
  const full = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC: mac(99), Iface: "lan0" });
  assert.equal(full.status, 409);
  await full.body?.cancel();
  const stored = JSON.parse(
    await Deno.readTextFile(`${router.home}/configs/devices/devices.json`),
  );
  assert.equal(Object.keys(stored).length >= 64, true);
});

Deno.test("a lease passes while a change waits to be confirmed", async () => {
  await using router = await testRouter();
  const window = await router.ask("PUT", PATH, {
    body: { Name: "tablet" },
    headers: { "confirm-within": "60" },
  });
  assert.notEqual(window.headers.get("confirm-token"), null);
  await window.body?.cancel();
  const other = await router.ask("PUT", PATH, { body: { Name: "other" } });
  assert.equal(other.status, 409);
  await other.body?.cancel();
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC: mac(2), Iface: "lan0" });
  assert.equal(lease.status, 200);
  await lease.body?.cancel();
});

Deno.test("?dryRun=true shows what a device would gain and moves nothing", async () => {
  await using router = await testRouter();
  const before = router.engine.etag("devices");
  const preview = await router.ask("PUT", `${PATH}&dryRun=true`, {
    body: { Policies: ["wan"], RecentIP: "192.168.2.2", PSKEntry: { Psk: "correct horse" } },
  });
  assert.equal(preview.status, 200);
  const text = await preview.text();
  assert.equal(text.includes("correct horse"), false);
  assert.equal(JSON.parse(text).config.length > 0, true);
  assert.equal(router.engine.etag("devices"), before);
});

Deno.test("deleting a device takes its elements away, and undo brings device and elements back", async () => {
  await using router = await testRouter();
  await router.json("PUT", PATH, {
    body: { Policies: ["wan", "dns"], RecentIP: "192.168.2.2", PSKEntry: { Psk: "correct horse" } },
  });
  await router.inside("wifi", "PUT", "/reportPSKAuthSuccess", {
    MAC: TABLET,
    Iface: "lan0",
    Event: "AP-STA-CONNECTED",
  });
  const elements = () => renderLoad(router.host.ruleset()).split("192.168.2.2 ").length - 1;
  const full = elements();
  assert.ok(full > 0);
  const deleted = await router.ask("DELETE", PATH);
  assert.equal(deleted.status, 200);
  assert.equal(elements(), 0);
  const id = deleted.headers.get("change-id")!;
  const undone = await router.ask("PUT", `/changes/${id}/undo`);
  assert.equal(undone.status, 200, await undone.text());
  assert.equal(router.engine.config.devices[TABLET]!.PSKEntry.Psk, "correct horse");
  assert.equal(elements(), full);
});

Deno.test("GET /device needs an OTP, HEAD does not, and both need credentials", async () => {
  await using router = await testRouter();
  await router.json("PUT", PATH, { body: { Name: "tablet" } });
  const status = async (method: string, as?: null): Promise<number> => {
    const answer = await router.ask(method, PATH, as === null ? { as } : {});
    await answer.body?.cancel();
    return answer.status;
  };
  assert.deepEqual([await status("GET", null), await status("HEAD", null)], [401, 401]);
  assert.equal(await status("GET"), 403);
  const head = await router.ask("HEAD", PATH);
  assert.equal(head.status, 200);
  assert.match(head.headers.get("etag")!, /^"/);
});

Deno.test("a device is online from its lease on, until that ran out", async () => {
  let now = Date.UTC(2026, 0, 1);
  await using router = await testRouter({ now: () => now });
  const mac = "02:00:00:00:0e:01";
  const leased = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC: mac, Iface: "lan0" });
  assert.equal(leased.status, 200, await leased.text());
  const online = async () =>
    (await router.json<Record<string, { Online: boolean }>>("GET", "/devices"))[mac]!.Online;
  assert.equal(await online(), true);
  now += 23 * 3600_000;
  await router.runDueTasks();
  assert.equal(await online(), true);
  now += 2 * 3600_000;
  await router.runDueTasks();
  assert.equal(await online(), false);
});
