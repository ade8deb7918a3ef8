import assert from "node:assert/strict";
import { dhcpSocketRoutes } from "../../../routes/internal/dhcp.ts";
import { wifiSocketRoutes } from "../../../routes/internal/wifi.ts";
import { wireguardSocketRoutes } from "../../../routes/internal/wireguard.ts";
import type { Config } from "../../../system/config.ts";
import { Bus, type BusEvent } from "../../../system/core/events/bus.ts";
import type { NoticeBoard } from "../../../system/core/events/notice.ts";
import { createExchanges } from "../../../system/dhcp/server/exchanges.ts";
import { createLeases } from "../../../system/dhcp/leases/leases.ts";
import { Offers } from "../../../system/dhcp/server/offers.ts";
import { RESERVATION_MS, Reservations } from "../../../system/dhcp/leases/reservations.ts";
import { StationPlaces } from "../../../system/mesh/leaf_paths.ts";
import { createStations } from "../../../system/wifi/stations.ts";
import { createPeers } from "../../../system/wireguard/peers/peers.ts";
import { configWith, device, KEY, mac, OTHER_KEY } from "../../kit/builders/device_config.ts";
import { plainApp } from "../../kit/plain_app.ts";
import { PlainEngine } from "../../kit/fakes/plain_engine.ts";

const SILENT: readonly string[] = ["dhcp-pool-low", "unknown-devices-limited"];

/** Devices that somebody decided about, with the first addresses of the network. */
function decided(count: number): Config["devices"] {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      mac(n),
      device(mac(n), { RecentIP: `192.168.2.${4 * n + 2}`, Policies: ["wan"] }),
    ]),
  );
}

function start(parts: Partial<Config> = {}) {
  const engine = new PlainEngine(configWith(parts));
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const bus = new Bus(now);
  const events: BusEvent[] = [];
  bus.subscribe((event) => events.push(event));
  const notices: string[] = [];
  const reservations = new Reservations();
  const board: NoticeBoard = {
    open: (kind) => Promise.resolve(void notices.push(kind)),
    // What nobody was told of is taken back silently.
    settle: (kind) => Promise.resolve(void (!SILENT.includes(kind) && notices.push(`-${kind}`))),
  };
  const stations = createStations({
    engine,
    bus,
    now,
    notices: board,
    places: new StationPlaces(),
    steady: now,
    forward: () => {},
    release: () => {},
  });
  const offers = new Offers();
  const leases = createLeases({
    engine,
    bus,
    reservations,
    offers,
    now,
    steady: now,
    notices: board,
  });
  const call = plainApp(engine, [
    ...dhcpSocketRoutes({
      leases,
      decide: createExchanges({ engine, bus, leases, offers, steady: now }),
      foreign: { report: () => Promise.resolve(true) },
      snapshot: () => Promise.reject(new Error("nobody waits here")),
    }),
    ...wifiSocketRoutes({
      engine,
      stations,
      topology: { read: () => Promise.resolve({ GeneratedAt: "", Nodes: [], Edges: [] }) },
      radios: { take: () => Promise.resolve() },
      supplicants: { take: () => Promise.resolve() },
      plan: () => Promise.reject(new Error("not asked for")),
    }),
    ...wireguardSocketRoutes({ peers: createPeers({ engine, reservations, now }) }),
  ]);
  return { engine, call, clock, events, notices };
}

function connected(MAC: string, more: Record<string, unknown> = {}) {
  return { Iface: "wlan0.4", Event: "AP-STA-CONNECTED", Mac: MAC, ...more };
}

Deno.test("PUT /dhcpRequest gives an unknown device the first /30 and no policy but noapi", async () => {
  const { engine, call, events } = start();
  const answer = await call("PUT", "/dhcpRequest", {
    MAC: mac(1).toUpperCase(),
    Iface: "lan0",
    Name: "Kid's\r\n tablet",
  });
  assert.deepEqual(answer.json, {
    Identifier: mac(1),
    IP: "192.168.2.2",
    RouterIP: "192.168.2.1",
    DNSIP: "192.168.2.1",
    LeaseTime: "24h0m0s",
  });
  const device = engine.config.devices[mac(1)]!;
  assert.deepEqual([device.Name, device.Policies], ["Kid's tablet", ["noapi"]]);
  assert.deepEqual(engine.observed.devices[mac(1)], {
    firstSeen: 1_000_000,
    lastSeen: 1_000_000,
    link: "lan0",
    online: true,
  });
  assert.deepEqual(events.map(({ topic }) => topic), ["dhcp:request", "leases", "dhcp:response"]);
  assert.equal(engine.requested[0]!.observation, true);
  assert.equal(engine.requested[0]!.caller.by, "dhcp");
});

Deno.test("a known device keeps its address while it lies in a pool, without a new revision", async () => {
  const { engine, call, clock } = start({
    devices: { [mac(1)]: device(mac(1), { RecentIP: "192.168.2.18" }) },
  });
  const body = { MAC: mac(1), Iface: "lan0" };
  assert.equal((await call("PUT", "/dhcpRequest", body)).json.IP, "192.168.2.18");
  assert.deepEqual(engine.kinds, []);
  clock.now += 500;
  await call("PUT", "/dhcpRequest", { ...body, Iface: "wlan0.1" });
  assert.deepEqual(engine.observed.devices[mac(1)], {
    firstSeen: 1_000_000,
    lastSeen: 1_000_500,
    link: "wlan0.1",
    online: true,
  });
  engine.config = {
    ...engine.config,
    dhcp: { TinyNets: ["10.0.0.0/24"], LeaseTime: "1h0m0s" },
  };
  const moved = (await call("PUT", "/dhcpRequest", body)).json;
  assert.deepEqual([moved.IP, moved.DNSIP, moved.LeaseTime], ["10.0.0.2", "10.0.0.1", "1h0m0s"]);
});

Deno.test("concurrent requests and reservations never get the same address", async () => {
  const { call, engine } = start();
  const keys = Array.from({ length: 20 }, (_, i) => `peer-${i}`);
  const answers = await Promise.all([
    ...Array.from(
      { length: 20 },
      (_, i) => call("PUT", "/dhcpRequest", { MAC: mac(i), Iface: "lan0" }),
    ),
    ...keys.map((Identifier) => call("PUT", "/abstractDhcpRequest", { Identifier })),
    ...Array.from({ length: 5 }, () => call("PUT", "/dhcpRequest", { MAC: mac(3), Iface: "lan0" })),
  ]);
  assert.ok(answers.every(({ status }) => status === 200));
  const byHolder = new Map(answers.map(({ json }) => [json.Identifier, json.IP]));
  assert.equal(new Set(byHolder.values()).size, 40);
  assert.equal(Object.keys(engine.config.devices).length, 20);
});

Deno.test("an exhausted pool is 409 and an event", async () => {
  const { call, events, engine } = start({ devices: decided(63) });
  for (let n = 0; n < 64; n++) {
    assert.equal((await call("PUT", "/dhcpRequest", { MAC: mac(n), Iface: "lan0" })).status, 200);
  }
  const next = { MAC: mac(99), Iface: "lan0" };
  assert.equal((await call("PUT", "/dhcpRequest", next)).status, 409);
  assert.equal((await call("PUT", "/abstractDhcpRequest", { Identifier: "x" })).status, 409);
  assert.equal(events.filter(({ topic }) => topic === "dhcp:exhausted").length, 2);
  assert.equal(engine.config.devices[mac(99)], undefined);
  assert.equal(engine.observed.devices[mac(99)], undefined);
});

Deno.test("an exhausted pool is one notice, however many clients ask, until an address is free", async () => {
  const { call, engine, notices, clock } = start({ devices: decided(40) });
  const ask = (n: number) => call("PUT", "/dhcpRequest", { MAC: mac(n), Iface: "lan0" });
  await ask(40);
  engine.config = { ...engine.config, devices: { ...engine.config.devices, ...decided(61) } };
  for (let n = 61; n < 70; n++) await ask(n);
  assert.deepEqual(notices, [
    "-dhcp-pool-exhausted",
    "dhcp-pool-low",
    "dhcp-pool-exhausted",
  ]);
  clock.now += 60_000;
  await ask(70);
  assert.equal(notices.length, 4, "opened again after a minute");
  const { [mac(62)]: _, ...devices } = engine.config.devices;
  engine.config = { ...engine.config, devices };
  await ask(71);
  await ask(4);
  assert.deepEqual(notices.slice(4), ["-dhcp-pool-exhausted"]);
});

Deno.test("a MAC address that alternates between two interfaces is a notice, one that moves is not", async () => {
  const { call, notices, clock } = start();
  const ask = (Iface: string) => call("PUT", "/dhcpRequest", { MAC: mac(1), Iface });
  for (const link of ["lan0", "lan1", "wlan0.1"]) await ask(link);
  clock.now += 11 * 60_000;
  await ask("lan1");
  assert.deepEqual(notices, ["-dhcp-pool-exhausted"], "moved three times");
  await ask("wlan0.1");
  assert.deepEqual(notices.slice(1), ["mac-on-two-interfaces"]);
});

Deno.test("a reservation is kept for its peer until it expires", async () => {
  const { call, clock } = start();
  const ask = async () => (await call("PUT", "/abstractDhcpRequest", { Identifier: KEY })).json.IP;
  assert.equal(await ask(), "192.168.2.2");
  assert.equal(await ask(), "192.168.2.2");
  const lease = await call("PUT", "/dhcpRequest", { MAC: mac(1), Iface: "lan0" });
  assert.equal(lease.json.IP, "192.168.2.6");
  clock.now += RESERVATION_MS;
  const late = await call("PUT", "/dhcpRequest", { MAC: mac(2), Iface: "lan0" });
  assert.equal(late.json.IP, "192.168.2.2");
  assert.equal(await ask(), "192.168.2.10");
});

Deno.test("no address is leased on an uplink, and none to a non-guest device on a guest network", async () => {
  const { call, events } = start({ devices: { [mac(1)]: device(mac(1)) } });
  for (const Iface of ["wan0", "wan0.7", "wlan0.ap0"]) {
    assert.equal((await call("PUT", "/dhcpRequest", { MAC: mac(1), Iface })).status, 400, Iface);
  }
  assert.equal(events.filter(({ topic }) => topic === "dhcp:spoof").length, 3);
});

Deno.test("an unknown device on a guest network is a guest", async () => {
  const { call, engine } = start();
  await call("PUT", "/dhcpRequest", { MAC: mac(1), Iface: "wlan0.ap0" });
  const guest = engine.config.devices[mac(1)]!;
  assert.deepEqual([guest.Policies, guest.DeviceTags], [["wan", "dns", "noapi", "guestonly"], [
    "guest",
  ]]);
  assert.equal(
    (await call("PUT", "/dhcpRequest", { MAC: mac(1), Iface: "wlan0.ap0" })).status,
    200,
  );
});

Deno.test("malformed lease requests are 400 and change nothing", async () => {
  const { call, engine } = start();
  const bodies = [
    {},
    { MAC: mac(1) },
    { Iface: "lan0" },
    { MAC: "", Iface: "lan0" },
    { MAC: "ff:ff:ff:ff:ff:ff", Iface: "lan0" },
    { MAC: mac(1), Iface: "lan0; reboot" },
    { MAC: mac(1), Iface: "a".repeat(16) },
    { MAC: mac(1), Iface: "lan0", Name: 7 },
  ];
  for (const body of bodies) {
    assert.equal((await call("PUT", "/dhcpRequest", body)).status, 400, JSON.stringify(body));
  }
  for (const Identifier of ["", " a", "a b", "a\nb", "x".repeat(129), "ä", null]) {
    assert.equal((await call("PUT", "/abstractDhcpRequest", { Identifier })).status, 400);
  }
  assert.deepEqual(engine.requested, []);
});

Deno.test("PUT /dhcpUpdate records an address and refuses an invalid one", async () => {
  const { call, engine } = start({
    devices: { [mac(2)]: device(mac(2), { RecentIP: "192.168.2.6" }) },
  });
  const body = { IP: "192.168.2.2", MAC: mac(1), Name: "tv", Iface: "lan0", Router: "192.168.2.1" };
  const answer = await call("PUT", "/dhcpUpdate", body);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-length"), "0");
  assert.equal(engine.config.devices[mac(1)]!.RecentIP, "192.168.2.2");
  assert.equal(
    (await call("PUT", "/dhcpUpdate", { ...body, IP: "192.168.2.6", Router: "" })).status,
    409,
  );
  assert.equal((await call("PUT", "/dhcpUpdate", { ...body, Router: "192.168.2.5" })).status, 400);
  assert.equal((await call("PUT", "/dhcpUpdate", { ...body, IP: "192.168.2.3" })).status, 400);
  assert.equal((await call("PUT", "/dhcpUpdate", { ...body, Iface: "wan0" })).status, 400);
});

Deno.test("a station takes the only pending password, with its policies", async () => {
  const pending = device("pending", {
    Name: "new tv",
    Policies: ["wan", "dns"],
    PSKEntry: { Type: "sae", Psk: "correct horse" },
  });
  const { call, engine, events } = start({ devices: { pending } });
  const answer = await call("PUT", "/reportPSKAuthSuccess", connected(mac(1)));
  assert.deepEqual(answer.json, {
    Iface: "wlan0.4",
    Event: "AP-STA-CONNECTED",
    MAC: mac(1),
    Status: "Installed Pending PSK",
    Router: "",
  });
  assert.deepEqual(engine.config.devices, { [mac(1)]: { ...pending, MAC: mac(1) } });
  assert.equal(engine.observed.devices[mac(1)]!.link, "wlan0.4");
  assert.equal(JSON.stringify(events).includes("correct horse"), false);
  const again = await call("PUT", "/reportPSKAuthSuccess", connected(mac(1)));
  assert.equal(again.json.Status, "Okay");
});

Deno.test("a known device without a password gets the pending one and keeps its policies", async () => {
  const PSKEntry = { Type: "sae" as const, Psk: "correct horse" };
  const known = device(mac(1), { Name: "tv", Policies: ["lan"], RecentIP: "192.168.2.2" });
  const { call, engine } = start({
    devices: { [mac(1)]: known, pending: device("pending", { PSKEntry, Policies: ["wan"] }) },
  });
  await call("PUT", "/reportPSKAuthSuccess", connected(mac(1)));
  assert.deepEqual(engine.config.devices, { [mac(1)]: { ...known, PSKEntry } });
});

Deno.test("a guest station of a mesh node becomes a guest", async () => {
  const { call, engine } = start();
  const report = connected(mac(1), { Iface: "wlan1.ap0", Router: "192.168.2.6", Event: "connect" });
  const answer = await call("PUT", "/reportPSKAuthSuccess", report);
  assert.equal(answer.json.Status, "Provisioned mesh guest");
  assert.deepEqual(engine.config.devices[mac(1)]!.DeviceTags, ["guest"]);
  // Behind the interface that leads to the node, whatever the node calls its own.
  assert.equal(engine.observed.devices[mac(1)]?.link, "lan0");
  // A node may report any station: one that is no device is not remembered.
  await call("PUT", "/reportPSKAuthSuccess", connected(mac(2), { Router: "192.168.2.6" }));
  assert.equal(engine.observed.devices[mac(2)], undefined);
});

Deno.test("station reports are echoed, malformed ones refused", async () => {
  const { call, engine } = start();
  const failure = { Type: "sae", MAC: mac(1), Reason: "mismatch", Iface: "wlan0", Status: "x" };
  assert.deepEqual((await call("PUT", "/reportPSKAuthFailure", failure)).json, {
    Iface: "wlan0",
    Type: "sae",
    MAC: mac(1),
    Reason: "mismatch",
    Status: "x",
    Router: "",
  });
  await call("PUT", "/reportPSKAuthSuccess", connected(mac(1)));
  const bye = { ...connected(mac(1)), Event: "AP-STA-DISCONNECTED" };
  assert.equal((await call("PUT", "/reportDisconnect", bye)).json.Status, "Okay");
  assert.equal(engine.observed.devices[mac(1)]!.online, false);
  for (
    const [path, body] of [
      ["/reportPSKAuthSuccess", bye],
      ["/reportPSKAuthSuccess", connected("x")],
      ["/reportPSKAuthSuccess", connected(mac(1), { Iface: "" })],
      ["/reportPSKAuthSuccess", connected(mac(1), { Iface: "wan0" })],
      ["/reportDisconnect", connected(mac(1))],
      ["/reportPSKAuthFailure", { ...failure, Reason: "x".repeat(1025) }],
      ["/reportPSKAuthFailure", { ...failure, Type: " " }],
      ["/reportPSKAuthFailure", { ...failure, Reason: 7 }],
      ["/reportPSKAuthFailure", { ...failure, MAC: "" }],
    ] as const
  ) {
    assert.equal((await call("PUT", path, body)).status, 400, JSON.stringify(body));
  }
});

Deno.test("GET /interfaces lists the enabled access points as text", async () => {
  const answer = await start().call("GET", "/interfaces");
  assert.equal(answer.text, "wlan0 ");
  assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
});

Deno.test("PUT /wireguardUpdate keeps the reserved address and updates the key; DELETE removes the peer", async () => {
  const { call, engine } = start();
  const IP = (await call("PUT", "/abstractDhcpRequest", { Identifier: KEY })).json.IP;
  const body = { IP, PublicKey: KEY, Iface: "wg0", Name: "phone" };
  const answer = await call("PUT", "/wireguardUpdate", body);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-length"), "0");
  assert.deepEqual(engine.config.devices[KEY]!.Policies, ["noapi"]);
  assert.equal(engine.observed.devices[KEY]!.link, "wg0");
  await call("PUT", "/wireguardUpdate", { ...body, PublicKey: OTHER_KEY });
  assert.deepEqual(Object.keys(engine.config.devices), [OTHER_KEY]);
  assert.equal(engine.config.devices[OTHER_KEY]!.Name, "phone");
  const seen = engine.observed.devices;
  assert.equal(seen[OTHER_KEY]!.firstSeen, seen[KEY]!.firstSeen, "what was seen goes along");
  assert.deepEqual([seen[KEY]!.link, seen[KEY]!.online], [null, false], "and is nowhere else");
  assert.equal((await call("DELETE", "/wireguardUpdate", { PublicKey: KEY })).status, 404);
  assert.equal(
    (await call("DELETE", "/wireguardUpdate", { PublicKey: OTHER_KEY, IP })).status,
    200,
  );
  assert.deepEqual(engine.config.devices, {});
});

Deno.test("removing a peer with a MAC address removes only its key, and addresses stay unique", async () => {
  const { call, engine } = start({
    devices: {
      [mac(1)]: device(mac(1), { RecentIP: "192.168.2.2", WGPubKey: KEY }),
      [mac(2)]: device(mac(2), { RecentIP: "192.168.2.6" }),
    },
  });
  const body = { IP: "192.168.2.6", PublicKey: KEY, Iface: "wg0" };
  assert.equal((await call("PUT", "/wireguardUpdate", body)).status, 409);
  assert.equal((await call("PUT", "/wireguardUpdate", { ...body, IP: "10.0.0.2" })).status, 400);
  assert.equal((await call("PUT", "/wireguardUpdate", { ...body, PublicKey: "x" })).status, 400);
  await call("DELETE", "/wireguardUpdate", { PublicKey: KEY });
  assert.equal(engine.config.devices[mac(1)]!.WGPubKey, "");
});
