import assert from "node:assert/strict";
import { parseWgDump } from "../../../system/host/tools/wg.ts";
import { EndpointNames } from "../../../system/wireguard/tunnels/endpoint_names.ts";
import type { PlannedPeer, PlannedTunnel } from "../../../system/wireguard/tunnels/plan_schema.ts";
import { TunnelKeeper } from "../../../system/wireguard/tunnels/tunnel_keeper.ts";
import { type RunningPeer, tunnelSteps } from "../../../system/wireguard/tunnels/tunnel_steps.ts";
import { KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";

const PRIVATE = "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqXAf7pCXalCo=";
const SHARED = "dwyS2MCC7Q0FuSVTbNQVXtfAQS4U8G1Bc5nLPhcIGCk=";

function peer(publicKey: string, fields: Partial<PlannedPeer> = {}): PlannedPeer {
  const allowedIps = ["192.168.2.2/32"];
  return { publicKey, presharedKey: SHARED, allowedIps, endpoint: "", keepalive: 0, ...fields };
}

function running(planned: PlannedPeer, fields: Partial<RunningPeer> = {}): RunningPeer {
  return { ...planned, latestHandshake: 990, ...fields };
}

const tunnel = (...peers: PlannedPeer[]): PlannedTunnel => ({
  ...{ name: "wg0", privateKey: PRIVATE, listenPort: 51280, peers },
});

function steps(planned: PlannedTunnel, peers: readonly RunningPeer[], other = false) {
  return tunnelSteps(planned, { privateKey: PRIVATE, listenPort: 51280, peers }, {
    now: 1000,
    addressOf: ({ endpoint }) => endpoint,
    isOtherEndpoint: () => other,
  });
}

Deno.test("a tunnel that runs as planned is left alone", () => {
  const planned = tunnel(peer(KEY), peer(OTHER_KEY, { allowedIps: ["192.168.2.6/32"] }));
  const found = steps(planned, planned.peers.map((one) => running(one)).reverse());
  assert.deepEqual(found, { remove: [], text: "", set: [], problem: "" });
});

Deno.test("a new peer touches no other, and one that is revoked is removed", () => {
  const planned = tunnel(peer(KEY), peer(OTHER_KEY, { allowedIps: ["192.168.2.6/32"] }));
  const added = steps(planned, [running(planned.peers[0]!)]);
  assert.deepEqual([added.remove, added.set], [[], [OTHER_KEY]]);
  assert.equal(
    added.text,
    `[Peer]
PublicKey = ${OTHER_KEY}
PresharedKey = ${SHARED}
AllowedIPs = 192.168.2.6/32
PersistentKeepalive = 0
`,
  );
  const revoked = steps(tunnel(planned.peers[0]!), planned.peers.map((one) => running(one)));
  assert.deepEqual(revoked, { remove: [OTHER_KEY], text: "", set: [], problem: "" });
});

Deno.test("key, port and preshared key of a tunnel follow the plan", () => {
  const planned = { ...tunnel(peer(KEY, { presharedKey: "" })), listenPort: 4500 };
  const { remove, text } = tunnelSteps(planned, {
    privateKey: "",
    listenPort: 51280,
    peers: [running(peer(KEY))],
  }, { now: 1000, addressOf: () => "", isOtherEndpoint: () => false });
  assert.match(text, new RegExp(`^\\[Interface\\]\nPrivateKey = .{44}\nListenPort = 4500\n`));
  assert.deepEqual(remove, [KEY], "its session was made with another preshared key");
  assert.ok(text.includes(`PublicKey = ${KEY}\n`) && !text.includes("PresharedKey"), text);
  const free = steps({ ...tunnel(), listenPort: 0 }, []);
  assert.equal(free.text, "", "any port stays");
});

Deno.test("a peer in touch stays where it roamed to; one that is lost is called again", () => {
  const planned = peer(KEY, { endpoint: "203.0.113.9:51280" });
  const roamed = { endpoint: "198.51.100.7:4000" };
  assert.equal(steps(tunnel(planned), [running(planned, roamed)]).text, "");
  const lost = steps(tunnel(planned), [running(planned, { ...roamed, latestHandshake: 800 })]);
  assert.match(lost.text, /Endpoint = 203\.0\.113\.9:51280/);
  const other = steps(tunnel(planned), [running(planned, roamed)], true);
  assert.match(other.text, /Endpoint = 203\.0\.113\.9:51280/, "the plan names another");
  const first = steps(tunnel(planned), []);
  assert.match(first.text, /Endpoint = 203\.0\.113\.9:51280/);
});

Deno.test("a name that leads behind the tunnel itself is not called, and the reason is given", () => {
  const planned = peer(KEY, { endpoint: "shop.example:1", allowedIps: ["10.8.0.0/16"] });
  const at = (address: string) =>
    tunnelSteps(tunnel(planned), { privateKey: PRIVATE, listenPort: 51280, peers: [] }, {
      now: 1000,
      addressOf: () => address,
      isOtherEndpoint: () => false,
    });
  const inside = at("10.8.0.1:1");
  assert.doesNotMatch(inside.text, /Endpoint/);
  assert.match(inside.problem, /^shop\.example:1 is at 10\.8\.0\.1:1, behind the tunnel itself/);
  const outside = at("203.0.113.9:1");
  assert.match(outside.text, /Endpoint = 203\.0\.113\.9:1/);
  assert.equal(outside.problem, "");
});

Deno.test("the names of endpoints are looked up beside the work, and again where they lead nowhere", async () => {
  let now = 0, address = "203.0.113.9";
  let lookUps = 0, changes = 0;
  const names = new EndpointNames({
    lookUp: () => Promise.resolve((lookUps++, address === "" ? [] : [address])),
    now: () => now,
    changed: () => void changes++,
  });
  assert.equal(names.resolve("198.51.100.1:1", true), "198.51.100.1:1");
  assert.equal(names.resolve("a.example:1", true), "");
  await names.settled();
  assert.equal(names.resolve("a.example:1", true), "203.0.113.9:1");
  address = "203.0.113.10";
  assert.equal(lookUps, 1, "not again at once");
  now = 61_000;
  assert.equal(names.resolve("a.example:1", false), "203.0.113.9:1");
  assert.equal(lookUps, 1, "a peer in touch needs none");
  names.resolve("a.example:1", true);
  await names.settled();
  assert.equal(names.resolve("a.example:1", true), "203.0.113.10:1");
  now = 200_000;
  address = "";
  names.resolve("a.example:1", true);
  await names.settled();
  assert.equal(names.resolve("a.example:1", true), "203.0.113.10:1", "a failure takes nothing");
  assert.equal(changes, 2);
});

Deno.test("what wg prints is read, and nothing else", () => {
  const text = `${PRIVATE}\t${KEY}\t51280\toff\n` +
    `${OTHER_KEY}\t(none)\t[2001:db8::1]:5\t192.168.2.2/32,10.0.0.0/8\t1700000000\t12\t34\toff\n` +
    `${KEY}\t${SHARED}\t(none)\t(none)\t0\t0\t0\t25\n`;
  const read = parseWgDump(text)!;
  assert.deepEqual([read.publicKey, read.listenPort], [KEY, 51280]);
  assert.deepEqual(read.peers, [
    {
      publicKey: OTHER_KEY,
      presharedKey: "",
      endpoint: "[2001:db8::1]:5",
      allowedIps: ["192.168.2.2/32", "10.0.0.0/8"],
      latestHandshake: 1700000000,
      rx: 12,
      tx: 34,
      keepalive: 0,
    },
    {
      publicKey: KEY,
      presharedKey: SHARED,
      endpoint: "",
      allowedIps: [],
      latestHandshake: 0,
      rx: 0,
      tx: 0,
      keepalive: 25,
    },
  ]);
  for (const bad of ["", "x", "a\tb\tc\n"]) assert.equal(parseWgDump(bad), null);
});

/** A machine in memory: who carries which interface, and what was done. */
function machine() {
  const links = new Map<string, "kernel" | "wireguard-go" | "other">();
  const owned = new Set<string>();
  const done: string[] = [];
  const keeper = () =>
    new TunnelKeeper({
      owned: {
        list: () => Promise.resolve([...owned]),
        add: (name) => Promise.resolve(void owned.add(name)),
        remove: (name) => Promise.resolve(void owned.delete(name)),
      },
      names: { resolve: (endpoint) => endpoint },
      backend: (name) => Promise.resolve(links.get(name) ?? null),
      create: (name) => {
        links.set(name, "wireguard-go");
        return Promise.resolve("wireguard-go");
      },
      remove: (name) => Promise.resolve(void links.delete(name)),
      read: (name) =>
        Promise.resolve(
          links.has(name)
            ? { privateKey: PRIVATE, publicKey: KEY, listenPort: 51280, peers: [] }
            : null,
        ),
      add: (name) => Promise.resolve(void done.push(`add ${name}`)),
      removePeers: () => Promise.resolve(),
      now: () => 0,
      done: (event, name) => void done.push(`${event} ${name}`),
    });
  return { links, owned, done, keeper };
}

Deno.test("a tunnel is created once, adopted by the next process, and taken down with its plan", async () => {
  const { links, owned, done, keeper } = machine();
  const [state] = await keeper().round([tunnel()]);
  assert.deepEqual([state!.backend, state!.problem, state!.publicKey], ["wireguard-go", "", KEY]);
  const second = keeper();
  await second.round([tunnel()]);
  assert.deepEqual(done, ["created wg0"]);
  links.delete("wg0");
  await second.round([tunnel()]);
  assert.deepEqual(done, ["created wg0", "created wg0"], "one that went away comes back");
  await second.round([]);
  assert.deepEqual([...links.keys(), ...owned], []);
});

Deno.test("an interface that somebody else created is neither used nor removed", async () => {
  const { links, owned, done, keeper } = machine();
  links.set("wg0", "kernel");
  const [state] = await keeper().round([tunnel()]);
  assert.match(state!.problem, /an interface wg0 that Sluice did not create/);
  assert.equal(state!.backend, "");
  await keeper().round([]);
  assert.deepEqual([links.get("wg0"), owned.size, done.length], ["kernel", 0, 0]);
});
