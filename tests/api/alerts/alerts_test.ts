import assert from "node:assert/strict";
import { eventually } from "../../kit/eventually.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

interface Rule {
  readonly RuleId: string;
  readonly Name: string;
  readonly Disabled: boolean;
  readonly Conditions: readonly unknown[];
}

const RULE = {
  Name: "failures",
  TopicPrefix: "auth:failure",
  Conditions: [{ JPath: '$[?(@.type=="user")]' }],
  Actions: [{
    StoreAlert: true,
    SendNotification: true,
    BucketSuffix: "user",
    MessageTitle: "Sign-in of {{name}}",
    MessageBody: "{{reason}}",
    GrabEvent: true,
  }],
};

function fail({ bus }: TestRouter, type = "user", name = "admin"): void {
  bus.publish("auth:failure", { type, name, reason: "bad password", ip: "", addr: "" });
}

async function inbox(router: TestRouter, kind: string) {
  const { items } = await router.json<
    { items: { id: string; kind: string; detail: string; count: number }[] }
  >("GET", "/notices");
  return items.filter((notice) => notice.kind === kind);
}

Deno.test("rules are added, changed by index or id, and deleted; each responds with all", async () => {
  const router = await testRouter({ files: { "base/alerts.json": [] } });
  assert.deepEqual(await router.json("GET", "/alerts"), []);
  const put = (path: string, body: unknown) => router.json<Rule[]>("PUT", path, { body });
  const [first] = await put("/alerts", { ...RULE, RuleId: "mine" });
  assert.match(first!.RuleId, /^[0-9a-f-]{36}$/);
  const both = await put("/alerts", { ...RULE, Name: "second" });
  assert.deepEqual(both.map(({ Name }) => Name), ["failures", "second"]);
  const changed = await put("/alerts/0", { Disabled: true, Conditions: [] });
  assert.deepEqual(changed[0], { ...first, Disabled: true, Conditions: [] });
  const byId = await put(`/alerts/${first!.RuleId}`, { Name: "by its id" });
  assert.equal(byId[0]!.Name, "by its id");
  const replaced = await put("/alerts", { ...RULE, RuleId: first!.RuleId });
  assert.deepEqual([replaced.length, replaced[0]!.Disabled], [2, false]);
  const added = await put("/alerts/7", { ...RULE, Name: "third" });
  assert.equal(added[2]!.Name, "third");
  const left = await router.json<Rule[]>("DELETE", "/alerts/1", { body: {} });
  assert.deepEqual(left.map(({ Name }) => Name), ["failures", "third"]);
  assert.equal((await router.ask("DELETE", "/alerts/9")).status, 404);
  await using again = await router.reopen();
  assert.deepEqual(await again.json("GET", "/alerts"), left);
});

Deno.test("a rule that cannot work is refused, with a pointer", async () => {
  await using router = await testRouter();
  for (
    const [bad, pointer] of [
      [{ TopicPrefix: "" }, "/TopicPrefix"],
      [{ TopicPrefix: "alert:" }, "/TopicPrefix"],
      [{ TopicPrefix: "auth:*" }, "/TopicPrefix"],
      [{ Name: "" }, "/Name"],
      [{ Actions: [] }, "/Actions"],
      [{ Conditions: [{ JPath: "" }] }, "/Conditions/0/JPath"],
      [{ Conditions: [{ JPath: "$[?(" }] }, "/Conditions/0/JPath"],
      [{ Actions: [{ GrabFields: ["/(/"] }] }, "/Actions/0/GrabFields/0"],
    ] as const
  ) {
    const response = await router.ask("PUT", "/alerts", { body: { ...RULE, ...bad } });
    const { errors } = await response.json();
    assert.deepEqual([response.status, errors[0].pointer], [400, pointer]);
  }
});

Deno.test("an alert is stored, is one notice that counts, and is resolved there", async () => {
  await using router = await testRouter({ files: { "base/alerts.json": [RULE] } });
  const received: unknown[] = [];
  router.bus.subscribe((event) => received.push(event), ["alert:auth:failure:user"]);
  fail(router);
  fail(router);
  fail(router, "token");
  const notice = await eventually("a notice", async () => {
    const [first] = await inbox(router, "alert");
    assert.ok(first);
    return first;
  });
  assert.deepEqual([notice.detail, notice.count], ["Sign-in of admin: bad password", 2]);
  const stored = await router.json<{ Title: string; Event: { name: string } }[]>(
    "GET",
    "/plugins/db/items/alert:auth:failure:user",
  );
  assert.equal(stored.length, 2);
  assert.deepEqual(
    [stored[0]!.Title, stored[0]!.Event.name],
    ["Sign-in of {{name}}", "admin"],
  );
  assert.equal(received.length, 2);
  await router.ask("PUT", `/notices/${notice.id}/resolve`);
  assert.deepEqual(await inbox(router, "alert"), []);
});

Deno.test("a rule that does not store leaves nothing behind", async () => {
  const Actions = [{ SendNotification: true, StoreAlert: false }];
  await using router = await testRouter({ files: { "base/alerts.json": [{ ...RULE, Actions }] } });
  const received = Promise.withResolvers<void>();
  router.bus.subscribe(() => received.resolve(), ["alert:auth:failure:"]);
  fail(router);
  await received.promise;
  const buckets = await router.json<string[]>("GET", "/plugins/db/buckets");
  assert.ok(!buckets.some((name) => name.startsWith("alert:auth")));
  assert.deepEqual(await inbox(router, "alert"), []);
});

Deno.test("a rule is tried on the events of the last day before it is saved", async () => {
  await using router = await testRouter({ files: { "base/alerts.json": [] } });
  for (const name of ["admin", "other", "admin"]) fail(router, "user", name);
  fail(router, "token");
  const Conditions = [{ JPath: '$[?(@.name=="admin" && @.type=="user")]' }];
  const trial = await router.json<{ items: { title: string; body: string }[] }>(
    "PUT",
    "/alerts/try",
    { body: { ...RULE, Conditions, Disabled: true } },
  );
  const { items, ...numbers } = trial;
  assert.deepEqual(numbers, { looked: 4, matched: 2, complete: true });
  assert.deepEqual([items[0]!.title, items[0]!.body], ["Sign-in of admin", "bad password"]);
  assert.deepEqual(await router.json("GET", "/alerts"), []);
});

Deno.test("a new device is a notice that one call decides about", async () => {
  await using router = await testRouter();
  const acts = ["allow", "guest", "block"];
  const cards = acts.map((_, n) => `02:00:00:00:0a:0${n}`);
  for (const MAC of cards) {
    await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC, Iface: "lan0" });
  }
  const waiting = await eventually("three notices", async () => {
    const list = await inbox(router, "new-device");
    assert.equal(list.length, 3);
    return list;
  });
  assert.match(waiting[0]!.detail, /is new on lan0: no access until you decide/);
  for (const [n, act] of acts.entries()) {
    const notice = waiting.find(({ detail }) => detail.startsWith(cards[n]!))!;
    const call = `/notices/${notice.id}/act/${act}`;
    const preview = await router.ask("PUT", `${call}?dryRun`);
    assert.equal(preview.status, 200, await preview.text());
    assert.equal((await router.ask("PUT", call)).status, 200);
    await eventually("it is resolved", async () => {
      assert.ok((await inbox(router, "new-device")).every(({ id }) => id !== notice.id));
    });
    assert.equal((await router.ask("PUT", call)).status, 409);
  }
  // Two people open the link of one message.
  const MAC = "02:00:00:00:0a:07";
  await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC, Iface: "lan0" });
  const shared = await eventually("a notice", async () => {
    const [first] = await inbox(router, "new-device");
    assert.ok(first);
    return first;
  });
  const both = await Promise.all(
    ["block", "allow"].map((act) => router.ask("PUT", `/notices/${shared.id}/act/${act}`)),
  );
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409], "the first decides");
  const devices = await router.json<
    Record<string, { Policies: string[]; DeviceExpiration: number; DeviceDisabled: boolean }>
  >("GET", "/devices");
  assert.deepEqual(devices[cards[0]!]!.Policies, ["wan", "dns", "noapi"]);
  assert.ok(devices[cards[1]!]!.DeviceExpiration > Date.now() / 1000 + 80_000);
  assert.equal(devices[cards[2]!]!.DeviceDisabled, true);
});

Deno.test("the notice of a new device goes with any decision, and with the device", async () => {
  await using router = await testRouter();
  const cards = ["02:00:00:00:0a:01", "02:00:00:00:0a:02"];
  for (const MAC of cards) {
    await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC, Iface: "lan0" });
  }
  await eventually("two notices", async () => {
    assert.equal((await inbox(router, "new-device")).length, 2);
  });
  await router.json("PUT", `/device?identity=${cards[0]}`, { body: { Policies: ["dns"] } });
  await router.ask("DELETE", `/device?identity=${cards[1]}`);
  await eventually("none is left", async () => {
    assert.deepEqual(await inbox(router, "new-device"), []);
  });
  const other = await router.json<{ items: { id: string }[] }>("GET", "/notices?all=true");
  const [first] = other.items;
  assert.equal((await router.ask("PUT", `/notices/${first!.id}/act/allow`)).status, 409);
  assert.equal((await router.ask("PUT", "/notices/none/act/allow")).status, 404);
  assert.equal((await router.ask("PUT", `/notices/${first!.id}/act/else`)).status, 400);
});
