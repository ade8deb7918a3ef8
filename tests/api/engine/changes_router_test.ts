import assert from "node:assert/strict";
import type { Flow } from "../../../system/core/kernel/host.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const TABLET = mac(1);
const PHONE = mac(2);

async function join(router: TestRouter, identity: string, policies: string[]): Promise<string> {
  await router.json("PUT", `/device?identity=${identity}`, { body: { Policies: policies } });
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", {
    MAC: identity,
    Iface: "lan0",
  });
  return (await lease.json()).IP;
}

/** A connection to the outside as the kernel tracks it: the reply comes to the uplink's address. */
function masqueraded(source: string): Flow {
  return {
    protocol: "tcp",
    source,
    destination: "198.51.100.9",
    sport: 40000,
    dport: 443,
    replySource: "198.51.100.9",
    replyDestination: "203.0.113.2",
    replySport: 443,
    replyDport: 40000,
  };
}

Deno.test("a device that loses the Internet loses its running connections, others keep theirs", async () => {
  await using router = await testRouter();
  const tablet = await join(router, TABLET, ["wan", "dns"]);
  const phone = await join(router, PHONE, ["wan", "dns"]);
  router.host.track(masqueraded(tablet), masqueraded(phone));
  await router.json("PUT", `/device?identity=${TABLET}`, { body: { Name: "renamed" } });
  assert.equal(router.host.tracked().length, 2);
  await router.json("PUT", `/device?identity=${TABLET}`, { body: { Policies: ["dns"] } });
  assert.deepEqual(router.host.tracked().map((flow) => flow.source), [phone]);
});

Deno.test("the history of one device has its changes alone, page by page", async () => {
  await using router = await testRouter();
  for (const [identity, Name] of [[TABLET, "one"], [PHONE, "other"], [TABLET, "two"]]) {
    await router.json("PUT", `/device?identity=${identity}`, { body: { Name } });
  }
  const page = (after = "") =>
    router.json<{ items: { id: string; summary: string }[]; next: string | null }>(
      "GET",
      `/changes?device=${encodeURIComponent(TABLET)}&limit=1${after}`,
    );
  const first = await page();
  const second = await page(`&after=${first.next}`);
  assert.deepEqual([first, second].map(({ items }) => items.length), [1, 1]);
  assert.notEqual(first.items[0]!.id, second.items[0]!.id);
  assert.equal(second.next, null);
  assert.deepEqual((await router.json<{ items: unknown[] }>("GET", "/changes?device=x")).items, []);
});

Deno.test("the confirm token of a window keeps its change and opens nothing else", async () => {
  await using router = await testRouter();
  const write = await router.ask("PUT", `/device?identity=${TABLET}`, {
    body: { Name: "tablet" },
    headers: { "confirm-within": "60" },
  });
  await write.body?.cancel();
  const id = write.headers.get("change-id");
  const as = `Bearer ${write.headers.get("confirm-token")}`;
  const status = async (method: string, path: string, by: string | null): Promise<number> => {
    const answer = await router.ask(method, path, { as: by });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await status("GET", "/devices", as), 401);
  assert.equal(await status("PUT", `/changes/${id}/undo`, as), 401);
  assert.equal(await status("PUT", `/changes/${id}/confirm`, null), 401);
  assert.equal(await status("PUT", `/changes/${id}/confirm`, "Bearer wrong"), 401);
  assert.equal(await status("PUT", `/changes/${id}/confirm`, as), 200);
  assert.equal(await status("PUT", `/changes/${id}/confirm`, as), 401);
  assert.deepEqual(await router.json("GET", "/changes/window"), { window: null });
});

Deno.test("a device that administers the router cannot lock itself out by accident", async () => {
  await using router = await testRouter();
  const tablet = await join(router, TABLET, ["wan", "dns"]);
  const [gateway] = router.engine.desired.addresses.filter(({ link }) => link === "lan0");
  const peer = {
    source: tablet,
    local: { address: gateway!.address.split("/")[0]!, port: 80 },
  };
  const put = async (query: string): Promise<number> => {
    const answer = await router.ask("PUT", `/device?identity=${TABLET}${query}`, {
      body: { Policies: ["noapi"] },
      peer,
    });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await put(""), 409);
  assert.deepEqual(router.engine.config.devices[TABLET]!.Policies, ["wan", "dns"]);
  assert.equal(await put("&force=true"), 200);
});

Deno.test("GET /events sends changes to a signed-in caller, and 401 without credentials", async () => {
  await using router = await testRouter();
  const refused = await router.ask("GET", "/events", { as: null });
  assert.equal(refused.status, 401);
  await refused.body?.cancel();
  const answer = await router.ask("GET", "/events?topics=devices");
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  await router.json("PUT", `/device?identity=${TABLET}`, { body: { Name: "tablet" } });
  const { value } = await reader.read();
  assert.match(value ?? "", /event: devices\n/);
  assert.equal(value!.includes(TABLET), true);
  await reader.cancel();
});
