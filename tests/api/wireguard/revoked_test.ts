import assert from "node:assert/strict";
import { memoryHost } from "../../../system/host/memory/host.ts";
import type { PlannedTunnel } from "../../../system/wireguard/tunnels/plan_schema.ts";
import { KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";
import { eventually } from "../../kit/eventually.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const PATH = "/plugins/wireguard";
const SECRET = "dwyS2MCC7Q0FuSVTbNQVXtfAQS4U8G1Bc5nLPhcIGCk=";
const THIRD_KEY = "5XWHXDOzGqMbCwxjm9o6u2fAAQ3pOa2pJPE1iYdkWRQ=";
const AT = "192.168.2.2 . wg0";

async function vpn(): Promise<TestRouter> {
  const links = ["lo", "wan0", "lan0", "lan1", "wg0", "site0"];
  const host = Object.defineProperty(memoryHost({ links }), "kind", { value: "linux" });
  return await testRouter({ host, hasTunnels: true });
}

async function plan(router: TestRouter): Promise<{ tag: string; tunnels: PlannedTunnel[] }> {
  return await (await router.inside("tunnels", "GET", "/plan")).json();
}

/** Reports what the process `wireguard` does once it has brought the tunnels to a plan. */
async function report(
  router: TestRouter,
  { tag, tunnels }: Awaited<ReturnType<typeof plan>>,
): Promise<void> {
  const items = tunnels.map(({ name, peers }) => ({
    ...{ name, backend: "kernel", problem: "", listenPort: 1, publicKey: THIRD_KEY },
    peers: peers.map(({ publicKey, allowedIps }) => ({
      ...{ publicKey, allowedIps, endpoint: "", latestHandshake: 0, rx: 0, tx: 0 },
    })),
  }));
  const answer = await router.inside("tunnels", "PUT", "/report", { tag, items });
  assert.equal(answer.status, 200, await answer.text());
}

const confirm = async (router: TestRouter) => await report(router, await plan(router));

/** The addresses that the firewall takes from the tunnel. */
function taken({ engine }: TestRouter): readonly string[] {
  const sets = engine.desired.ruleset.tables.flatMap((table) => table.sets);
  return [...sets.find(({ name }) => name === "wireguard_filter")!.elements.keys()];
}

async function put(router: TestRouter, path: string, body?: unknown): Promise<string> {
  const answer = await router.ask("PUT", path, body === undefined ? {} : { body });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
}

const device = (key: string) => `/device?identity=${encodeURIComponent(key)}`;

/** A router whose tunnel has one peer, which may use the Internet. */
async function withPeer(): Promise<TestRouter> {
  const router = await vpn();
  const added = put(router, `${PATH}/peer`, { PublicKey: KEY, Policies: ["wan", "lan"] });
  await eventually(
    "the peer is decided",
    () => assert.equal(router.engine.config.wireguard.Peers.length, 1),
  );
  await confirm(router);
  assert.equal(JSON.parse(await added).Problem, "");
  assert.deepEqual(taken(router), [AT]);
  return router;
}

Deno.test("a key that was replaced has no access before the tunnel has lost it", async () => {
  await using router = await withPeer();
  const { tag } = await plan(router);
  const client = JSON.parse(await put(router, `${PATH}/peer/rotate`, { PublicKey: KEY }));
  assert.match(client.Problem, /process wireguard does not respond/);
  assert.deepEqual(taken(router), []);
  const reach = await router.json<{ verdict: string }>(
    "GET",
    `/reach?from=192.168.2.2&to=internet&protocol=tcp&port=443`,
  );
  assert.notEqual(reach.verdict, "accept");
  await report(router, { tag, tunnels: [] });
  assert.deepEqual(taken(router), [], "a report of an earlier plan says nothing");
  const same = await router.reopen();
  assert.deepEqual(taken(same), [], "nor does a restart");
  await confirm(same);
  assert.deepEqual(taken(same), [AT]);
  await same.close();
});

Deno.test("a report of a plan that came back says nothing of the key that was planned in between", async () => {
  await using router = await withPeer();
  const first = await plan(router);
  const { id } = (await router.json<{ items: { id: string }[] }>("GET", "/changes?limit=1"))
    .items[0]!;
  await put(router, `${PATH}/peer/rotate`, { PublicKey: KEY });
  const between = await plan(router);
  assert.notEqual(between.tag, first.tag);
  await put(router, `/changes/${id}/restore?force=true`);
  assert.deepEqual((await plan(router)).tunnels, first.tunnels);
  await report(router, first);
  assert.deepEqual(taken(router), [], "the tunnel may have the other key by now");
  await confirm(router);
  assert.deepEqual(taken(router), [AT]);
});

Deno.test("however a key is revoked, its address is nobody's in the tunnel until it is gone", async (t) => {
  const gone = async (name: string, revoke: (router: TestRouter) => Promise<unknown>) =>
    await t.step(name, async () => {
      await using router = await withPeer();
      await revoke(router);
      assert.deepEqual(taken(router), []);
      const heir = { PublicKey: OTHER_KEY, AllowedIPs: "192.168.2.2", Policies: ["wan"] };
      const answer = await router.ask("PUT", `${PATH}/peer`, { body: heir });
      await answer.body?.cancel();
      assert.deepEqual(taken(router), [], "nor that of another who gets it");
      await confirm(router);
      const placed = answer.status === 200 && router.engine.config.wireguard.Enabled;
      assert.deepEqual(taken(router), placed ? [AT] : []);
    });
  await gone(
    "peer deleted",
    (router) => router.json("DELETE", `${PATH}/peer`, { body: { PublicKey: KEY } }),
  );
  await gone(
    "device deleted",
    async (router) => await (await router.ask("DELETE", device(KEY))).body?.cancel(),
  );
  await gone("device blocked", (router) => put(router, device(KEY), { DeviceDisabled: true }));
  await gone("VPN turned off", (router) => put(router, `${PATH}/down`));
});

Deno.test("a peer moved to another address keeps it, and leaves the old one closed", async () => {
  await using router = await withPeer();
  await put(router, device(KEY), { RecentIP: "192.168.2.10" });
  assert.deepEqual(taken(router), ["192.168.2.10 . wg0"]);
  const heir = { PublicKey: OTHER_KEY, IP: "192.168.2.2", Iface: "wg0" };
  const answer = await router.inside("wireguard", "PUT", "/wireguardUpdate", heir);
  assert.equal(answer.status, 200, await answer.text());
  assert.deepEqual(taken(router), ["192.168.2.10 . wg0"]);
});

Deno.test("another preshared key, or another key of the router, is waited for as well", async () => {
  await using router = await withPeer();
  await put(router, `${PATH}/peer`, { PublicKey: KEY, PresharedKey: SECRET });
  assert.deepEqual(taken(router), []);
  await confirm(router);
  assert.deepEqual(taken(router), [AT]);
  await put(router, `${PATH}/settings`, { NewKey: true });
  assert.deepEqual(taken(router), []);
  await confirm(router);
  assert.deepEqual(taken(router), [AT]);
  await put(router, device(KEY), { Name: "Phone" });
  assert.deepEqual(taken(router), [AT], "nothing else is waited for");
});

Deno.test("a device that is let in again, and a key that an undo brings back, wait for the tunnel", async () => {
  await using router = await withPeer();
  await put(router, device(KEY), { DeviceDisabled: true });
  await put(router, device(KEY), { DeviceDisabled: false, Policies: ["wan"] });
  assert.deepEqual(taken(router), []);
  await confirm(router);
  assert.deepEqual(taken(router), [AT]);
  await router.json("DELETE", `${PATH}/peer`, { body: { PublicKey: KEY } });
  const { items: [last] } = await router.json<{ items: { id: string }[] }>("GET", "/changes");
  await (await router.ask("PUT", `/changes/${last!.id}/undo`)).body?.cancel();
  assert.deepEqual(taken(router), []);
  await confirm(router);
  assert.deepEqual(taken(router), [AT]);
});

Deno.test("a site whose key was replaced is not joined until its tunnel has lost the old one", async () => {
  await using router = await vpn();
  const site = async (fields: unknown) =>
    await put(router, `${PATH}/site`, { Name: "Cabin", ...fields as object });
  await site({ Networks: ["192.168.7.0/24"], PeerPublicKey: KEY, Policies: ["lan"] });
  const isJoined = () =>
    router.engine.desired.routes.some(({ link }) => link === "site0") &&
    JSON.stringify(router.engine.desired.ruleset.tables.map(({ sets }) =>
      sets.map(({ elements }) => [...elements.keys()])
    )).includes("site0");
  assert.equal(isJoined(), true);
  await confirm(router);
  await site({ Networks: ["192.168.7.0/24", "192.168.8.0/24"] });
  assert.equal(isJoined(), true, "other networks are followed at once");
  await site({ PeerPublicKey: OTHER_KEY });
  assert.equal(isJoined(), false);
  await confirm(router);
  assert.equal(isJoined(), true);
  await router.json("DELETE", `${PATH}/site`, { body: { Name: "Cabin" } });
  await site({ Networks: ["192.168.9.0/24"], PeerPublicKey: THIRD_KEY });
  assert.equal(isJoined(), false, "nor is another site on its interface");
});

Deno.test("rules that people wrote for a tunnel open nothing to its revoked key", async () => {
  await using router = await withPeer();
  const rule = async (Interface: string, SrcIP: string) =>
    await put(router, "/firewall/custom_interface", { Interface, SrcIP, Policies: ["wan"] });
  const open = () =>
    router.engine.desired.ruleset.tables.flatMap((
      { sets },
    ) => [...sets.find(({ name }) => name === "custom_interfaces")?.elements.keys() ?? []]).sort();
  const site = { Name: "Cabin", Networks: ["192.168.7.0/24"] };
  await put(router, `${PATH}/site`, { ...site, PeerPublicKey: OTHER_KEY });
  await rule("site0", "192.168.8.5");
  await rule("wg0", "192.168.2.2");
  await rule("wg0", "192.168.2.6");
  await confirm(router);
  const [all, rest] = [open(), ["wg0 . 192.168.2.6"]];
  assert.deepEqual(all, [
    "site0 . 192.168.7.0/24",
    "site0 . 192.168.8.5",
    "wg0 . 192.168.2.2",
    ...rest,
  ]);
  await put(router, `${PATH}/peer/rotate`, { PublicKey: KEY });
  await put(router, `${PATH}/site`, { ...site, PeerPublicKey: THIRD_KEY });
  assert.deepEqual(open(), rest);
  await confirm(router);
  assert.deepEqual(open(), all);
});

Deno.test("while nothing is applied, nobody waits for a tunnel", async () => {
  await using router = await testRouter({ hasTunnels: true });
  await put(router, `${PATH}/peer`, { PublicKey: KEY, Policies: ["wan"] });
  const client = JSON.parse(await put(router, `${PATH}/peer/rotate`, { PublicKey: KEY }));
  assert.equal(client.Problem, "");
  assert.deepEqual(taken(router), [AT]);
});
