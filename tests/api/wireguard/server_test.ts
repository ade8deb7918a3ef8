import assert from "node:assert/strict";
import type * as z from "zod";
import { publicKeyOf } from "../../../system/wireguard/keys.ts";
import type { KeyPair, ServerAnswer } from "../../../system/wireguard/wire.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const PATH = "/plugins/wireguard";
type Server = z.output<typeof ServerAnswer>;

const settings = (router: TestRouter) => router.json<Server>("GET", `${PATH}/settings`);
const put = (router: TestRouter, path: string, body?: unknown) =>
  router.ask("PUT", `${PATH}${path}`, body === undefined ? {} : { body });

async function status(answer: Response): Promise<number> {
  await answer.body?.cancel();
  return answer.status;
}

function probe(router: TestRouter, port: number, protocol = "udp"): Promise<{ verdict: string }> {
  return router.json("GET", `/reach?from=internet&to=router&protocol=${protocol}&port=${port}`);
}

Deno.test("PUT /up makes a key and opens the port on the WAN; PUT /down closes it", async () => {
  await using router = await testRouter();
  assert.deepEqual(
    await settings(router),
    {
      Enabled: false,
      ListenPort: 51280,
      MTU: 0,
      CurrentMTU: 1420,
      Endpoints: [],
      PublicKey: "",
      Running: false,
      Backend: "",
      Problem: "",
    } satisfies Server,
  );
  assert.equal((await probe(router, 51280)).verdict, "drop");
  const up = await put(router, "/up");
  assert.equal(await up.json(), true);
  const { PublicKey } = await settings(router);
  assert.match(PublicKey, /^.{44}$/);
  assert.equal((await probe(router, 51280)).verdict, "accept");
  assert.equal((await probe(router, 51280, "tcp")).verdict, "drop");
  assert.equal(await status(await put(router, "/down")), 200);
  assert.equal((await probe(router, 51280)).verdict, "drop");
  assert.equal((await settings(router)).PublicKey, PublicKey, "the key stays");
});

Deno.test("PUT /up can be previewed, confirmed and held against an entity tag", async () => {
  await using router = await testRouter();
  const preview = await router.json<{ reach: { allowed: { from: string; traffic: string }[] } }>(
    "PUT",
    `${PATH}/up?dryRun=true`,
  );
  assert.ok(
    preview.reach.allowed.some(({ from, traffic }) =>
      from === "internet" && traffic === "udp 51280"
    ),
  );
  assert.equal((await settings(router)).Enabled, false);
  const read = await router.ask("GET", `${PATH}/peers`);
  const etag = read.headers.get("etag")!;
  await read.body?.cancel();
  assert.equal(await status(await put(router, "/up")), 200);
  const late = await router.ask("PUT", `${PATH}/down`, { headers: { "if-match": etag } });
  assert.equal(await status(late), 412);
  const tried = await router.ask("PUT", `${PATH}/down`, { headers: { "confirm-within": "60" } });
  assert.notEqual(tried.headers.get("confirm-token"), null);
  await tried.body?.cancel();
});

Deno.test("settings that are sent change, the others stay; a new key makes another public one", async () => {
  await using router = await testRouter();
  await router.json("PUT", `${PATH}/up`);
  const before = await settings(router);
  const after = await router.json<Server>("PUT", `${PATH}/settings`, {
    body: { ListenPort: 51820, MTU: 1380, NewKey: true },
  });
  assert.deepEqual([after.ListenPort, after.MTU, after.CurrentMTU], [51820, 1380, 1380]);
  assert.notEqual(after.PublicKey, before.PublicKey);
  assert.equal((await probe(router, 51280)).verdict, "drop");
  assert.equal((await probe(router, 51820)).verdict, "accept");
  for (
    const body of [
      { ListenPort: 0 },
      { ListenPort: 65536 },
      { ListenPort: "51820" },
      { MTU: 1279 },
      { MTU: 1500 },
      { Endpoints: ["a b"] },
      { Endpoints: ["vpn.example.org:0"] },
      { Endpoints: Array(9).fill("a.example") },
    ]
  ) assert.equal(await status(await put(router, "/settings", body)), 400, JSON.stringify(body));
});

Deno.test("the port and a port forward keep clear of each other, whichever is first", async () => {
  await using router = await testRouter();
  const forward = (SrcPort: string) =>
    router.ask("PUT", "/firewall/forward", {
      body: { Protocol: "udp", SrcPort, DstIP: "192.168.2.6", DstPort: "any" },
    });
  assert.equal(await status(await forward("51000-52000")), 200);
  const up = await put(router, "/up");
  assert.equal(up.status, 409);
  assert.match(await up.text(), /port forward leads UDP port 51280 to 192.168.2.6/);
  assert.equal(await status(await put(router, "/settings", { ListenPort: 40000 })), 200);
  assert.equal(await status(await put(router, "/up")), 200);
  const second = await forward("40000");
  assert.equal(second.status, 409);
  assert.match(await second.text(), /VPN of this router listens on UDP port 40000/);
  assert.equal(await status(await forward("any")), 200, "every other port");
  assert.equal((await probe(router, 40000)).verdict, "accept");
});

Deno.test("PUT /endpoints replaces the list, and its first is what clients get", async () => {
  await using router = await testRouter();
  const body = ["VPN.example.org", "203.0.113.9:4500", "[2001:db8::1]:51280"];
  assert.equal(await status(await put(router, "/endpoints", body)), 200);
  assert.deepEqual(await router.json("GET", `${PATH}/endpoints`), [
    "vpn.example.org",
    "203.0.113.9:4500",
    "[2001:db8::1]:51280",
  ]);
  const client = await router.json<{ Peer: { Endpoint: string } }>("PUT", `${PATH}/peer`);
  assert.equal(client.Peer.Endpoint, "vpn.example.org:51280");
  const other = await router.json<{ Peer: { Endpoint: string } }>("PUT", `${PATH}/peer`, {
    body: { Endpoint: "home.example" },
  });
  assert.equal(other.Peer.Endpoint, "home.example:51280");
});

Deno.test("GET /genkey makes a pair of its own each time", async () => {
  await using router = await testRouter();
  const make = () => router.json<z.output<typeof KeyPair>>("GET", `${PATH}/genkey`);
  const [one, two] = [await make(), await make()];
  assert.equal(publicKeyOf(one.PrivateKey), one.PublicKey);
  assert.notEqual(one.PrivateKey, two.PrivateKey);
});
