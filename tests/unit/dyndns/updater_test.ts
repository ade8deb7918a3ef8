import assert from "node:assert/strict";
import { updateHost, type WebAnswer, type WebRequest } from "../../../system/dyndns/providers.ts";
import type { DyndnsAccount, DyndnsPlan, Provider } from "../../../system/dyndns/schema.ts";
import { DyndnsUpdater } from "../../../system/dyndns/updater.ts";

const TARGET = { host: "home.example.org", domain: "example.org", address: "203.0.113.2" };

function account(provider: Provider, fields: Partial<DyndnsAccount> = {}): DyndnsAccount {
  return {
    provider,
    email: "anna",
    password: "pass word&",
    login_token: "to/ken",
    hosts: [{ host: TARGET.host, domain: TARGET.domain }],
    ip_urls: [],
    interval: 300,
    update_url: "https://ddns.example/u?h={host}&d={domain}&i={ip}&t={token}",
    ...fields,
  };
}

/** A provider that gives these answers, one after the other, and what it was sent. */
function provider(...answers: readonly (WebAnswer | string)[]) {
  const sent: WebRequest[] = [];
  const send = (request: WebRequest): Promise<WebAnswer> => {
    sent.push(request);
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (answer === undefined) return Promise.reject(new Error("The server cannot be reached"));
    return Promise.resolve(typeof answer === "string" ? { status: 200, text: answer } : answer);
  };
  return { sent, send };
}

Deno.test("each provider is called by its own protocol", async () => {
  const call = async (name: Provider, answer: string) => {
    const { sent, send } = provider(answer);
    const verdict = await updateHost(account(name), TARGET, send);
    assert.deepEqual(verdict.kind, "done", name);
    return sent[0]!;
  };
  const noip = await call("NoIP", "good 203.0.113.2");
  assert.equal(
    noip.url,
    "https://dynupdate.no-ip.com/nic/update?hostname=home.example.org&myip=203.0.113.2",
  );
  assert.deepEqual(noip.user, { name: "anna", password: "pass word&" });
  for (const name of ["Dyn", "Dynu", "HE", "OVH", "Strato"] as const) {
    assert.match(
      (await call(name, "nochg 203.0.113.2")).url,
      /^https:.*hostname=home\.example\.org&/,
    );
  }
  assert.match((await call("DuckDNS", "OK")).url, /token=to%2Fken&ip=203\.0\.113\.2$/);
  assert.match((await call("Dynv6", "addresses updated")).url, /ipv4=203\.0\.113\.2$/);
  assert.equal((await call("deSEC", "good")).headers["authorization"], "Token to/ken");
  const custom = await call("Custom", "whatever");
  assert.equal(
    custom.url,
    "https://ddns.example/u?h=home.example.org&d=example.org&i=203.0.113.2&t=to%2Fken",
  );
});

Deno.test("what a provider says is a verdict in words, without secrets", async () => {
  const bad: readonly (readonly [Provider, WebAnswer | string, string])[] = [
    ["NoIP", "badauth", "refused"],
    ["NoIP", "nohost", "refused"],
    ["NoIP", "abuse", "refused"],
    ["NoIP", "911", "failed"],
    ["NoIP", "<html>login</html>", "failed"],
    ["NoIP", { status: 503, text: "" }, "failed"],
    ["Custom", { status: 401, text: "" }, "refused"],
    ["Custom", { status: 500, text: "good" }, "failed"],
    ["DuckDNS", "KO", "refused"],
    ["DuckDNS", "<html>Maintenance</html>", "failed"],
    ["DuckDNS", "", "failed"],
    ["deSEC", "<!doctype html>", "failed"],
    ["Dynv6", "\n<html>", "failed"],
    ["Custom", { status: 302, text: "" }, "failed"],
  ];
  for (const [name, answer, kind] of bad) {
    const verdict = await updateHost(account(name), TARGET, provider(answer).send);
    assert.equal(verdict.kind, kind, `${name} ${JSON.stringify(answer)}`);
    assert.doesNotMatch(verdict.message, /pass word|to\/ken|to%2F/);
  }
  const page = "<p>Updated 1 hostname.</p>";
  const byUrl = (update_url: string) =>
    updateHost(account("Custom", { update_url }), TARGET, provider(page).send);
  assert.equal((await byUrl("https://ddns.example/{ip}")).kind, "done", "some respond with a page");
  assert.equal((await byUrl("http://ddns.example/{ip}")).kind, "failed", "a login page in between");
  const none = await updateHost(account("NoIP"), TARGET, provider().send);
  assert.deepEqual(none, { kind: "failed", message: "The server cannot be reached" });
});

Deno.test("at Cloudflare the record is found and changed, or added", async () => {
  const json = (result: unknown) => JSON.stringify({ success: true, result });
  const known = provider(
    json([{ id: "zone1" }]),
    json([{ id: "rec1", content: "198.51.100.1" }]),
    json({ id: "rec1" }),
  );
  assert.equal((await updateHost(account("Cloudflare"), TARGET, known.send)).kind, "done");
  const change = known.sent[2]!;
  assert.equal(change.method, "PATCH");
  assert.match(change.url, /\/zones\/zone1\/dns_records\/rec1$/);
  assert.equal(change.headers["authorization"], "Bearer to/ken");
  assert.deepEqual(JSON.parse(change.body), { content: "203.0.113.2" });
  const added = provider(json([{ id: "zone1" }]), json([]), json({ id: "rec2" }));
  assert.equal((await updateHost(account("Cloudflare"), TARGET, added.send)).kind, "done");
  assert.equal(added.sent[2]!.method, "POST");
  const same = provider(json([{ id: "z" }]), json([{ id: "r", content: TARGET.address }]));
  assert.equal((await updateHost(account("Cloudflare"), TARGET, same.send)).kind, "done");
  assert.equal(same.sent.length, 2, "nothing is written");
  const foreign = provider(json([]));
  assert.equal((await updateHost(account("Cloudflare"), TARGET, foreign.send)).kind, "refused");
  const traversal = provider(json([{ id: "../../user" }]));
  assert.equal((await updateHost(account("Cloudflare"), TARGET, traversal.send)).kind, "refused");
});

function plan(fields: Partial<DyndnsPlan> = {}): DyndnsPlan {
  const settings = account("NoIP");
  return { tag: "x", decided: true, settings, address: "203.0.113.2", refresh: 0, ...fields };
}

function updater(...answers: readonly (WebAnswer | string)[]) {
  const { sent, send } = provider(...answers);
  const clock = { now: 0 };
  const steady = () => clock.now;
  return {
    sent,
    clock,
    updater: new DyndnsUpdater({ send, steady, now: () => 1_700_000_000_000 }),
  };
}

Deno.test("an address is sent once, again when it changes, on request and after a week", async () => {
  const { sent, clock, updater: one } = updater("good");
  const first = await one.check(plan());
  assert.deepEqual(first.items, [{
    Host: "home.example.org",
    Address: "203.0.113.2",
    Time: 1_700_000_000,
    OK: true,
    Message: "Updated",
  }]);
  await one.check(plan());
  assert.equal(sent.length, 1);
  await one.check(plan({ address: "203.0.113.3" }));
  assert.equal(sent.length, 2);
  await one.check(plan({ address: "203.0.113.3", refresh: 1 }));
  assert.equal(sent.length, 3);
  clock.now = 8 * 24 * 3_600_000;
  await one.check(plan({ address: "203.0.113.3", refresh: 1 }));
  assert.equal(sent.length, 4);
});

Deno.test("a failure is tried again later and later, a refusal only after a change", async () => {
  const failing = updater("911");
  for (
    const [at, calls] of [[0, 1], [59_000, 1], [61_000, 2], [120_000, 2], [200_000, 3]] as const
  ) {
    failing.clock.now = at;
    await failing.updater.check(plan());
    assert.equal(failing.sent.length, calls, `${at}`);
  }
  const refused = updater("badauth");
  await refused.updater.check(plan());
  refused.clock.now = 1e12;
  const { items } = await refused.updater.check(plan());
  assert.equal(refused.sent.length, 1);
  assert.deepEqual([items[0]!.OK, items[0]!.Address], [false, ""]);
  await refused.updater.check(plan({ settings: account("NoIP", { password: "other" }) }));
  assert.equal(refused.sent.length, 2);
});

Deno.test("web pages give the address behind another router, and a wrong one sends nothing", async () => {
  const pages = {
    settings: account("NoIP", { ip_urls: ["https://a.example", "https://b.example"] }),
  };
  const updates = updater({ status: 500, text: "" }, "<b>Your IP: 198.51.100.9</b>", "good");
  const report = await updates.updater.check(plan({ ...pages, address: "" }));
  assert.equal(report.address, "198.51.100.9");
  assert.equal(report.items[0]!.Address, "198.51.100.9");
  const silent = updater("1.2.3.4.5 999.1.1.1", "<p>Welcome to 192.168.1.1, please sign in</p>");
  const none = await silent.updater.check(plan(pages));
  assert.deepEqual([none.items[0]!.OK, silent.sent.length], [false, 2]);
  assert.match(none.items[0]!.Message, /No page/);
  const behind = await updater("good").updater.check(plan({ address: "" }));
  assert.match(behind.items[0]!.Message, /No uplink has a public address/);
  const off = await updater("good").updater.check(plan({ settings: null }));
  assert.deepEqual(off.items, []);
});
