import assert from "node:assert/strict";
import type * as z from "zod";
import { publicKeyOf } from "../../../system/wireguard/keys.ts";
import type { ClientConfig, ListedPeer, ServerAnswer } from "../../../system/wireguard/wire.ts";
import { KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const PATH = "/plugins/wireguard";
const PHONE = "02:00:00:00:0a:01";

type Client = z.output<typeof ClientConfig>;
type Peer = z.output<typeof ListedPeer>;
interface DeviceOf {
  Name: string;
  RecentIP: string;
  WGPubKey: string;
  Policies: string[];
  Groups: string[];
}

const peers = (router: TestRouter) => router.json<Peer[]>("GET", `${PATH}/peers`);
const add = (router: TestRouter, body: unknown = {}) =>
  router.json<Client>("PUT", `${PATH}/peer`, { body });
const devices = (router: TestRouter) => router.json<Record<string, DeviceOf>>("GET", "/devices");

async function refused(
  router: TestRouter,
  path: string,
  body: unknown,
  method = "PUT",
): Promise<{ status: number; text: string }> {
  const answer = await router.ask(method, `${PATH}${path}`, { body });
  return { status: answer.status, text: await answer.text() };
}

Deno.test("PUT /peer without a key makes a device, keys and a client configuration", async () => {
  await using router = await testRouter();
  const body = { Name: "Phone", Policies: ["wan", "dns"], Groups: ["family"] };
  const client = await add(router, body);
  const key = publicKeyOf(client.Interface.PrivateKey);
  assert.equal(client.Interface.Address, "192.168.2.2");
  assert.equal(client.Interface.DNS, "192.168.2.1");
  assert.equal(client.Interface.MTU, 1420);
  assert.equal(client.Peer.AllowedIPs, "0.0.0.0/0, ::/0");
  assert.equal(client.Peer.Endpoint, "203.0.113.2:51280");
  assert.equal(client.Peer.PersistentKeepalive, 25);
  assert.match(client.Peer.PresharedKey, /^[A-Za-z0-9+/]{43}=$/);
  const server = await router.json<z.output<typeof ServerAnswer>>("GET", `${PATH}/settings`);
  assert.equal(client.Peer.PublicKey, server.PublicKey);
  assert.equal(server.Enabled, true, "the first peer turns the VPN on");
  assert.equal(
    client.Config,
    `[Interface]
PrivateKey = ${client.Interface.PrivateKey}
Address = 192.168.2.2/32
DNS = 192.168.2.1
MTU = 1420

[Peer]
PublicKey = ${server.PublicKey}
PresharedKey = ${client.Peer.PresharedKey}
AllowedIPs = 0.0.0.0/0, ::/0
Endpoint = 203.0.113.2:51280
PersistentKeepalive = 25
`,
  );
  const device = (await devices(router))[key]!;
  assert.equal(device.Name, "Phone");
  assert.equal(device.RecentIP, "192.168.2.2");
  assert.deepEqual(device.Policies, ["wan", "dns"]);
  assert.deepEqual(device.Groups, ["family"]);
  const [listed] = await peers(router);
  assert.deepEqual(listed, {
    PublicKey: key,
    AllowedIPs: "192.168.2.2/32",
    Endpoint: "(none)",
    PresharedKey: "**",
    PersistentKeepalive: 0,
    LatestHandshake: 0,
    TransferRx: 0,
    TransferTx: 0,
    Identity: key,
    Name: "Phone",
    Online: false,
  });
});

Deno.test("a peer without policies may do nothing yet", async () => {
  await using router = await testRouter();
  await add(router, { PublicKey: KEY });
  assert.deepEqual((await devices(router))[KEY]!.Policies, ["noapi"]);
});

Deno.test("reach explains what a peer may do", async () => {
  await using router = await testRouter();
  await add(router, { PublicKey: KEY, Name: "Phone", Policies: ["wan"] });
  const ask = (to: string) =>
    router.json<{ verdict: string; reason: string }>(
      "GET",
      `/reach?from=${encodeURIComponent(KEY)}&to=${to}&protocol=tcp&port=443`,
    );
  assert.match((await ask("internet")).reason, /Allowed by policy wan .* of Phone/);
  await router.json("PUT", "/device?identity=02:00:00:00:0a:02", {
    body: { Name: "nas", RecentIP: "192.168.2.10" },
  });
  assert.equal((await ask("02:00:00:00:0a:02")).verdict, "drop");
});

Deno.test("a key that is sent stays with the client, and its secrets are never shown again", async () => {
  await using router = await testRouter();
  const client = await add(router, { PublicKey: KEY, AllowedIPs: "192.168.2.14/32" });
  assert.equal(client.Interface.PrivateKey, "<PRIVATE KEY>");
  assert.equal(client.Interface.Address, "192.168.2.14");
  const query = `PublicKey=${encodeURIComponent(KEY)}&Tunnel=split`;
  const again = await router.json<Client>("GET", `${PATH}/peer?${query}`);
  assert.equal(again.Peer.PresharedKey, "<PRESHARED KEY>");
  assert.equal(again.Peer.AllowedIPs, "192.168.2.0/24");
  const secrets = [client.Peer.PresharedKey, router.engine.config.wireguard.PrivateKey];
  const paths = ["/peers", "/status", "/config", "/settings", "/sites", `/peer?${query}`];
  const answers = await Promise.all(
    [...paths.map((path) => `${PATH}${path}`), "/changes"].map(async (path) =>
      await (await router.ask("GET", path)).text()
    ),
  );
  const [{ id }] = (await router.json<{ items: { id: string }[] }>("GET", "/changes")).items as [
    { id: string },
  ];
  answers.push(await (await router.ask("GET", `/changes/${id}`)).text());
  for (const secret of secrets) {
    for (const text of answers) assert.ok(!text.includes(secret), text);
  }
  assert.match(answers.at(-1)!, /\(hidden\)/);
  assert.match(answers[2]!, /PrivateKey = <PRIVATE KEY>/);
});

Deno.test("an existing device becomes a peer and keeps its identity and address", async () => {
  await using router = await testRouter();
  await router.json("PUT", `/device?identity=${PHONE}`, {
    body: { Name: "phone", RecentIP: "192.168.2.6", WGPubKey: KEY, Policies: ["wan"] },
  });
  const client = await add(router, { PublicKey: KEY });
  assert.equal(client.Interface.Address, "192.168.2.6");
  const all = await devices(router);
  assert.deepEqual(Object.keys(all), [PHONE]);
  assert.deepEqual(all[PHONE]!.Policies, ["wan"]);
  const taken = await refused(router, "/peer", { PublicKey: OTHER_KEY, AllowedIPs: "192.168.2.6" });
  assert.equal(taken.status, 409);
  assert.match(taken.text, /address of the VPN peer phone/);
});

Deno.test("PUT /peer of a known peer changes it and keeps its keys", async () => {
  await using router = await testRouter();
  await add(router, { PublicKey: KEY });
  const before = router.engine.config.wireguard.Peers[0]!;
  const client = await add(router, { PublicKey: KEY, PersistentKeepalive: 15, Name: "Laptop" });
  const [after, second] = router.engine.config.wireguard.Peers;
  assert.deepEqual(after, { ...before, PersistentKeepalive: 15 });
  assert.equal(second, undefined);
  assert.equal(client.Peer.PresharedKey, "<PRESHARED KEY>");
  assert.equal((await devices(router))[KEY]!.Name, "Laptop");
});

Deno.test("DELETE /peer revokes the key and its device, and undo brings both back", async () => {
  await using router = await testRouter();
  await add(router, { PublicKey: KEY, Name: "Phone" });
  const stood = router.engine.config.wireguard.Peers;
  const [listed] = await peers(router);
  const answer = await router.ask("DELETE", `${PATH}/peer`, {
    body: { PublicKey: listed!.PublicKey, AllowedIPs: listed!.AllowedIPs, Endpoint: "(none)" },
  });
  assert.equal(await answer.json(), true);
  assert.deepEqual(await peers(router), []);
  assert.deepEqual(await devices(router), {});
  await (await router.ask("PUT", `/changes/${answer.headers.get("change-id")}/undo`)).body
    ?.cancel();
  assert.deepEqual(router.engine.config.wireguard.Peers, stood);
  assert.equal((await devices(router))[KEY]!.Name, "Phone");
  const unknown = await refused(router, "/peer", { PublicKey: OTHER_KEY }, "DELETE");
  assert.equal(unknown.status, 404);
});

Deno.test("a deleted device takes its peer with it, and a preview says so", async () => {
  await using router = await testRouter();
  await add(router, { PublicKey: KEY, Name: "Phone" });
  const path = `/device?identity=${encodeURIComponent(KEY)}`;
  const preview = await router.json<{ effects: string[] }>("DELETE", `${path}&dryRun=true`);
  assert.ok(preview.effects.includes("The VPN access of Phone is revoked"));
  assert.equal((await peers(router)).length, 1);
  await (await router.ask("DELETE", path)).body?.cancel();
  assert.deepEqual(router.engine.config.wireguard.Peers, []);
});

Deno.test("another key keeps one device with its address, policies and history", async () => {
  await using router = await testRouter();
  await add(router, { PublicKey: KEY, Name: "Phone", Policies: ["wan"], Groups: ["family"] });
  await router.engine.observe((observed) => ({
    ...observed,
    devices: { [KEY]: { firstSeen: 7, lastSeen: 8, link: "wg0", online: false } },
  }));
  const client = await router.json<Client>("PUT", `${PATH}/peer/rotate`, {
    body: { PublicKey: KEY },
  });
  const key = publicKeyOf(client.Interface.PrivateKey);
  const all = await devices(router);
  assert.deepEqual(Object.keys(all), [key]);
  assert.equal(all[key]!.RecentIP, "192.168.2.2");
  assert.deepEqual([all[key]!.Name, all[key]!.Policies, all[key]!.Groups], [
    "Phone",
    ["wan"],
    ["family"],
  ]);
  assert.equal(router.engine.observed.devices[key]?.firstSeen, 7);
  assert.deepEqual((await peers(router)).map(({ PublicKey }) => PublicKey), [key]);
  const unknown = await refused(router, "/peer/rotate", { PublicKey: KEY });
  assert.equal(unknown.status, 404);
  const { items: [last] } = await router.json<{ items: { id: string }[] }>("GET", "/changes");
  await (await router.ask("PUT", `/changes/${last!.id}/undo`)).body?.cancel();
  assert.deepEqual(Object.keys(await devices(router)), [KEY]);
  assert.equal(router.engine.observed.devices[KEY]?.firstSeen, 7, "an undo keeps what was seen");
});

function highBit(key: string): string {
  const bytes = Uint8Array.fromBase64(key);
  bytes[31]! |= 128;
  return bytes.toBase64();
}

Deno.test("keys and addresses that cannot be are refused with their place", async () => {
  await using router = await testRouter();
  await add(router, { PublicKey: KEY });
  const server = await router.json<z.output<typeof ServerAnswer>>("GET", `${PATH}/settings`);
  const bad: readonly (readonly [unknown, number, RegExp])[] = [
    [{ PublicKey: "abc" }, 400, /\/PublicKey.*32 bytes in base64/],
    [{ PublicKey: `${KEY.slice(0, -2)}B=` }, 400, /\/PublicKey/],
    [{ PublicKey: KEY.replace("=", "!") }, 400, /\/PublicKey/],
    [{ PublicKey: `${"A".repeat(43)}=` }, 400, /No private key/],
    // Of small order, and the bytes of a peer's key with the bit set that is ignored.
    [{ PublicKey: "4Ot6fDtBuK4WVuP68Z/EatoJjeucMrH9hmIFFl9JuAA=" }, 400, /No private key/],
    [{ PublicKey: highBit(KEY) }, 400, /No private key/],
    [{ PublicKey: server.PublicKey }, 400, /a key of this router/],
    [{ PresharedKey: "short" }, 400, /\/PresharedKey/],
    [{ AllowedIPs: "0.0.0.0/0" }, 400, /\/AllowedIPs/],
    [{ AllowedIPs: "192.168.2.14, 192.168.2.18" }, 400, /\/AllowedIPs/],
    [{ AllowedIPs: "10.0.0.2/32" }, 400, /device address of a \/30/],
    [{ AllowedIPs: "192.168.2.2", PublicKey: OTHER_KEY }, 409, /address of the VPN peer/],
    [{ Endpoint: "vpn example.org" }, 400, /\/Endpoint/],
    [{ Endpoint: "vpn.example.org:0" }, 400, /port from 1 to 65535/],
    [{ Endpoint: "vpn.example.org:65536" }, 400, /port from 1 to 65535/],
    [{ Endpoint: "$(reboot)" }, 400, /\/Endpoint/],
    [{ PersistentKeepalive: 65536 }, 400, /\/PersistentKeepalive/],
    [{ Policies: ["everything"] }, 400, /\/Policies/],
  ];
  for (const [body, status, text] of bad) {
    const answer = await refused(router, "/peer", body);
    assert.equal(answer.status, status, `${JSON.stringify(body)}: ${answer.text}`);
    assert.match(answer.text, text);
  }
  assert.equal((await peers(router)).length, 1);
});

Deno.test("peers that come, change their key and go are events without a secret", async () => {
  await using router = await testRouter();
  const seen: { topic: string; text: string }[] = [];
  const off = router.bus.subscribe(({ topic, data }) =>
    seen.push({ topic, text: JSON.stringify(data) })
  );
  const event = (PublicKey: string) => ({
    ...{ IP: "192.168.2.2", PublicKey, Iface: "wg0", Name: "Phone" },
  });
  await add(router, { PublicKey: KEY, Name: "Phone" });
  await (await router.ask("PUT", `${PATH}/peer/rotate`, {
    body: { PublicKey: KEY, NewPublicKey: OTHER_KEY },
  })).body?.cancel();
  await (await router.ask("DELETE", `${PATH}/peer`, { body: { PublicKey: OTHER_KEY } })).body
    ?.cancel();
  off();
  assert.deepEqual(seen.filter(({ topic }) => topic === "wg:update").map(({ text }) => text), [
    JSON.stringify(event(KEY)),
    JSON.stringify({ ...event(KEY), removed: true }),
    JSON.stringify(event(OTHER_KEY)),
    JSON.stringify({ ...event(OTHER_KEY), removed: true }),
  ]);
  const { PrivateKey } = router.engine.config.wireguard;
  for (const { text } of seen) assert.ok(!text.includes(PrivateKey));
});

Deno.test("an address reserved on the internal socket goes to no other peer", async () => {
  await using router = await testRouter();
  const reserved = await router.inside("dhcp", "PUT", "/abstractDhcpRequest", { Identifier: KEY });
  const { IP } = await reserved.json() as { IP: string };
  const other = await add(router, { PublicKey: OTHER_KEY });
  assert.notEqual(other.Interface.Address, IP);
});
