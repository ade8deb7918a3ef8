import assert from "node:assert/strict";
import type { Preview } from "../../../system/core/engine/change.ts";
import type { Peer } from "../../../routes/http/peer.ts";
import { type Ask, basic, type TestRouter, testRouter } from "../../kit/router.ts";

const TABLET = "02:00:00:00:00:0a";

interface Problem {
  readonly status: number;
  readonly detail: string;
  readonly [member: string]: unknown;
}

/** A device with an address that may administer the router, and where it calls from. */
async function tablet(router: TestRouter): Promise<Partial<Peer>> {
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", {
    MAC: TABLET,
    Iface: "lan0",
    Name: "tablet",
  });
  const { IP, RouterIP } = await lease.json();
  await router.json("PUT", `/device?identity=${TABLET}`, {
    body: { Policies: ["wan"], AdminAccess: true },
  });
  return { source: IP, local: { address: RouterIP, port: 80 } };
}

function dry(router: TestRouter, method: string, path: string, ask: Ask): Promise<Preview> {
  const query = path.includes("?") ? "&dryRun=true" : "?dryRun=true";
  return router.json<Preview>(method, `${path}${query}`, ask);
}

/** What the preview of a write says against it is, word for word, what the write itself meets. */
async function assertForetold(
  router: TestRouter,
  [method, path]: readonly [string, string],
  ask: Ask,
): Promise<Preview["refusals"]> {
  const { refusals } = await dry(router, method, path, ask);
  const answer = await router.ask(method, path, ask);
  const [first] = refusals;
  if (first === undefined) {
    await answer.body?.cancel();
    assert.ok(answer.ok, `${path} was foretold to pass, and is ${answer.status}`);
    return refusals;
  }
  const problem = await answer.json() as Problem;
  assert.equal(answer.status, 409);
  assert.equal(problem.detail, first.detail);
  for (const [name, value] of Object.entries(first.members)) {
    assert.deepEqual(problem[name], JSON.parse(JSON.stringify(value)), name);
  }
  return refusals;
}

Deno.test("a preview says that the caller would be locked out, and by which rule", async () => {
  await using router = await testRouter();
  const peer = await tablet(router);
  const refusals = await assertForetold(router, ["PUT", `/device?identity=${TABLET}`], {
    body: { Policies: ["wan", "noapi"] },
    peer,
  });
  assert.deepEqual(refusals.map(({ kind }) => kind), ["lockout"]);
  assert.match(refusals[0]?.detail ?? "", /^This would lock you out/);
  assert.ok(refusals[0]?.members["rule"]);
});

Deno.test("a preview names every test of reach that would break, and all else that stands against it", async () => {
  await using router = await testRouter();
  const peer = await tablet(router);
  const test = { From: TABLET, Protocol: "tcp", Expect: "accept" };
  for (const [Name, To, Port] of [["web", "internet", "443"], ["mail", "internet", "25"]]) {
    const kept = await router.ask("PUT", "/reach/tests", { body: { ...test, Name, To, Port } });
    await kept.body?.cancel();
    assert.equal(kept.status, 200);
  }
  const refusals = await assertForetold(router, ["PUT", `/device?identity=${TABLET}`], {
    body: { Policies: ["noapi"] },
    peer,
  });
  assert.deepEqual(refusals.map(({ kind }) => kind), ["guard", "lockout"]);
  const { detail, members } = refusals[0]!;
  assert.match(
    detail,
    /^This would break the access test "web": .*, and 1 other test as well\. Confirm/,
  );
  const tests = members["tests"] as { name: string; text: string }[];
  assert.deepEqual(tests.map(({ name }) => name), ["web", "mail"]);
  assert.match(tests[1]?.text ?? "", /must reach the Internet;/);
});

Deno.test("a preview says that the caller's own way would change", async () => {
  await using router = await testRouter();
  const peer = { source: "203.0.113.50", local: { address: "203.0.113.2", port: 80 } };
  const body = { Name: "wan0", IP: "198.51.100.9/24", Router: "198.51.100.1" };
  const refusals = await assertForetold(router, ["PUT", "/uplink/ip"], { body, peer });
  assert.ok(refusals.some(({ kind }) => kind === "path"), JSON.stringify(refusals));
  const path = refusals.find(({ kind }) => kind === "path");
  assert.equal(path?.members["uses"], "the address 203.0.113.2");
});

Deno.test("an open window stands against every write but its own end, also with force", async () => {
  await using router = await testRouter();
  const tried = await router.ask("PUT", "/groups", {
    body: { Name: "kids" },
    headers: { "confirm-within": "60" },
  });
  await tried.body?.cancel();
  const id = tried.headers.get("change-id");
  const body = { Name: "media" };
  const refusals = await assertForetold(router, ["PUT", "/groups"], { body });
  assert.deepEqual(refusals.map(({ kind, members }) => [kind, members["change"]]), [[
    "window",
    id,
  ]]);
  const forced = await dry(router, "PUT", "/groups?force=true", { body });
  assert.deepEqual(forced.refusals.map(({ kind }) => kind), ["window"]);
  const undone = await router.json<Preview>("PUT", `/changes/${id}/undo?dryRun=true`);
  assert.deepEqual(undone.refusals, []);
});

Deno.test("nothing stands against a change under a window or by force, nor against one of nothing", async () => {
  await using router = await testRouter();
  const peer = await tablet(router);
  const path = `/device?identity=${TABLET}`;
  const ask: Ask = { body: { Policies: ["noapi"] }, peer };
  for (
    const [query, headers] of [["&force=true", {}], ["", { "confirm-within": "60" }]] as const
  ) {
    assert.deepEqual(
      (await dry(router, "PUT", `${path}${query}`, { ...ask, headers })).refusals,
      [],
    );
  }
  assert.deepEqual(
    await assertForetold(router, ["PUT", path], { body: { Policies: ["wan"] }, peer }),
    [],
  );
});

Deno.test("a refused preview discloses no secret", async () => {
  await using router = await testRouter();
  const peer = await tablet(router);
  const answer = await router.ask("PUT", `/device?identity=${TABLET}&dryRun=true`, {
    body: { Policies: ["noapi"], PSKEntry: { Type: "sae", Psk: "a secret password" } },
    peer,
    as: basic(),
  });
  const text = await answer.text();
  assert.match(text, /lock you out/);
  assert.doesNotMatch(text, /a secret password/);
});
