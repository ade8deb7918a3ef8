import assert from "node:assert/strict";
import { isPublic } from "../../../system/access/setup_rules.ts";
import type { Device } from "../../../system/devices/schema.ts";
import { basic, type TestRouter, testRouter } from "../../kit/router.ts";

const CHOSEN = "the chosen password";
const MAC = "02:00:00:00:00:0a";

/** A router that nobody has set up, with its one-time code. */
async function fresh(): Promise<{ router: TestRouter; code: string }> {
  const announced: string[] = [];
  const router = await testRouter({
    adminPassword: null,
    files: { "base/interfaces.json": [{ Name: "lan0", Type: "Downlink", Enabled: true }] },
    access: {
      watch: false,
      announce: (secret) => {
        announced.push(secret);
        return Promise.resolve(null);
      },
    },
  });
  return { router, code: announced[0]! };
}

async function put(
  router: TestRouter,
  path: string,
  as: string | null,
  body?: unknown,
  source = "127.0.0.1",
): Promise<{ status: number; text: string; headers: Headers }> {
  const answer = await router.ask("PUT", path, {
    as,
    ...(body === undefined ? {} : { body }),
    peer: { source },
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

const FIRST = {
  InterfaceUplink: "wan0",
  AdminPassword: CHOSEN,
  TinyNets: ["10.7.0.0/16"],
  CheckUpdates: true,
};

Deno.test("setup sets password, uplink and pools in one change, and setup_done invalidates the code", async () => {
  const { router: opened, code } = await fresh();
  await using router = opened;
  const bearer = `Bearer ${code}`;
  assert.equal((await put(router, "/setup_done", bearer)).status, 409, "no password yet");
  const set = await put(router, "/setup", bearer, FIRST);
  assert.equal(set.status, 200, set.text);
  assert.deepEqual(JSON.parse(set.text), { status: "done" });
  assert.ok(set.headers.get("change-id"));
  const { config } = router.engine;
  assert.deepEqual(config.dhcp.TinyNets, ["10.7.0.0/16"]);
  const uplink = config.interfaces.find(({ Name }) => Name === "wan0");
  assert.deepEqual([uplink?.Type, uplink?.Subtype, uplink?.Enabled], ["Uplink", "ethernet", true]);
  assert.equal((await put(router, "/groups", basic("admin", code), { Name: "a" })).status, 401);
  assert.equal((await put(router, "/groups", basic("admin", CHOSEN), { Name: "a" })).status, 200);
  const history = await router.ask("GET", "/changes", { as: basic("admin", CHOSEN) });
  const text = await history.text();
  assert.ok(!text.includes(CHOSEN) && !text.includes("pbkdf2"), "no secret in the history");
  assert.equal((await put(router, "/setup_done", bearer)).status, 200);
  assert.equal((await put(router, "/setup_done", bearer)).status, 401, "the code is worth nothing");
  assert.equal((await put(router, "/setup_done", basic("admin", CHOSEN))).status, 200, "again");
  assert.equal((await put(router, "/setup", basic("admin", CHOSEN), FIRST)).status, 404);
  assert.equal((await put(router, "/setup", null, FIRST)).status, 401);
  const state = await router.ask("GET", "/setup", { as: null });
  assert.equal(state.status, 400);
  await state.body?.cancel();
});

Deno.test("setup takes the password alone, and the uplink later", async () => {
  const { router: opened, code } = await fresh();
  await using router = opened;
  const bearer = `Bearer ${code}`;
  const { interfaces, dhcp } = router.engine.config;
  const session = async (password: string) => {
    const answer = await router.ask("PUT", "/auth/login", { as: basic("admin", password) });
    await answer.body?.cancel();
    return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  };
  const stage = async (cookie: string) =>
    await (await router.ask("GET", "/auth/stage", { as: null, headers: { cookie } })).json();
  const byCode = await session(code);
  assert.equal((await stage(byCode)).passwordSet, false, "signed in by the setup code");
  const set = await put(router, "/setup", bearer, { AdminPassword: CHOSEN });
  assert.equal(set.status, 200, set.text);
  assert.deepEqual(router.engine.config.interfaces, interfaces);
  assert.deepEqual(router.engine.config.dhcp, dhcp);
  assert.equal((await stage(byCode)).stage, "out", "the code's session has ended");
  const { stage: now, open, passwordSet } = await stage(await session(CHOSEN));
  assert.deepEqual([now, open, passwordSet], ["in", true, true]);
  const later = await put(router, "/setup", bearer, FIRST);
  assert.equal(later.status, 200, later.text);
  assert.ok(router.engine.config.interfaces.some(({ Name }) => Name === "wan0"));
});

Deno.test("setup repeats the same request, and refuses another password", async () => {
  const { router: opened, code } = await fresh();
  await using router = opened;
  const bearer = `Bearer ${code}`;
  assert.equal((await put(router, "/setup", bearer, FIRST)).status, 200);
  const again = await put(router, "/setup", bearer, FIRST);
  assert.equal(again.status, 200);
  assert.equal(again.headers.get("change-id"), null, "nothing changed");
  const other = { ...FIRST, AdminPassword: "another password" };
  assert.equal((await put(router, "/setup", bearer, other)).status, 409);
  assert.equal((await put(router, "/groups", basic("admin", CHOSEN), { Name: "a" })).status, 200);
});

Deno.test("invalid setup requests are 400 and change nothing", async () => {
  const { router: opened, code } = await fresh();
  await using router = opened;
  const bad = [
    { InterfaceUplink: "eth0;reboot" },
    { InterfaceUplink: "-x" },
    { InterfaceUplink: "sixteen-bytes-xx" },
    { InterfaceUplink: "lo" },
    { AdminPassword: "" },
    { AdminPassword: null },
    { TinyNets: [] },
    { TinyNets: ["192.168.2.1/24"] },
    { TinyNets: ["10.0.0.0/7"] },
    { TinyNets: ["10.0.0.0/8", "10.7.0.0/16"] },
  ];
  for (const change of bad) {
    const answer = await put(router, "/setup", `Bearer ${code}`, { ...FIRST, ...change });
    assert.equal(answer.status, 400, JSON.stringify(change));
  }
  assert.equal((await put(router, "/groups", basic("admin", code), { Name: "a" })).status, 200);
});

Deno.test("a previewed setup changes nothing", async () => {
  const { router: opened, code } = await fresh();
  await using router = opened;
  const preview = await put(router, "/setup?dryRun=true", `Bearer ${code}`, FIRST);
  assert.equal(preview.status, 200);
  assert.ok(!preview.text.includes(CHOSEN) && !preview.text.includes("pbkdf2"));
  assert.equal((await put(router, "/groups", basic("admin", code), { Name: "a" })).status, 200);
});

Deno.test("the device from which setup is done keeps its API access", async () => {
  const { router: opened, code } = await fresh();
  await using router = opened;
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", {
    MAC,
    Iface: "lan0",
    Name: "laptop",
  });
  const { IP } = await lease.json();
  const policies = (): Device["Policies"] => router.engine.config.devices[MAC]?.Policies ?? [];
  assert.deepEqual(policies(), ["noapi"]);
  const set = await put(router, "/setup", `Bearer ${code}`, { ...FIRST, TinyNets: null }, IP);
  assert.equal(set.status, 200, set.text);
  assert.deepEqual(policies(), []);
});

Deno.test("setup_done closes the service ports on a public uplink", async () => {
  const { router: opened, code } = await fresh();
  await using router = opened;
  const admin = basic("admin", CHOSEN);
  await put(router, "/setup", `Bearer ${code}`, FIRST);
  const fixed = { DisableDHCP: true, IP: "198.51.100.9/24", Router: "198.51.100.1" };
  assert.equal((await put(router, "/uplink/ip", admin, { Name: "wan0", ...fixed })).status, 200);
  await router.engine.change({
    kind: "test",
    summary: "Open a port",
    reduce: (config) => {
      const ServicePorts = config.firewall.ServicePorts.map((one) => ({
        ...one,
        UpstreamEnabled: true,
      }));
      return [{ ...config, firewall: { ...config.firewall, ServicePorts } }, undefined];
    },
  }, { caller: { by: "test", from: null, connection: null } });
  assert.equal((await put(router, "/setup_done", `Bearer ${code}`)).status, 200);
  assert.ok(router.engine.config.firewall.ServicePorts.every((one) => !one.UpstreamEnabled));
});

Deno.test("setup_done enables mDNS between interfaces, without announcing the router", async () => {
  const { router: opened, code } = await fresh();
  await using router = opened;
  await put(router, "/setup", `Bearer ${code}`, FIRST);
  const preview = await put(router, "/setup_done?dryRun=true", `Bearer ${code}`);
  assert.match(preview.text, /DisableMDNSAdvertise/);
  assert.equal(router.access.setup.isOpen, true, "a preview ends nothing");
  assert.equal((await put(router, "/setup_done", `Bearer ${code}`)).status, 200);
  const { multicast, firewall } = router.engine.config;
  assert.deepEqual(multicast.Addresses.map(({ Address }) => Address), [
    "224.0.0.251:5353",
    "239.255.255.250:1900",
  ]);
  assert.equal(multicast.DisableMDNSAdvertise, true);
  assert.deepEqual(firewall.MulticastPorts, [
    { Port: "5353", Upstream: false },
    { Port: "1900", Upstream: false },
  ]);
});

Deno.test("repeating setup_done keeps later changes", async () => {
  const { router: opened, code } = await fresh();
  await using router = opened;
  const admin = basic("admin", CHOSEN);
  await put(router, "/setup", `Bearer ${code}`, FIRST);
  await put(router, "/setup_done", `Bearer ${code}`);
  const own = { Disabled: true, Addresses: [], MDNSName: "home" };
  assert.equal((await put(router, "/multicastSettings", admin, own)).status, 200);
  const before = router.engine.config;
  const again = await put(router, "/setup_done", admin);
  assert.equal(again.status, 200);
  assert.equal(again.headers.get("change-id"), null);
  assert.equal(router.engine.config, before);
});

Deno.test("isPublic() is true for globally routable addresses", () => {
  const no = ["10.1.2.3", "172.31.0.1", "192.168.0.1", "127.0.0.1", "169.254.1.1", "100.127.0.1"];
  for (const address of [...no, "fe80::1", "", "x"]) {
    assert.equal(isPublic(address), false, address);
  }
  for (const address of ["8.8.8.8", "172.32.0.1", "100.128.0.1", "11.0.0.1"]) {
    assert.equal(isPublic(address), true, address);
  }
});

Deno.test("until setup is done the code opens what a first radio and its first device need", async () => {
  const { router: opened, code } = await fresh();
  await using router = opened;
  const bearer = `Bearer ${code}`;
  const status = async (method: string, path: string, as: string | null, body?: unknown) => {
    const answer = await router.ask(method, path, { as, ...(body === undefined ? {} : { body }) });
    await answer.body?.cancel();
    return answer.status;
  };
  const channel = { Mode: "a", Channel: 36, Bandwidth: 80 };
  const routes: readonly (readonly [number, string, string, unknown?])[] = [
    [200, "GET", "/ip/addr"],
    [200, "PUT", "/link/config", { Name: "lan1", Type: "Downlink" }],
    [200, "PUT", "/hostapd/wlan0/enable"],
    [200, "PUT", "/hostapd/wlan0/config", { Ssid: "home" }],
    [200, "GET", "/hostapd/wlan0/config"],
    [200, "PUT", "/hostapd/calcChannel", channel],
    [200, "PUT", "/device?identity=pending", {
      Name: "phone",
      PSKEntry: { Type: "wpa2", Psk: "" },
    }],
    [200, "GET", "/devices"],
    [200, "GET", "/pendingPSK"],
    [200, "GET", "/wifi/networks"],
    // wifid is not there.
    [503, "GET", "/hostapd/wlan0/status"],
    [503, "PUT", "/hostapd/wlan0/setChannel", channel],
    [503, "PUT", "/hostapd/restart"],
    [503, "PUT", "/hostapd/restart_setup"],
    [503, "GET", "/iw/list"],
    [503, "GET", "/wifi/radios"],
    [503, "GET", "/wifi/countries/US"],
  ];
  for (const [expected, method, path, body] of routes) {
    assert.equal(await status(method, path, bearer, body), expected, `${method} ${path}`);
    assert.equal(await status(method, path, null, body), 401, `${path} without the code`);
    assert.equal(await status(method, path, `${bearer}x`, body), 401, `${path} with another code`);
  }
  for (
    const [method, path] of [
      ["GET", "/device?identity=pending"],
      ["PUT", "/hostapd/wlan0/disable"],
      ["PUT", "/hostapd/wlan0/enableExtraBSS"],
      ["GET", "/changes"],
      ["GET", "/tokens"],
    ] as const
  ) {
    assert.equal(await status(method, path, bearer), 403, `${method} ${path} is not for the code`);
  }
  await put(router, "/setup", bearer, FIRST);
  assert.equal(await status("GET", "/hostapd/wlan0/config", bearer), 200, "until setup is done");
  await put(router, "/setup_done", bearer);
  for (const [, method, path, body] of routes) {
    assert.equal(await status(method, path, bearer, body), 401, `${path} after setup`);
  }
});
