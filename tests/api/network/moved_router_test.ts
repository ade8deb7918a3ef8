import assert from "node:assert/strict";
import fc from "fast-check";
import type { Peer } from "../../../routes/http/peer.ts";
import { OwnAddresses } from "../../../routes/http/own_addresses.ts";
import { ownAddresses } from "../../../system/core/net/own_addresses.ts";
import { cookieOf } from "../../kit/access.ts";
import { type Ask, type TestRouter, testRouter } from "../../kit/router.ts";

/** A caller beside the uplink's address. */
const OUTSIDE: Partial<Peer> = {
  source: "203.0.113.50",
  local: { address: "203.0.113.2", port: 80 },
};
const MOVE = { Name: "wan0", IP: "198.51.100.9/24", Router: "198.51.100.1" };
const UNDER = { "confirm-within": "60" };

async function move(router: TestRouter, query = "", more: Ask = {}): Promise<Response> {
  const answer = await router.ask("PUT", `/uplink/ip${query}`, {
    body: MOVE,
    peer: OUTSIDE,
    ...more,
  });
  await answer.body?.cancel();
  return answer;
}

/** The cookie of a new session. */
async function session(router: TestRouter): Promise<string> {
  const answer = await router.ask("PUT", "/auth/login");
  await answer.body?.cancel();
  return cookieOf(answer);
}

/** Where scripts of a page of the router may connect to. */
async function connections(router: TestRouter, headers: Ask["headers"] = {}): Promise<string[]> {
  const answer = await router.ask("GET", "/", { as: null, headers });
  await answer.body?.cancel();
  const policy = answer.headers.get("content-security-policy") ?? "";
  return policy.split("; ").find((part) => part.startsWith("connect-src "))?.split(" ").slice(1) ??
    [];
}

async function confirm(router: TestRouter, id: string, token: string): Promise<number> {
  const answer = await router.ask("PUT", `/changes/${id}/confirm`, { as: `Bearer ${token}` });
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("the answer of a move on trial names the addresses to keep it from", async () => {
  await using router = await testRouter();
  const answer = await move(router, "", { headers: UNDER });
  assert.equal(answer.status, 202);
  const named = answer.headers.get("router-addresses")?.split(", ") ?? [];
  assert.ok(named.includes("198.51.100.9") && named.includes("192.168.2.1"), `${named}`);
  assert.ok(!named.includes("203.0.113.2"), "where it no longer is");
  const plain = await router.ask("PUT", "/groups", { body: { Name: "a" } });
  assert.equal(plain.headers.get("router-addresses"), null, "nothing is on trial");
});

Deno.test("the token that comes with a 202 is good at once, before anything has moved", async () => {
  await using router = await testRouter();
  const answer = await move(router, "", { headers: UNDER });
  assert.equal(router.engine.window.current(), null, "the window is not open yet");
  const id = answer.headers.get("change-id")!, token = answer.headers.get("confirm-token")!;
  assert.equal(await confirm(router, id, token), 200);
  assert.equal(router.engine.window.current(), null);
  const addresses = (await router.host.facts()).addresses.map(({ address }) => address);
  assert.ok(addresses.includes("198.51.100.9/24"), "kept, and in force");
  assert.equal(await confirm(router, id, token), 401, "once only");
});

Deno.test("the token of a move that fails after its 202 opens nothing", async () => {
  await using router = await testRouter();
  router.host.fail = (step) => step.kind === "ip" ? { when: "before" } : null;
  const answer = await move(router, "", { headers: UNDER });
  const id = answer.headers.get("change-id")!, token = answer.headers.get("confirm-token")!;
  await router.engine.observe((seen) => seen);
  router.host.fail = () => null;
  await router.engine.tick();
  assert.equal(await confirm(router, id, token), 401);
});

Deno.test("the token shows what is on trial, to find the router again, and nothing else", async () => {
  await using router = await testRouter();
  const answer = await router.ask("PUT", "/groups", { body: { Name: "a" }, headers: UNDER });
  const id = answer.headers.get("change-id")!;
  const as = `Bearer ${answer.headers.get("confirm-token")}`;
  const origin = { origin: "http://203.0.113.2" };
  const shown = await router.ask("GET", "/changes/window", { as, headers: origin });
  assert.equal((await shown.json()).window.id, id);
  assert.equal(shown.headers.get("access-control-allow-origin"), "*");
  const refused = [
    ["GET", "/changes"],
    ["GET", `/changes/${id}`],
    ["PUT", `/changes/${id}/undo`],
    ["PUT", "/changes/window/confirm"],
    ["PUT", "/changes/other/confirm"],
    ["GET", "/devices"],
  ] as const;
  for (const [method, path] of refused) {
    const other = await router.ask(method, path, { as });
    await other.body?.cancel();
    assert.equal(other.status, 401, `${method} ${path}`);
  }
  const wrong = await router.ask("GET", "/changes/window", { as: "Bearer nonsense" });
  assert.equal(wrong.status, 401);
  await wrong.body?.cancel();
});

Deno.test("pages may connect to the router's own addresses on the same port, and to no other", async () => {
  await using router = await testRouter();
  assert.deepEqual(await connections(router), ["'self'"], "no address without a session");
  const wrong = { cookie: `${(await session(router)).split("=")[0]}=wrong` };
  assert.deepEqual(await connections(router, wrong), ["'self'"]);
  const cookie = await session(router);
  assert.deepEqual(await connections(router, { cookie, host: "192.168.2.1:8080" }), [
    "'self'",
    "http://192.168.2.1:8080",
    "http://203.0.113.2:8080",
  ]);
  // What a preview told of is looked for before it is there.
  const before = await connections(router, { cookie });
  await move(router, "?dryRun=true", { headers: UNDER });
  const foreseen = await connections(router, { cookie });
  assert.deepEqual(foreseen.filter((one) => !before.includes(one)), ["http://198.51.100.9"]);
  await move(router, "?dryRun=true", { as: null });
  assert.deepEqual(
    await connections(router, { cookie }),
    foreseen,
    "who may not preview adds nothing",
  );
});

Deno.test("an opener policy is sent where browsers heed it, and no error elsewhere", async () => {
  await using router = await testRouter();
  const policy = async (host: string, tls: boolean) => {
    const answer = await router.ask("GET", "/status", { headers: { host }, peer: { tls } });
    await answer.body?.cancel();
    return answer.headers.get("cross-origin-opener-policy");
  };
  assert.equal(await policy("192.168.2.1", false), null);
  assert.equal(await policy("192.168.2.1", true), "same-origin");
  assert.equal(await policy("127.0.0.1:8080", false), "same-origin");
  assert.equal(await policy("localhost", false), "same-origin");
});

Deno.test("a foreseen address is forgotten after a while, and the latest preview counts", () => {
  let now = 0;
  const desired = { addresses: [{ link: "sluice0", address: "192.168.2.1/24" }] };
  const own = new OwnAddresses(() => desired, () => now);
  own.foresee(["10.0.0.1", "192.168.2.1"]);
  own.foresee(["10.9.0.1"]);
  own.foresee(["192.168.2.1"]);
  assert.deepEqual(own.list(), ["10.9.0.1", "192.168.2.1"]);
  now = 20 * 60 * 1000;
  assert.deepEqual(own.list(), ["192.168.2.1"]);
});

Deno.test("own addresses are few, differ, and can be called from elsewhere", () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const address = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join("."));
  fc.assert(fc.property(fc.array(address), fc.array(address), (decided, seen) => {
    const list = ownAddresses({
      addresses: decided.map((one) => ({ link: "a", address: `${one}/24` })),
      facts: { links: new Set(), running: new Set(), addresses: seen } as never,
    });
    assert.equal(new Set(list).size, list.length);
    assert.ok(list.length <= 16);
    assert.ok(list.every((one) => !one.startsWith("127.") && !one.startsWith("169.254.")));
  }));
  const odd = ["::1/128", "fe80::1/64", "127.0.0.1/8", "169.254.1.2/16", "fd00::1/64", "x"];
  const addresses = odd.map((one) => ({ link: "a", address: one }));
  assert.deepEqual(ownAddresses({ addresses }), ["fd00::1"]);
  const towards = ["192.168.2.1/24", "192.168.2.45/30", "10.0.0.1/30"]
    .map((address) => ({ link: "a", address }));
  assert.deepEqual(ownAddresses({ addresses: towards }), ["192.168.2.1", "10.0.0.1"]);
});
