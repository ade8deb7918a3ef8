import assert from "node:assert/strict";
import type { BusEvent } from "../../../system/core/events/bus.ts";
import { KEY } from "../../kit/builders/device_config.ts";
import { otpOf } from "../../kit/otp.ts";
import { basic, type TestRouter, testRouter } from "../../kit/router.ts";

const TABLET = "02:00:00:00:0a:01";
const PATH = `/device?identity=${TABLET}`;

// deno-lint-ignore no-explicit-any -- payloads as clients read them
type Data = any;

/** Collects what is published from now on. */
class PublishedEvents {
  readonly #events: BusEvent[] = [];

  constructor(router: TestRouter) {
    router.bus.subscribe((event) => this.#events.push(event));
  }

  /** Topics since the last call that begin with one of these, in order. */
  topics(...beginnings: readonly string[]): readonly string[] {
    return this.#events.splice(0).map(({ topic }) => topic)
      .filter((topic) => beginnings.some((one) => topic.startsWith(one)));
  }

  last(topic: string): Data {
    return this.#events.findLast((event) => event.topic === topic)?.data;
  }
}

async function send(router: TestRouter, method: string, path: string, body?: unknown) {
  const answer = await router.ask(method, path, { body });
  assert.equal(answer.status, 200, await answer.clone().text());
  await answer.body?.cancel();
}

Deno.test("a device is published as it is created, changed and deleted, its password masked", async () => {
  await using router = await testRouter();
  const published = new PublishedEvents(router);
  await send(router, "PUT", PATH, {
    Name: "tablet",
    Policies: ["dns"],
    PSKEntry: { Type: "sae", Psk: "password1234" },
  });
  const shown = (await router.json<Data>("GET", "/devices"))[TABLET];
  assert.deepEqual(published.last("device:save"), shown);
  assert.deepEqual(published.last("devices:save"), { [TABLET]: shown });
  assert.deepEqual(published.topics("device:", "devices:"), ["devices:save", "device:save"]);
  await send(router, "PUT", PATH, { Groups: ["kids"], DeviceTags: ["toy"] });
  const { Groups, DeviceTags, Name } = published.last("device:groups:update");
  assert.deepEqual([Name, Groups, DeviceTags], ["tablet", ["kids"], ["toy"]], "the whole device");
  assert.deepEqual(published.topics("device:", "devices:"), [
    "devices:save",
    "device:groups:update",
    "device:tags:update",
    "device:update",
  ]);
  await send(router, "PUT", PATH, { Name: "renamed" });
  assert.deepEqual(published.topics("device:"), ["device:update"]);
  await send(router, "PUT", "/devices/bulk", { Identities: [TABLET], Tags: ["camera"] });
  assert.deepEqual(published.topics("device:"), ["device:tags:update", "device:update"]);
  await send(router, "PUT", `${PATH}&dryRun=true`, { Name: "not yet" });
  await send(router, "PUT", PATH, { Name: "renamed" });
  assert.deepEqual(published.topics("device:", "devices:"), []);
  await send(router, "DELETE", PATH);
  assert.equal(published.last("device:delete").Name, "renamed");
  assert.deepEqual(published.last("devices:save"), {});
  assert.deepEqual(published.topics("device:"), ["device:delete"]);
});

Deno.test("a device to come that joins is deleted under one name and saved under the other", async () => {
  await using router = await testRouter();
  await send(router, "PUT", "/device?identity=pending", { Name: "tablet" });
  const published = new PublishedEvents(router);
  const report = { Iface: "wlan0", Event: "AP-STA-CONNECTED", MAC: TABLET };
  await (await router.inside("wifi", "PUT", "/reportPSKAuthSuccess", report)).body?.cancel();
  assert.equal(published.last("device:delete").MAC, "pending");
  assert.equal(published.last("device:save").MAC, TABLET);
  assert.equal(JSON.stringify(published.last("devices:save")).includes('"Psk":"**"'), true);
});

Deno.test("a lease is published with what the client sent, and who claims another's MAC address", async () => {
  await using router = await testRouter();
  const published = new PublishedEvents(router);
  const request = {
    MAC: TABLET,
    Iface: "lan0",
    Identifier: "01:02",
    Name: "tablet",
    ParamReqList: "1,3,6,15",
    VendorClass: "android-dhcp-14",
  };
  const answer = await (await router.inside("dhcp", "PUT", "/dhcpRequest", request)).json();
  assert.deepEqual(published.last("dhcp:request"), request);
  assert.deepEqual(published.last("dhcp:response"), answer);
  assert.deepEqual(Object.keys(answer).toSorted(), [
    "DNSIP",
    "IP",
    "Identifier",
    "LeaseTime",
    "RouterIP",
  ]);
  const refused = await router.inside("dhcp", "PUT", "/dhcpRequest", { ...request, Iface: "wan0" });
  assert.equal(refused.status, 400);
  await refused.body?.cancel();
  const { Reason, ...spoof } = published.last("dhcp:spoof");
  assert.deepEqual(spoof, { MAC: TABLET, Iface: "wan0", Identifier: "01:02", Name: "tablet" });
  assert.ok(Reason.length > 0);
});

Deno.test("a VPN peer is published when it comes and goes, whichever way", async () => {
  await using router = await testRouter();
  const published = new PublishedEvents(router);
  await send(router, "PUT", "/plugins/wireguard/peer", { PublicKey: KEY, Name: "phone" });
  const { IP, ...peer } = published.last("wg:update");
  assert.deepEqual(peer, { PublicKey: KEY, Iface: "wg0", Name: "phone" });
  assert.match(IP, /^192\.168\.2\.\d+$/);
  await send(router, "DELETE", `/device?identity=${encodeURIComponent(KEY)}`);
  assert.deepEqual(published.last("wg:update"), { IP, ...peer, removed: true });
  const report = { IP: "192.168.2.18", PublicKey: KEY, Iface: "wg0", Name: "phone" };
  const answer = await router.inside("wireguard", "PUT", "/wireguardUpdate", report);
  await answer.body?.cancel();
  assert.deepEqual(published.last("wg:update"), report);
});

Deno.test("sign-ins are published with who, from where and why", async () => {
  let now = 1_000_000;
  await using router = await testRouter({ now: () => now, steady: () => now });
  const published = new PublishedEvents(router);
  const event = (name: string, reason: string) => ({
    ...{ type: "user", name, username: name, reason, ip: "127.0.0.1", addr: "127.0.0.1" },
  });
  await router.json("GET", "/features");
  assert.deepEqual(published.last("auth:success"), event("admin", "api"));
  published.topics();
  await router.json("GET", "/features");
  assert.equal(published.last("auth:success"), undefined, "the next ones are the same");
  now += 11 * 60_000;
  await router.json("GET", "/features");
  assert.deepEqual(published.last("auth:success"), event("admin", "api"));
  const wrong = await router.ask("GET", "/features", { as: basic("admin", "wrong") });
  await wrong.body?.cancel();
  assert.deepEqual(published.last("auth:failure"), event("admin", "bad password"));
  assert.deepEqual(published.topics("auth:"), ["auth:success", "auth:failure"]);
});

Deno.test("what is refused is published with who, from where and why, once in a while", async () => {
  await using router = await testRouter();
  const published = new PublishedEvents(router);
  const refused = async (path: string, as: string | null, status: number): Promise<Data> => {
    const answer = await router.ask("GET", path, { as, peer: { source: "192.0.2.7" } });
    await answer.body?.cancel();
    assert.equal(answer.status, status);
    return published.last("auth:failure");
  };
  const { Token } = await router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "viewer", ScopedPaths: ["/wan:r"] },
    headers: await otpOf(router),
  });
  const event = (name: string, reason: string) => ({
    ...{ type: "token", name, reason, ip: "192.0.2.7", addr: "192.0.2.7" },
  });
  assert.deepEqual(await refused("/devices", null, 401), event("", "no credentials"));
  assert.deepEqual(await refused("/devices", "Bearer wrong", 401), event("", "unknown token"));
  const scoped = `Bearer ${Token}`;
  assert.deepEqual(await refused("/devices", scoped, 403), event("viewer", "unauthorized token"));
  published.topics();
  assert.equal(await refused("/groups", "Bearer other", 401), undefined, "it was just published");
  const { username, ...withoutOtp } = await refused("/tokens", basic(), 403);
  assert.equal(username, "admin");
  assert.deepEqual(withoutOtp, { ...event("admin", "invalid or missing JWT OTP"), type: "user" });
});

Deno.test("who signs out is published with the address", async () => {
  await using router = await testRouter();
  const published = new PublishedEvents(router);
  const signedIn = await router.ask("PUT", "/auth/login", { peer: { source: "192.0.2.7" } });
  await signedIn.body?.cancel();
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
  const peer = { source: "192.0.2.7" };
  const headers = { cookie, origin: "http://192.168.2.1" };
  const answer = await router.ask("PUT", "/auth/logout", { as: null, headers, peer });
  await answer.body?.cancel();
  assert.deepEqual(published.last("auth:logout"), {
    ...{ type: "user", name: "admin", username: "admin", ip: "192.0.2.7", addr: "192.0.2.7" },
  });
});

Deno.test("a synchronisation of the clock is published with how it ended", async () => {
  await using router = await testRouter();
  const published = new PublishedEvents(router);
  const answer = await router.ask("PUT", "/time/sync", { headers: await otpOf(router) });
  await answer.body?.cancel();
  assert.deepEqual(published.last("system:time:sync"), {
    ...{ by: "admin", ip: "127.0.0.1", status: answer.status },
  });
});

Deno.test("lines of the api's log are published without their fields", async () => {
  await using router = await testRouter();
  const published = new PublishedEvents(router);
  const wrong = await router.ask("GET", "/features", { as: basic("admin", "wrong") });
  await wrong.body?.cancel();
  const { time, ...line } = published.last("log:api");
  assert.deepEqual(line, {
    level: "warn",
    msg: "Wrong password",
    func: "access.wrong_password",
    file: line.file,
  });
  assert.match(line.file, /^system\/access\/open\.ts:\d+$/, "where it is logged");
  assert.ok(Number.isFinite(Date.parse(time)));
});

Deno.test("a device that is discovered by multicast is published with what it says of itself", async () => {
  await using router = await testRouter();
  const request = { MAC: TABLET, Iface: "lan0", Name: "printer" };
  const { IP } = await (await router.inside("dhcp", "PUT", "/dhcpRequest", request)).json();
  const published = new PublishedEvents(router);
  const take = async (fields: Record<string, unknown>) => {
    const sender = { address: "224.0.0.251:5353", source: IP, link: "lan0", services: [] };
    const items = [{ ...sender, ...fields }];
    const answer = await router.inside("multicast", "PUT", "/discovered", { items });
    assert.equal(answer.status, 200, await answer.text());
  };
  await take({ services: ["_ipp._tcp"], txt: { md: "Laser 5" }, ssdp: { SERVER: "x" } });
  const event = { SrcIP: IP, MAC: TABLET, Services: ["_ipp._tcp"], TXT: { md: "Laser 5" } };
  assert.deepEqual(published.last("zeroconf:device"), { ...event, SSDPHeaders: { SERVER: "x" } });
  await take({ services: ["_ipp._tcp"], txt: { md: "Laser 6" } });
  assert.deepEqual(published.last("zeroconf:device"), {
    ...{ ...event, Services: [], TXT: { md: "Laser 6" } },
    SSDPHeaders: {},
  });
  published.topics();
  await take({ services: ["_ipp._tcp"], txt: { md: "Laser 6" } });
  assert.deepEqual(published.topics("zeroconf:"), []);
});

Deno.test("a notice is published as an alert", async () => {
  await using router = await testRouter();
  const published = new PublishedEvents(router);
  await router.notices.open("dhcp-pool-low", "Few addresses are free", { subject: "lan" });
  const { Topic, Title, Body, NotificationType, Event, State } = published.last(
    "alert:dhcp-pool-low",
  );
  assert.deepEqual(
    [Topic, Title, Body, NotificationType, State],
    ["dhcp-pool-low", "Dhcp pool low", "Few addresses are free", "warning", ""],
  );
  assert.deepEqual(Event, { subject: "lan" });
});
