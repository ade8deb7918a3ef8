import assert from "node:assert/strict";
import type { AlertChannelShown, ChannelState } from "../../../system/alerts/channels/schema.ts";
import type { DeliveryPlan } from "../../../system/alerts/delivery/plan_schema.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { eventually } from "../../kit/eventually.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const CHANNELS = "/alerts/channels";
const WEBHOOK = {
  name: "hook",
  kind: "webhook",
  url: "https://hooks.example/services/T0/xyzzy?a=b",
  secret: "a secret of the hook",
};
const NTFY = {
  ...{ name: "phone", kind: "ntfy", url: "https://ntfy.example", topic: "hidden-topic-1" },
  token: "tk_hidden_token",
};
const MAIL = {
  ...{ name: "mail", kind: "email", host: "mail.example", user: "anna" },
  ...{ password: "hidden mail password", from: "router@example.org", to: ["anna@example.org"] },
};
const PUSH = {
  ...{ name: "Firefox", kind: "push", url: "https://push.example/wpush/v2/endpoint-1" },
  ...{ browserKey: "B".repeat(87), auth: "hidden-auth-1234567890" },
};
const SECRETS = [
  ...["xyzzy", "a secret of the hook", "hidden-topic-1", "tk_hidden_token"],
  ...["hidden mail password", "endpoint-1", "hidden-auth-1234567890"],
];

const put = (router: TestRouter, body: unknown) => router.ask("PUT", CHANNELS, { body });
const list = (router: TestRouter) => router.json<AlertChannelShown[]>("GET", CHANNELS);

async function add(router: TestRouter, body: unknown): Promise<AlertChannelShown> {
  const all = await router.json<AlertChannelShown[]>("PUT", CHANNELS, { body });
  return all.at(-1)!;
}

/** A router whose network counts as applied. */
const applied = (files = {}): Promise<TestRouter> => {
  const links = ["lo", "wan0", "lan0", "lan1"];
  const host = Object.defineProperty(memoryHost({ links }), "kind", { value: "linux" });
  return testRouter({ host, files: { "base/alerts.json": [], ...files } });
};
const plan = async (router: TestRouter): Promise<DeliveryPlan> =>
  await (await router.inside("notify", "GET", "/plan")).json();
const states = (router: TestRouter) => router.json<ChannelState[]>("GET", "/alerts/deliveries");

async function report(router: TestRouter, body: unknown): Promise<void> {
  const answer = await router.inside("notify", "PUT", "/result", body);
  assert.equal(answer.status, 200, await answer.text());
}

const RULE = {
  Name: "failures",
  TopicPrefix: "auth:failure",
  Actions: [{ SendNotification: true, MessageTitle: "Sign-in of {{name}}{{nothing.there}}" }],
};
const fail = ({ bus }: TestRouter, name: string) =>
  bus.publish("auth:failure", { type: "user", name, reason: "bad", ip: "", addr: "" });

Deno.test("channels are added, replaced and deleted, and can be previewed and undone", async () => {
  await using router = await testRouter();
  assert.deepEqual(await list(router), []);
  const hook = await add(router, WEBHOOK);
  assert.match(hook.id, /^[0-9a-f-]{36}$/);
  assert.deepEqual([hook.url, hook.secret, hook.enabled], ["https://hooks.example/**", "**", true]);
  await add(router, NTFY);
  const preview = await router.json<{ kind?: string }>("PUT", `${CHANNELS}?dryRun=true`, {
    body: MAIL,
  });
  assert.ok(preview);
  assert.equal((await list(router)).length, 2);
  const all = await router.json<AlertChannelShown[]>("PUT", CHANNELS, {
    body: { ...hook, name: "renamed", enabled: false },
  });
  assert.deepEqual(all.map(({ name }) => name), ["renamed", "phone"]);
  assert.equal(router.engine.config.alertChannels[0]!.url, WEBHOOK.url, "masked stays");
  assert.equal(router.engine.config.alertChannels[0]!.secret, WEBHOOK.secret);
  const deleted = await router.ask("DELETE", `${CHANNELS}/${hook.id}`);
  assert.deepEqual((await deleted.json()).map(({ name }: { name: string }) => name), ["phone"]);
  const id = deleted.headers.get("change-id");
  assert.equal((await router.ask("PUT", `/changes/${id}/undo`)).status, 200);
  assert.equal((await list(router)).length, 2);
  assert.equal(router.engine.config.alertChannels.length, 2);
  assert.equal((await router.ask("DELETE", `${CHANNELS}/${crypto.randomUUID()}`)).status, 404);
});

Deno.test("no response, change or event shows a secret of a channel", async () => {
  await using router = await testRouter();
  const events: string[] = [];
  router.bus.subscribe((event) => events.push(JSON.stringify(event)));
  const shown: string[] = [];
  for (const body of [WEBHOOK, NTFY, MAIL, PUSH]) {
    shown.push(await (await router.ask("PUT", `${CHANNELS}?dryRun=true`, { body })).text());
    const answer = await put(router, body);
    shown.push(await answer.text());
    assert.equal(answer.status, 200);
    const change = `/changes/${answer.headers.get("change-id")}`;
    shown.push(await (await router.ask("GET", change)).text());
    shown.push(await (await router.ask("PUT", `${change}/undo?dryRun=true`)).text());
  }
  for (const path of [CHANNELS, "/changes", "/alerts/deliveries"]) {
    shown.push(await (await router.ask("GET", path)).text());
  }
  const text = [...shown, ...events].join("\n");
  for (const secret of SECRETS) assert.ok(!text.includes(secret), secret);
  assert.ok(text.includes("hooks.example"));
  const file = `${router.home}/configs/base/alert_channels.json`;
  assert.equal((await Deno.stat(file)).mode! & 0o077, 0);
});

Deno.test("neither a preview nor a change discloses whether a guess of a secret is right", async () => {
  const id = "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c1";
  const found: unknown[] = [];
  for (const guess of [WEBHOOK.secret, "another secret of the hook"]) {
    await using router = await testRouter({
      files: { "base/alert_channels.json": [{ ...WEBHOOK, id }] },
    });
    const body = { ...WEBHOOK, id, url: "https://hooks.example/**", secret: guess };
    const preview = await router.json<{ config: unknown[] }>("PUT", `${CHANNELS}?dryRun=true`, {
      body,
    });
    assert.ok(preview.config.length > 0);
    const answer = await put(router, body);
    const { patch } = await router.json<{ patch: unknown }>(
      "GET",
      `/changes/${answer.headers.get("change-id")}`,
    );
    await answer.body?.cancel();
    found.push([preview.config, patch]);
  }
  assert.deepEqual(found[0], found[1]);
});

Deno.test("a channel that cannot work is refused with its place", async () => {
  await using router = await testRouter();
  const bad: readonly (readonly [unknown, string])[] = [
    [{ ...WEBHOOK, name: "" }, "/name"],
    [{ ...WEBHOOK, kind: "fax" }, "/kind"],
    [{ ...WEBHOOK, url: "" }, "/url"],
    [{ ...WEBHOOK, url: "ftp://a.example/" }, "/url"],
    [{ ...WEBHOOK, url: "https://user:pw@a.example/" }, "/url"],
    [{ ...WEBHOOK, url: "https://a.example/\r\nX: y" }, "/url"],
    [{ ...WEBHOOK, url: "http://127.0.0.1/" }, "/url"],
    [{ ...WEBHOOK, url: "http://127.1/", localNetwork: true }, "/url"],
    [{ ...WEBHOOK, url: "http://0x7f000001/", localNetwork: true }, "/url"],
    [{ ...WEBHOOK, url: "http://localhost/", localNetwork: true }, "/url"],
    [{ ...WEBHOOK, url: "http://[::1]/", localNetwork: true }, "/url"],
    [{ ...WEBHOOK, url: "http://[::ffff:127.0.0.1]/", localNetwork: true }, "/url"],
    [{ ...WEBHOOK, url: "http://169.254.169.254/", localNetwork: true }, "/url"],
    [{ ...WEBHOOK, url: "http://192.168.2.7/" }, "/url"],
    [{ ...WEBHOOK, url: "https://hooks.example/**" }, "/url"],
    [{ ...WEBHOOK, secret: "short" }, "/secret"],
    [{ ...WEBHOOK, secret: "a secret with a\nline break" }, "/secret"],
    [{ ...WEBHOOK, quietFrom: "22:00" }, "/quietTo"],
    [{ ...WEBHOOK, quietFrom: "25:00", quietTo: "06:00" }, "/quietFrom"],
    [{ ...WEBHOOK, perHour: 0 }, "/perHour"],
    [{ ...NTFY, topic: "a b" }, "/topic"],
    [{ ...NTFY, topic: "" }, "/topic"],
    [{ ...NTFY, token: "a\r\nX-Other: b" }, "/token"],
    [{ ...MAIL, from: "a@example.org\r\nBcc: b@example.org" }, "/from"],
    [{ ...MAIL, to: ["a@example.org\nBcc: b@example.org"] }, "/to/0"],
    [{ ...MAIL, to: [] }, "/to"],
    [{ ...MAIL, host: "127.0.0.1" }, "/host"],
    [{ ...MAIL, host: "mail example" }, "/host"],
    [{ ...MAIL, security: "none" }, "/security"],
    [{ ...PUSH, url: "http://push.example/x" }, "/url"],
    [{ ...PUSH, browserKey: "short" }, "/browserKey"],
    [{ ...PUSH, auth: "short" }, "/auth"],
  ];
  for (const [body, pointer] of bad) {
    const answer = await put(router, body);
    const { errors } = await answer.json();
    assert.deepEqual([answer.status, errors?.[0]?.pointer], [400, pointer], JSON.stringify(body));
  }
  assert.deepEqual(await list(router), []);
  const first = await add(router, PUSH);
  assert.equal((await put(router, { ...PUSH, name: "again" })).status, 409);
  assert.equal((await put(router, { ...NTFY, id: first.id })).status, 400, "another kind");
  assert.equal((await put(router, { ...NTFY, id: crypto.randomUUID() })).status, 404);
});

Deno.test("an alert waits for each channel that takes it until notifyd reports that it was sent", async () => {
  const router = await applied({ "base/alerts.json": [RULE] });
  const hook = await add(router, WEBHOOK);
  await add(router, { ...NTFY, types: ["error"] });
  fail(router, "admin\r\nX: y");
  const [job] = await eventually("a job", async () => {
    const { jobs } = await plan(router);
    assert.equal(jobs.length, 1);
    return jobs;
  });
  assert.equal(job!.channel.secret, WEBHOOK.secret);
  const { title, type, topic, rule } = job!.message;
  assert.deepEqual([title, type, topic, rule], [
    "Sign-in of admin X: y",
    "info",
    "auth:failure",
    "failures",
  ]);
  fail(router, "admin\r\nX: y");
  await report(router, { id: job!.id, kind: "busy", message: "503 later" });
  const [busy] = await states(router);
  assert.deepEqual([busy!.ok, busy!.message, busy!.waiting], [false, "503 later", 1]);
  assert.ok(busy!.oldestAt > 0 && busy!.nextAt > busy!.oldestAt);
  const metrics = await (await router.ask("GET", "/metrics")).text();
  const labels = `{channel="${hook.id}",kind="webhook"}`;
  assert.ok(metrics.includes(`sluice_alert_messages_waiting${labels} 1\n`));
  assert.ok(metrics.includes(`sluice_alert_channel_up${labels} 0\n`));
  assert.deepEqual((await plan(router)).jobs, [], "it waits");
  fail(router, "other");
  await eventually("both wait", async () => (await states(router))[0]!.waiting === 2);
  await using again = await router.reopen();
  const [kept] = await states(again);
  assert.deepEqual([kept!.id, kept!.waiting, kept!.repeated], [hook.id, 2, 1], "over a restart");
});

Deno.test("what was sent is gone, and a report that comes twice counts once", async () => {
  await using router = await applied({ "base/alerts.json": [RULE] });
  await add(router, WEBHOOK);
  fail(router, "admin");
  const job = await eventually("a job", async () => {
    const [first] = (await plan(router)).jobs;
    assert.ok(first);
    return first;
  });
  for (let n = 0; n < 2; n++) {
    await report(router, { id: job.id, kind: "sent", message: "200 thanks" });
  }
  const [state] = await states(router);
  assert.deepEqual([state!.ok, state!.message, state!.waiting], [true, "200 thanks", 0]);
  assert.deepEqual([state!.oldestAt, state!.nextAt], [0, 0]);
  assert.ok(state!.sentAt > 0);
});

Deno.test("a new device is sent with the notice that it is decided by, and once", async () => {
  await using router = await applied();
  await add(router, { ...WEBHOOK, only: ["new-device"] });
  const body = { MAC: "02:00:00:00:0a:01", Iface: "lan0" };
  await (await router.inside("dhcp", "PUT", "/dhcpRequest", body)).body?.cancel();
  const { jobs, origin } = await eventually("a job", async () => {
    const found = await plan(router);
    assert.equal(found.jobs.length, 1);
    return found;
  });
  const { items } = await router.json<{ items: { id: string; kind: string }[] }>("GET", "/notices");
  const notice = items.find(({ kind }) => kind === "new-device")!;
  assert.equal(jobs[0]!.message.decides, notice.id);
  assert.equal(jobs[0]!.message.title, "New device");
  assert.match(origin, /^http:\/\/192\.168\.2\.1$/);
});

Deno.test("notifyd gets the router's own addresses, with those of the LAN", async () => {
  await using router = await applied();
  const { own } = await plan(router);
  assert.ok(own.addresses.includes("203.0.113.2"));
  assert.ok(own.networks.some((network) => network.startsWith("192.168.2.")), `${own.networks}`);
});

Deno.test("a test responds with the receiver's own words, and is not counted", async () => {
  await using router = await applied();
  const hook = await add(router, { ...WEBHOOK, enabled: false });
  const { tag } = await plan(router);
  const testing = router.json("POST", `${CHANNELS}/${hook.id}/test`);
  const next = await (await router.inside("notify", "GET", `/plan?known=${tag}`)).json();
  assert.equal(next.jobs[0].message.title, "Test message");
  await report(router, { id: next.jobs[0].id, kind: "refused", message: "404 no such hook" });
  assert.deepEqual(await testing, { ok: false, message: "404 no such hook" });
  assert.equal((await states(router))[0]!.at, 0);
  const none = await router.ask("POST", `${CHANNELS}/${crypto.randomUUID()}/test`);
  assert.equal(none.status, 404);
});

Deno.test("alerts about deliveries are not sent: they would never end", async () => {
  const rule = { ...RULE, TopicPrefix: "alert_channels:" };
  await using router = await applied({ "base/alerts.json": [rule] });
  await add(router, WEBHOOK);
  router.bus.publish("alert_channels:delivery", { id: "x", ok: true });
  router.bus.publish("alert_channels", { change: "", document: "", keys: null });
  await eventually("the other", async () => (await states(router))[0]!.waiting === 1);
});

Deno.test("the key of web push is the same after a restart, and its private half stays inside", async () => {
  const router = await applied();
  const { publicKey } = await router.json<{ publicKey: string }>("GET", "/alerts/push");
  assert.match(publicKey, /^B[A-Za-z0-9_-]{86}$/);
  const { pushKey } = await plan(router);
  assert.match(pushKey, /^[A-Za-z0-9_-]{43}$/);
  await using again = await router.reopen();
  assert.deepEqual(await again.json("GET", "/alerts/push"), { publicKey });
});

Deno.test("a file with a channel that cannot work keeps the others", async () => {
  const id = "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c1";
  const files = {
    "base/alert_channels.json": [
      { ...WEBHOOK, id },
      { ...WEBHOOK, id, name: "same id" },
      { ...WEBHOOK, id: crypto.randomUUID(), url: "http://127.0.0.1/" },
    ],
  };
  await using router = await testRouter({ files });
  assert.deepEqual((await list(router)).map(({ name }) => name), ["hook"]);
});
