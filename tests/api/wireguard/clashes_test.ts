import assert from "node:assert/strict";
import { privateKey, publicKeyOf } from "../../../system/wireguard/keys.ts";
import { KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const PATH = "/plugins/wireguard";
const ZEROS = `${"A".repeat(43)}=`;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly change: string | null;
}

async function ask(router: TestRouter, method: string, path: string, body?: unknown) {
  const answer = await router.ask(method, path, body === undefined ? {} : { body });
  const change = answer.headers.get("change-id");
  return { status: answer.status, text: await answer.text(), change };
}

const put = (router: TestRouter, path: string, body?: unknown): Promise<Answer> =>
  ask(router, "PUT", `${PATH}${path}`, body);
const undo = (router: TestRouter, { change }: Answer): Promise<Answer> =>
  ask(router, "PUT", `/changes/${change}/undo`);
const forward = (port: string) => ({
  ...{ Protocol: "udp", SrcPort: port, DstIP: "192.168.2.6", DstPort: port },
});
const randomKey = (): string => privateKey(crypto.getRandomValues(new Uint8Array(32)));

function refused(answer: Answer, status: number, reason: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.text, reason);
}

Deno.test("a key of this router is nobody else's, in whichever order they come", async () => {
  await using router = await testRouter();
  const [peer, other, third] = [randomKey(), randomKey(), randomKey()];
  const cabin = { Name: "Cabin", Networks: ["10.7.0.0/16"] };
  await put(router, "/site", { ...cabin, PeerPublicKey: publicKeyOf(other), PrivateKey: third });
  const server = `[Interface]\nPrivateKey = ${other}\n`;
  refused(await put(router, "/import", { Config: server }), 400, /Line 2: .*the site Cabin/);
  assert.equal((await put(router, "/peer", { PublicKey: publicKeyOf(peer) })).status, 200);
  const shop = { Name: "Shop", Networks: ["10.8.0.0/16"] };
  for (const PrivateKey of [peer, other]) {
    refused(await put(router, "/site", { ...shop, PrivateKey }), 400, /\/PrivateKey/);
  }
  for (const field of ["PrivateKey", "PresharedKey"]) {
    refused(await put(router, "/site", { ...shop, [field]: ZEROS }), 400, new RegExp(`/${field}`));
  }
  const own = publicKeyOf(router.engine.config.wireguard.PrivateKey);
  const keys: readonly (readonly [string, number])[] = [
    ...[own, publicKeyOf(third), ZEROS].map((key) => [key, 400] as const),
    [publicKeyOf(other), 409],
  ];
  for (const [key, status] of keys) {
    const mac = await ask(router, "PUT", "/device?identity=02:00:00:00:0a:01", { WGPubKey: key });
    const named = `/device?identity=${encodeURIComponent(key)}`;
    const device = await ask(router, "PUT", named, { Name: "Phone" });
    const report = { IP: "192.168.2.22", PublicKey: key, Iface: "wg0", Name: "Phone" };
    const inside = await router.inside("wireguard", "PUT", "/wireguardUpdate", report);
    await inside.body?.cancel();
    assert.deepEqual([mac.status, device.status, inside.status], [status, status, status], key);
  }
  assert.equal(Object.keys(router.engine.config.devices).length, 1, "the peer alone");
});

Deno.test("a tunnel takes no port that leads elsewhere or is another part's", async () => {
  await using router = await testRouter();
  assert.equal((await ask(router, "PUT", "/firewall/forward", forward("51280"))).status, 200);
  const first = await put(router, "/peer", { PublicKey: KEY });
  refused(first, 409, /port forward leads UDP port 51280 to 192\.168\.2\.6/);
  assert.equal(router.engine.config.wireguard.Enabled, false);
  const cabin = { Name: "Cabin", Networks: ["10.7.0.0/16"] };
  for (const [port, service] of [[53, "resolver"], [67, "DHCP"], [5353, "Multicast"]] as const) {
    const reason = new RegExp(`${service}.* uses UDP port ${port}`);
    refused(await put(router, "/settings", { Enabled: true, ListenPort: port }), 400, reason);
    refused(await put(router, "/site", { ...cabin, ListenPort: port }), 400, reason);
  }
  assert.equal((await put(router, "/site", { ...cabin, ListenPort: 51820 })).status, 200);
  const Config = `[Interface]\nPrivateKey = ${randomKey()}\nListenPort = 51820\n`;
  refused(await put(router, "/import", { Config }), 400, /The site Cabin uses port 51820/);
  const group = { Address: "239.1.2.3:51820" };
  const settings = await router.json<{ Addresses: unknown[] }>("GET", "/multicastSettings");
  const reflected = { ...settings, Addresses: [...settings.Addresses, group] };
  const multicast = await ask(router, "PUT", "/multicastSettings", reflected);
  refused(multicast, 409, /The site Cabin listens on UDP port 51820/);
});

Deno.test("networks of sites keep clear of the tunnels' own and of every interface's", async () => {
  await using router = await testRouter();
  const cabin = { Name: "Cabin", Networks: ["10.7.0.0/16"], Address: "10.99.0.2/24" };
  refused(await put(router, "/site", { ...cabin, Address: "10.99.0.2/5" }), 400, /\/Address/);
  for (const Endpoint of ["10.99.0.1:51280", "10.7.3.4:51280"]) {
    refused(await put(router, "/site", { ...cabin, Endpoint }), 400, /behind the tunnel itself/);
  }
  for (
    const Endpoint of ["0.0.0.0:1", "127.0.0.1:1", "224.0.0.1:1", "[::1]:1", "a b:1", "a\nb:1"]
  ) {
    refused(await put(router, "/site", { ...cabin, Endpoint }), 400, /\/Endpoint/);
  }
  assert.equal((await put(router, "/site", cabin)).status, 200);
  const uplink = (IP: string, Router: string) =>
    ask(router, "PUT", "/uplink/ip", { Name: "wan0", IP, Router, DisableDHCP: true });
  refused(await uplink("10.7.1.2/24", "10.7.1.1"), 400, /\/IP.*behind the site Cabin/);
  refused(await uplink("10.99.0.9/24", "10.99.0.1"), 400, /\/IP.*behind the site Cabin/);
  const TinyNets = ["192.168.2.0/24", "10.99.0.0/24"];
  const subnets = await ask(router, "PUT", "/subnetConfig", { TinyNets, LeaseTime: "24h0m0s" });
  refused(subnets, 409, /10\.99\.0\.0\/24/);
});

Deno.test("an undo brings nothing back that clashes with what is so today", async () => {
  await using router = await testRouter();
  const stands = () => JSON.stringify(router.engine.config.wireguard);
  await put(router, "/peer", { PublicKey: KEY, Name: "Phone" });
  const revoked = await ask(router, "DELETE", `${PATH}/peer`, { PublicKey: KEY });
  const cabin = { Name: "Cabin", Networks: ["10.7.0.0/16"], PeerPublicKey: KEY, ListenPort: 52000 };
  await put(router, "/site", cabin);
  let before = stands();
  refused(await undo(router, revoked), 409, /The site Cabin has the same key as the VPN peer/);
  assert.equal(stands(), before);

  const removed = await ask(router, "DELETE", `${PATH}/site`, { Name: "Cabin" });
  const shop = await put(router, "/site", { ...cabin, Name: "Shop", PeerPublicKey: OTHER_KEY });
  assert.equal(shop.status, 200, shop.text);
  refused(await undo(router, removed), 409, /UDP port 52000/);
  await put(router, "/site", { Name: "Shop", ListenPort: 52001 });
  refused(await undo(router, removed), 409, /10\.7\.0\.0\/16 of the site .* overlaps/);
  await put(router, "/site", { Name: "Shop", Networks: ["10.8.0.0/16"] });
  assert.equal((await undo(router, removed)).status, 200, "nothing stands in its place");
  const { Sites } = router.engine.config.wireguard;
  const links = Sites.map(({ Name, Interface }) => `${Name} ${Interface}`).toSorted();
  assert.deepEqual(links, ["Cabin site1", "Shop site0"], "an interface of its own");

  await put(router, "/up");
  const down = await put(router, "/down");
  assert.equal((await ask(router, "PUT", "/firewall/forward", forward("51280"))).status, 200);
  before = stands();
  refused(await undo(router, down), 409, /UDP port 51280, which a port forward leads/);
  assert.equal(stands(), before);
});

Deno.test("what is revoked, changed and undone leaves peers of others as they are", async () => {
  await using router = await testRouter();
  await put(router, "/peer", { PublicKey: KEY, Name: "Phone", Policies: ["wan"] });
  await put(router, "/down");
  await put(router, "/peer", { PublicKey: OTHER_KEY, Name: "Laptop" });
  assert.equal(router.engine.config.wireguard.Enabled, false, "a peer more does not turn it on");
  await put(router, "/up");
  const [phone, laptop] = router.engine.config.wireguard.Peers;
  const preview = await put(router, "/peer/rotate?dryRun=true", { PublicKey: KEY });
  assert.equal(preview.status, 200);
  assert.deepEqual(router.engine.config.wireguard.Peers, [phone, laptop]);
  const rotated = await put(router, "/peer/rotate", { PublicKey: KEY });
  const blocked = await ask(router, "PUT", `/device?identity=${encodeURIComponent(OTHER_KEY)}`, {
    DeviceDisabled: true,
  });
  assert.equal((await undo(router, rotated)).status, 200);
  assert.deepEqual(router.engine.config.wireguard.Peers, [phone, laptop]);
  assert.deepEqual(router.engine.config.devices[KEY]?.Policies, ["wan"]);
  assert.equal((await undo(router, blocked)).status, 200);
  assert.equal(router.engine.config.devices[OTHER_KEY]?.DeviceDisabled, false);
  assert.equal(Object.keys(router.engine.config.devices).length, 2);
});
