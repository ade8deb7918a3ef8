import assert from "node:assert/strict";
import { type TestRouter, testRouter, type TestRouterOptions } from "../kit/router.ts";
import { mac } from "../kit/device_config.ts";
import { DECLINED_FOR } from "../../system/dhcp/offers.ts";

type Kind = "discover" | "request" | "inform" | "decline" | "release";

interface Said {
  readonly link?: string;
  readonly wanted?: string;
  readonly name?: string;
  readonly clientId?: string;
  readonly server?: string;
}

function speaker(router: TestRouter) {
  const ask = async (kind: Kind, card: number, said: Said = {}) => {
    const body = { kind, mac: mac(card), link: "lan0", ...said };
    const answer = await router.inside("dhcp", "PUT", "/ask", body);
    return { status: answer.status, json: await answer.json() };
  };
  const ip = async (kind: Kind, card: number, said: Said = {}): Promise<string | null> =>
    (await ask(kind, card, said)).json.told?.IP ?? null;
  /** The whole exchange of a client that comes. */
  const join = async (card: number, said: Said = {}): Promise<string> => {
    const wanted = await ip("discover", card, said) ?? "";
    assert.equal(await ip("request", card, { ...said, wanted }), wanted);
    return wanted;
  };
  const devices = () => router.json<Record<string, { RecentIP: string }>>("GET", "/devices");
  return { ask, ip, join, devices };
}

async function start(options: TestRouterOptions = {}) {
  const clock = { now: 1_700_000_000_000 };
  const router = await testRouter({ now: () => clock.now, ...options });
  return { router, clock, ...speaker(router) };
}

const SMALL = { "base/dhcp.json": { TinyNets: ["192.168.2.0/24"], LeaseTime: "1h0m0s" } };

Deno.test("DISCOVER keeps an address for its client and makes no device; REQUEST does", async () => {
  const { router, ip, devices } = await start();
  await using _ = router;
  assert.equal(await ip("discover", 1), "192.168.2.2");
  assert.equal(await ip("discover", 2), "192.168.2.6", "not offered twice");
  assert.equal(await ip("discover", 1), "192.168.2.2", "offered again");
  assert.deepEqual(await devices(), {});
  assert.equal(await ip("request", 2, { wanted: "192.168.2.6" }), "192.168.2.6");
  assert.deepEqual(Object.keys(await devices()), [mac(2)]);
});

Deno.test("REQUEST for a foreign address, or of another server's offer, makes no device", async () => {
  const { router, ip, devices } = await start();
  await using _ = router;
  assert.notEqual(await ip("request", 1, { wanted: "192.168.1.77" }), "192.168.1.77");
  await ip("request", 2, { wanted: "192.168.2.2", server: "10.0.0.1" });
  assert.deepEqual(await devices(), {});
});

Deno.test("REQUEST of an offer that was forgotten by a restart is kept where it is free", async () => {
  const { router, ip } = await start();
  await using _ = router;
  assert.equal(await ip("request", 1, { wanted: "192.168.2.42" }), "192.168.2.42");
  assert.notEqual(await ip("request", 2, { wanted: "192.168.2.42" }), "192.168.2.42");
});

Deno.test("a thousand cards that only discover keep nobody from an address", async () => {
  const { router, ip, join, devices } = await start({ files: SMALL });
  await using _ = router;
  const own = await join(1);
  for (let card = 100; card < 600; card++) assert.notEqual(await ip("discover", card), own);
  assert.ok(await join(2));
  assert.equal(await ip("request", 1, { wanted: own }), own);
  assert.deepEqual(Object.keys(await devices()).length, 2);
});

Deno.test("DECLINE gives another address, and the declined one to nobody for ten minutes", async () => {
  const { router, clock, ask, ip, join } = await start();
  await using _ = router;
  const events: string[] = [];
  router.bus.subscribe(({ topic }) => events.push(topic));
  const own = await join(1);
  await ask("decline", 2, { wanted: own });
  assert.equal(await ip("discover", 1), own, "a stranger's word does not count");
  await ask("decline", 1, { wanted: own });
  assert.ok(events.includes("dhcp:decline"));
  const next = await join(1);
  assert.notEqual(next, own);
  assert.notEqual(await ip("discover", 2), own);
  clock.now += DECLINED_FOR;
  assert.equal(await join(3, { wanted: own }), own);
});

Deno.test("RELEASE takes a device offline and leaves it its address", async () => {
  const { router, ask, join } = await start();
  await using _ = router;
  const own = await join(1);
  const leases = () => router.json<{ items: Record<string, unknown>[] }>("GET", "/dhcp/leases");
  assert.equal((await leases()).items[0]?.online, true);
  await ask("release", 1, { wanted: "192.168.2.250" });
  assert.equal((await leases()).items[0]?.online, true, "of another address");
  await ask("release", 1, { wanted: own });
  assert.equal((await leases()).items[0]?.online, false);
  assert.equal(await join(1), own);
});

Deno.test("INFORM of a known device is answered, of a stranger it is not", async () => {
  const { router, ip, join, devices } = await start();
  await using _ = router;
  const own = await join(1);
  assert.equal(await ip("inform", 1), own);
  assert.equal(await ip("inform", 2), null);
  assert.equal(Object.keys(await devices()).length, 1);
});

Deno.test("two cards with one client identifier are two devices", async () => {
  const { router, join } = await start();
  await using _ = router;
  const clientId = "duid:00020000ab11";
  assert.notEqual(await join(1, { clientId }), await join(2, { clientId }));
});

Deno.test("a host name reaches a device as one line of text", async () => {
  const { router, ask, join } = await start();
  await using _ = router;
  for (const [card, name] of ["a\r\nb", "<img src=x>", "\0\0", "x".repeat(255)].entries()) {
    await join(card + 1, { name });
  }
  const names = Object.values(
    await router.json<Record<string, { Name: string }>>("GET", "/devices"),
  )
    .map(({ Name }) => Name);
  assert.deepEqual(names, ["ab", "<img src=x>", "", "x".repeat(63)]);
  assert.equal((await ask("discover", 9, { name: "x".repeat(5000) })).status, 400);
});

Deno.test("no address is offered or leased on an uplink", async () => {
  const { router, ask } = await start();
  await using _ = router;
  for (const kind of ["discover", "request", "decline"] as const) {
    assert.equal((await ask(kind, 1, { link: "wan0", wanted: "192.168.2.2" })).status, 400, kind);
  }
});

Deno.test("GET /dhcp/leases and /dhcp/pools say who is where, until when, and how full it is", async () => {
  const { router, clock, join } = await start({ files: SMALL });
  await using _ = router;
  await join(1, { name: "tv" });
  await join(2, { link: "lan1" });
  assert.deepEqual(await router.json("GET", "/dhcp/leases"), {
    items: [[mac(1), "192.168.2.2", "lan0", "tv"], [mac(2), "192.168.2.6", "lan1", ""]].map(
      ([identity, address, link, name]) => ({
        identity,
        address,
        link,
        since: clock.now,
        until: clock.now + 3_600_000,
        name,
        online: true,
      }),
    ),
  });
  assert.deepEqual(await router.json("GET", "/dhcp/pools"), {
    items: [{ net: "192.168.2.0/24", size: 64, used: 2 }],
  });
});

Deno.test("at 80 % of the addresses there is one notice, and none when a network is added", async () => {
  const { router, join } = await start({ files: SMALL });
  await using _ = router;
  const notices = async () =>
    (await router.json<{ items: { kind: string }[] }>("GET", "/notices")).items.map((one) =>
      one.kind
    );
  for (let card = 1; card < 52; card++) await join(card);
  assert.deepEqual(await notices(), []);
  await join(52);
  await join(53);
  assert.deepEqual(await notices(), ["addresses-scarce"]);
  await router.json("PUT", "/subnetConfig", {
    body: { TinyNets: ["192.168.2.0/24", "192.168.3.0/24"], LeaseTime: "1h0m0s" },
  });
  await join(54);
  assert.deepEqual(await notices(), []);
});

Deno.test("another server on a link is a notice until an admin confirms, also across a restart", async () => {
  const { router } = await start();
  await using _ = router;
  const notices = async () =>
    (await router.json<{ items: { kind: string; data: unknown }[] }>("GET", "/notices")).items;
  const report = async (server: string): Promise<unknown> =>
    await (await router.inside("dhcp", "PUT", "/foreignServer", { link: "lan1", server })).json();
  assert.deepEqual(await report("192.168.2.1"), { foreign: false }, "that is us");
  assert.deepEqual(await report("10.0.0.138"), { foreign: true });
  const [notice, ...others] = await notices();
  assert.deepEqual([notice?.kind, notice?.data, others], [
    "dhcp-foreign-server",
    { subject: "lan1", link: "lan1", server: "10.0.0.138" },
    [],
  ]);
  assert.equal((await router.ask("PUT", "/dhcp/serve", { body: { link: "wan0" } })).status, 400);
  assert.equal((await router.ask("PUT", "/dhcp/serve", { body: { link: "lan1" } })).status, 200);
  assert.deepEqual(await notices(), []);
  const confirmed = async (one: TestRouter): Promise<string[]> =>
    (await (await one.inside("dhcp", "GET", "/snapshot")).json()).confirmed;
  assert.deepEqual(await confirmed(router), ["lan1"]);
  const again = await router.reopen();
  assert.deepEqual(await confirmed(again), ["lan1"]);
  await again.close();
});
