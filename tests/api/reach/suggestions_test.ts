import assert from "node:assert/strict";
import type { ReachAnswer } from "../../../system/reach/schema.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const TABLET = "02:00:00:00:00:0a";
const PRINTER = "02:00:00:00:00:0b";

async function withTwo(router: TestRouter): Promise<void> {
  for (const [MAC, Name] of [[TABLET, "tablet"], [PRINTER, "printer"]]) {
    const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC, Iface: "lan0", Name });
    assert.equal(lease.status, 200, await lease.text());
  }
}

async function set(router: TestRouter, method: string, path: string, body: unknown): Promise<void> {
  const answer = await router.ask(method, path, { body });
  assert.equal(answer.status, 200, `${method} ${path} ${await answer.text()}`);
}

/** A question as the query has it: from, to, protocol, port. */
type Question = readonly [string, string, string, string];

async function ask(router: TestRouter, question: Question, suggest = true): Promise<ReachAnswer> {
  const [from, to, protocol, port] = question;
  const query = new URLSearchParams({ from, to, protocol, port, suggest: String(suggest) });
  return await router.json("GET", `/reach?${query}`);
}

/** Writes each suggestion, checks that it changes the answer, and undoes it. */
async function applied(router: TestRouter, question: Question): Promise<readonly string[]> {
  const before = await ask(router, question);
  for (const { method, path, body, to } of before.suggestions!) {
    const answer = await router.ask(method, `${path}${path.includes("?") ? "&" : "?"}force=true`, {
      body,
    });
    assert.ok(answer.ok, `${method} ${path} ${await answer.text()}`);
    const id = answer.headers.get("change-id");
    const then = await ask(
      router,
      [question[0], to ?? question[1], question[2], question[3]],
      false,
    );
    assert.notEqual(then.verdict === "accept", before.verdict === "accept", `${method} ${path}`);
    await set(router, "PUT", `/changes/${id}/undo?force=true`, undefined);
  }
  const costs = before.suggestions!.map(({ allows, denies }) => allows + denies);
  assert.deepEqual(costs, costs.toSorted((a, b) => a - b), "least access first");
  return before.suggestions!.map(({ summary }) => summary);
}

Deno.test("GET /reach?suggest lists changes between two devices, least access first, and each holds", async () => {
  await using router = await testRouter();
  await withTwo(router);
  const question = [TABLET, PRINTER, "tcp", "631"] as const;
  assert.deepEqual((await applied(router, question)).toSorted(), [
    "Create group tablet-with-printer with tablet and printer",
    "Turn on LAN access for tablet",
  ]);
  await set(router, "PUT", `/device?identity=${TABLET}`, { DeviceTags: ["office"] });
  const tagged = await ask(router, question);
  assert.equal(tagged.suggestions![0]!.summary, "Allow tag office to reach printer on tcp 631");
  assert.equal(tagged.suggestions![0]!.sideEffects, "nothing else");
  await set(router, "PUT", "/devices/bulk", { Identities: [TABLET, PRINTER], Groups: ["office"] });
  const open = await applied(router, question);
  assert.ok(open.includes("Block tcp 631 from tablet to printer"), open.join());
  assert.ok(open.includes("Remove tablet from group office"), open.join());
  await set(router, "PUT", "/firewall/block_forward", {
    Protocol: "tcp",
    SrcIP: "192.168.0.0/16",
    DstIP: (await ask(router, question)).to.address,
    DstPort: "600-700",
  });
  assert.match((await applied(router, question)).join(), /^Delete block rule tcp 192.168.0.0/);
});

Deno.test("GET /reach?suggest lists changes for the Internet, the router and inbound connections", async () => {
  await using router = await testRouter();
  await withTwo(router);
  // Beside a tag: an endpoint opens one address, never the Internet.
  await set(router, "PUT", `/device?identity=${TABLET}`, { DeviceTags: ["office"] });
  assert.deepEqual(await applied(router, [TABLET, "internet", "tcp", "443"]), [
    "Turn on Internet for tablet",
  ]);
  assert.deepEqual(await applied(router, [TABLET, "router", "tcp", "443"]), [
    "Turn on Admin access for tablet",
  ]);
  assert.match(
    (await applied(router, [TABLET, "router", "tcp", "8443"])).join(),
    /Open router port 8443 to the LAN/,
  );
  assert.deepEqual(await applied(router, ["internet", "router", "tcp", "443"]), [
    "Open router port 443 to the WAN",
  ]);
  assert.deepEqual(await applied(router, ["internet", PRINTER, "tcp", "631"]), [
    "Forward tcp 631 from the WAN to printer",
  ]);
  await set(router, "PUT", `/device?identity=${TABLET}`, { Policies: ["wan", "quarantine"] });
  assert.deepEqual(await applied(router, [TABLET, "internet", "tcp", "443"]), [
    "Turn off Quarantine for tablet",
  ]);
  await set(router, "PUT", `/device?identity=${TABLET}`, { Policies: ["wan", "dns"] });
  const no = await applied(router, [TABLET, "internet", "tcp", "443"]);
  assert.ok(no.includes("Turn off Internet for tablet"), no.join());
  assert.equal(
    (await ask(router, [TABLET, "internet", "tcp", "443"], false)).suggestions,
    undefined,
  );
});
