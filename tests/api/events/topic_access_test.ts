import assert from "node:assert/strict";
import { otpOf } from "../../kit/otp.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

/** Makes tokens: the `Authorization` of a new one. */
async function tokenMaker(
  router: TestRouter,
): Promise<(scopes: readonly string[]) => Promise<string>> {
  const headers = await otpOf(router);
  return (ScopedPaths) => newToken(router, { ScopedPaths, headers });
}

async function newToken(
  router: TestRouter,
  { ScopedPaths, headers }: {
    readonly ScopedPaths: readonly string[];
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<string> {
  const { Token } = await router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "reader", ScopedPaths },
    headers,
  });
  return `Bearer ${Token}`;
}

/** Topics that a stream carries until `last` comes. */
async function topicsUntil(response: Response, last: string): Promise<string[]> {
  const topics: string[] = [];
  let text = "";
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  while (!topics.includes(last)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    const whole = text.split("\n\n");
    text = whole.pop()!;
    topics.push(...whole.flatMap((part) => /^event: (.*)$/m.exec(part)?.[1] ?? []));
  }
  await reader.cancel();
  return topics;
}

function publishAll({ bus }: TestRouter): void {
  bus.publish("auth:failure", { type: "user", name: "admin", reason: "x", ip: "", addr: "" });
  bus.publish("notices", { id: "1", kind: "x", resolved: false });
  bus.publish("of:another:program", { secret: "not for everyone" });
  bus.publish("wan:uplink:up", { Iface: "wan0" });
}

Deno.test("a scoped token is streamed the topics whose path it may read, and no others", async () => {
  await using router = await testRouter();
  const tokenWith = await tokenMaker(router);
  const cases: readonly (readonly [scopes: readonly string[], topics: readonly string[]])[] = [
    [["/events", "/wan:r"], ["wan:uplink:up"]],
    [["/events:r", "/wan/status:r", "/notices"], ["notices", "wan:uplink:up"]],
    [[], ["auth:failure", "notices", "of:another:program", "wan:uplink:up"]],
    [["/"], ["auth:failure", "notices", "of:another:program", "wan:uplink:up"]],
  ];
  for (const [scopes, topics] of cases) {
    const as = await tokenWith(scopes);
    const response = await router.ask("GET", "/events?topics=auth:f,notices,of:,wan:", { as });
    publishAll(router);
    assert.deepEqual(await topicsUntil(response, "wan:uplink:up"), topics, scopes.join());
  }
});

Deno.test("what a scoped token missed is held to its scopes as well", async () => {
  await using router = await testRouter();
  const tokenWith = await tokenMaker(router);
  const as = await tokenWith(["/events", "/wan:r"]);
  const { id } = router.bus.publish("notices", { id: "0", kind: "x", resolved: false });
  publishAll(router);
  const response = await router.ask("GET", "/events", {
    as,
    headers: { "last-event-id": String(id) },
  });
  assert.deepEqual(await topicsUntil(response, "wan:uplink:up"), ["wan:uplink:up"]);
});

Deno.test("a token of alerts makes no rule that would show it topics beyond its scopes", async () => {
  await using router = await testRouter({ files: { "base/alerts.json": [] } });
  const tokenWith = await tokenMaker(router);
  const as = await tokenWith(["/alerts", "/wan:r", "/events"]);
  const rule = (TopicPrefix: string) => ({
    ...{ Name: "grabs", TopicPrefix },
    Actions: [{ StoreAlert: true, GrabEvent: true }],
  });
  const put = async (path: string, body: unknown) =>
    (await router.ask("PUT", path, { as, body })).status;
  for (const begins of ["audit", "au", "auth:failure", "w", "of:others", "dns:serve:192.168.2.6"]) {
    assert.equal(await put("/alerts", rule(begins)), 403, begins);
  }
  assert.equal(await put("/alerts", rule("wan:uplink")), 200);
  assert.equal(await put("/alerts/0", { TopicPrefix: "audit" }), 403);
  assert.equal(await put("/alerts/0", { Name: "renamed" }), 200);
  assert.equal(await put("/alerts/try", rule("audit")), 200);
  const tried = await router.json<{ looked: number }>("PUT", "/alerts/try", {
    ...{ as, body: rule("audit") },
  });
  assert.equal(tried.looked, 0);
});

Deno.test("a token that covers nothing but the stream is shown what it lacks", async () => {
  await using router = await testRouter();
  const tokenWith = await tokenMaker(router);
  for (const scopes of [["/events"], ["/events:r", "/ws_events_all"]]) {
    const as = await tokenWith(scopes);
    const response = await router.ask("GET", "/events", { as });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("covers no topic")) text += (await reader.read()).value;
    await reader.cancel();
  }
});
