import assert from "node:assert/strict";
import type { Peer } from "../../../routes/http/peer.ts";
import { callerPathChange } from "../../../system/core/engine/kernel/lockout.ts";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import { type Ask, type TestRouter, testRouter } from "../../kit/router.ts";

/** A caller beside the uplink's address. */
const OUTSIDE: Partial<Peer> = {
  source: "203.0.113.50",
  local: { address: "203.0.113.2", port: 80 },
};
const MOVE = { Name: "wan0", IP: "198.51.100.9/24", Router: "198.51.100.1" };

async function move(router: TestRouter, query = "", more: Ask = {}): Promise<Response> {
  return await router.ask("PUT", `/uplink/ip${query}`, { body: MOVE, peer: OUTSIDE, ...more });
}

async function hasAddress(router: TestRouter, address: string): Promise<boolean> {
  return (await router.host.facts()).addresses.some((one) => one.address === address);
}

/** Waits for the change that was answered early. */
async function settled(router: TestRouter): Promise<void> {
  await router.engine.observe((seen) => seen);
}

Deno.test("a change of the caller's own address needs a window or force, and names it", async () => {
  await using router = await testRouter();
  const refused = await move(router);
  assert.equal(refused.status, 409);
  assert.equal((await refused.json()).uses, "the address 203.0.113.2");
  const elsewhere = await move(router, "", { peer: { source: "127.0.0.1" } });
  assert.equal(elsewhere.status, 200, "who does not use it needs no more");
});

Deno.test("with force it answers 202 and its id before it is applied, without a body", async () => {
  await using router = await testRouter();
  const answer = await move(router, "?force=true");
  assert.equal(answer.status, 202);
  assert.equal(await answer.text(), "");
  assert.equal(answer.headers.get("content-type"), null);
  const id = answer.headers.get("change-id");
  assert.ok(id);
  assert.equal(await hasAddress(router, "203.0.113.2/24"), true, "nothing has moved yet");
  await settled(router);
  assert.equal(await hasAddress(router, "198.51.100.9/24"), true);
  const change = await router.json<{ state: string }>("GET", `/changes/${id}`);
  assert.ok(["committed", "written"].includes(change.state), change.state);
});

Deno.test("under a window it answers 202 with the confirm token, and goes back by itself", async () => {
  let boot = 1000;
  await using router = await testRouter({ engine: { bootClock: () => boot } });
  const answer = await move(router, "", { headers: { "confirm-within": "30" } });
  await answer.body?.cancel();
  assert.equal(answer.status, 202);
  assert.ok(answer.headers.get("confirm-token"));
  assert.ok(Number(answer.headers.get("confirm-until")) > Date.now());
  await settled(router);
  assert.equal(await hasAddress(router, "198.51.100.9/24"), true);
  boot += 31;
  await router.engine.tick();
  assert.equal(await hasAddress(router, "203.0.113.2/24"), true);
});

Deno.test("what fails after its 202 leaves the old state, and a notice with the tool's words", async () => {
  await using router = await testRouter();
  let refuse = true;
  router.host.fail = (step) => refuse && step.kind === "ip" ? { when: "before" } : null;
  const answer = await move(router, "?force=true");
  await answer.body?.cancel();
  assert.equal(answer.status, 202);
  await settled(router);
  refuse = false;
  await router.engine.tick();
  assert.equal(await hasAddress(router, "203.0.113.2/24"), true);
  const notices = await router.json<{ items: { kind: string; detail: string }[] }>(
    "GET",
    "/notices",
  );
  const notice = notices.items.find(({ kind }) => kind === "change-not-applied");
  assert.match(notice?.detail ?? "", /made to fail/);
});

Deno.test("many writes at once: the one that changes its caller's way goes alone", async () => {
  await using router = await testRouter();
  const answers = await Promise.all([
    router.ask("PUT", "/groups", { body: { Name: "a" } }),
    move(router, "?force=true"),
    router.ask("PUT", "/groups", { body: { Name: "b" } }),
  ]);
  for (const answer of answers) await answer.body?.cancel();
  assert.deepEqual(answers.map(({ status }) => status), [200, 202, 200]);
  await settled(router);
  assert.equal(await hasAddress(router, "198.51.100.9/24"), true);
});

function state(changes: Partial<Desired>): Desired {
  return {
    ruleset: { tables: [] },
    links: [{ name: "lan0", create: null, up: true }],
    addresses: [{ link: "lan0", address: "192.168.2.5/30" }, {
      link: "wan0",
      address: "203.0.113.2/24",
    }],
    routes: [{ destination: "default", via: "203.0.113.1", link: "wan0" }],
    neighbours: [],
    forwarding: true,
    ...changes,
  };
}

Deno.test("a caller's own way: its address, its link, its route back, and nothing else", async () => {
  const ask = (
    after: Partial<Desired>,
    source = "192.168.2.6",
    destination = "192.168.2.5",
    link: string | null = "lan0",
  ) =>
    callerPathChange({
      by: "admin",
      from: source,
      connection: { source, destination, port: 80 },
    }, { before: state({}), after: state(after), routeTo: () => Promise.resolve(link) });
  const addresses = state({}).addresses;
  assert.equal(await ask({}), null);
  assert.equal(await ask({ addresses: addresses.slice(1) }), "the address 192.168.2.5");
  assert.equal(await ask({ addresses: addresses.slice(0, 1) }), null, "another link's address");
  assert.equal(
    await ask({ links: [{ name: "lan0", create: null, up: false }] }),
    "the link lan0",
  );
  assert.equal(await ask({ links: [] }), "the link lan0");
  const far = ["198.51.100.7", "203.0.113.2", "wan0"] as const;
  assert.equal(await ask({ routes: [] }, ...far), "the route back to 198.51.100.7");
  assert.equal(await ask({ routes: [] }, "203.0.113.50", "203.0.113.2", "wan0"), null, "beside it");
  assert.equal(await ask({ links: [] }, "127.0.0.1"), null, "the machine itself");
  assert.equal(await ask({ links: [] }, "10.0.0.1", "10.0.0.2", "lan0"), null, "not our address");
});
