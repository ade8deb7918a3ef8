import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { StationPlaces } from "../../../system/mesh/leaf_paths.ts";
import { Leaves } from "../../../system/mesh/leaves.ts";
import { leafDigest } from "../../../system/mesh/certificate_hash.ts";
import { leafPeer, type LeafReport } from "../../../system/mesh/plan_schema.ts";
import { putLeaf, setLeafToken } from "../../../system/mesh/rules.ts";
import { type LeafRouter, Mesh, NO_MESH } from "../../../system/mesh/schema.ts";
import { privateKey, publicKeyOf } from "../../../system/wireguard/keys.ts";
import { associate } from "../../../system/wifi/station.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";
import { PlainEngine } from "../../kit/fakes/plain_engine.ts";

const IP = "192.168.2.6";
const NO_KEYS = { TunnelKey: "", PeerKey: "", KeyReplaced: false };
const notice = (Text: string) => ({ Key: Text, Text });
/** No tunnel runs. */
const tunnels = { find: () => undefined, isOnline: () => false };
const FINE: LeafReport = {
  ...{ IP, Status: "synced", Problem: "", Version: "v0.3.0", ClockAhead: 1, Devices: 2 },
  ...{ Notices: [], Topology: null, Certificate: "", Met: "", Linked: null, Keys: null },
  Plain: false,
};

Deno.test("a leaf that is wrong is one notice, however often it is met, until it is well", async () => {
  const said: string[] = [];
  const config = configWith({
    mesh: { ...NO_MESH, LeafRouters: [{ IP, APIToken: "t", TLSCA: "", Link: null, ...NO_KEYS }] },
  });
  const bus = new Bus(), published: unknown[] = [];
  bus.subscribe(({ data }) => published.push(data), ["mesh:notice"]);
  const leaves = new Leaves({
    engine: {
      config,
      observed: { devices: {}, uplinks: {} },
      change: () => Promise.reject(new Error("Nothing is to change")),
      observe: () => Promise.reject(new Error("Nothing is to be seen")),
    } as unknown as ConstructorParameters<typeof Leaves>[0]["engine"],
    bus,
    notices: {
      open: (kind, detail) => Promise.resolve(void said.push(`${kind}: ${detail}`)),
      settle: (kind) => Promise.resolve(void said.push(`settled ${kind}`)),
    },
    places: new StationPlaces(),
    tunnels,
    version: () => "v0.3.0",
    now: () => 1,
  });
  const meet = async (...reports: readonly Partial<LeafReport>[]): Promise<readonly string[]> => {
    said.length = 0;
    for (const report of reports) await leaves.take({ ...FINE, ...report });
    return [...said];
  };
  await meet({ Plain: true });
  await meet({ Status: "unreachable", Problem: "It did not respond in time", Plain: null });
  assert.deepEqual(leaves.list().map(({ Plain }) => Plain), [true], "as it last said");
  await meet({});
  assert.deepEqual(await meet({}, {}), []);
  const away = { Status: "unreachable", Problem: "It did not respond in time" } as const;
  assert.deepEqual(await meet(away, away), [], "it may be restarting");
  assert.deepEqual(await meet(away, away, away), [
    `mesh-leaf: The leaf router ${IP}: It did not respond in time`,
  ]);
  assert.deepEqual(await meet({}), ["settled mesh-leaf"]);
  const other = {
    Version: "v0.2.0",
    ClockAhead: -86_400,
    Notices: [notice("A radio does not start")],
  };
  const [version, clock, reported, ...more] = await meet(other, other);
  assert.match(version!, /mesh-version: .* runs v0\.2\.0, this router v0\.3\.0/);
  assert.match(clock!, /mesh-clock: .* 1440 minutes behind/);
  assert.match(reported!, /mesh-notice: .* reports: A radio does not start/);
  assert.deepEqual(more, []);
  assert.deepEqual(leaves.list().map(({ Relation }) => Relation), ["older"]);
  assert.deepEqual(published, [{ IP, Text: "A radio does not start" }], "once");
  await meet(away, other);
  assert.equal(published.length, 1, "it was away, and the notice stayed open");
  const many = Array.from({ length: 50 }, (_, n) => notice(`Notice ${n}`));
  await meet({ ...other, Notices: many });
  assert.equal(published.length, 11, "a leaf cannot flood the events");
  await meet(other);
  published.length = 0;
  const full = (Text: string) => ({ ...other, Notices: [{ Key: '["disk",""]', Text }] });
  await meet(full("The disk is 91 % full"), full("The disk is 92 % full"));
  assert.deepEqual(
    published,
    [{ IP, Text: "The disk is 91 % full" }],
    "one notice, with another text",
  );
  const refused = { Status: "refused", Problem: "It refuses the token" } as const;
  assert.deepEqual(await meet(refused, refused), [
    `mesh-leaf: The leaf router ${IP}: It refuses the token`,
  ]);
  said.length = 0;
  await leaves.forget(IP);
  assert.equal(said.length, 6);
});

Deno.test("a certificate that a replaced token proved is not taken", async () => {
  const leaf = { IP, APIToken: "first", TLSCA: "", Link: null, ...NO_KEYS };
  const engine = new PlainEngine(configWith({ mesh: { ...NO_MESH, LeafRouters: [leaf] } }));
  const leaves = new Leaves({
    engine,
    bus: new Bus(),
    notices: { open: () => Promise.resolve(), settle: () => Promise.resolve() },
    places: new StationPlaces(),
    tunnels,
    version: () => "v0.3.0",
    now: () => 1,
  });
  const trusted = () => engine.config.mesh.LeafRouters[0]!.TLSCA;
  const Certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  const report = { ...FINE, Certificate, Met: leafDigest(leafPeer(leaf)) };
  await engine.change({
    kind: "test",
    summary: "Another token",
    reduce: (config) => setLeafToken(config, IP, "second"),
  }, { caller: { by: "test", from: null, connection: null } });
  await leaves.take(report);
  assert.equal(trusted(), "");
  await leaves.take({ ...report, Met: leafDigest(leafPeer({ ...leaf, APIToken: "second" })) });
  assert.equal(trusted(), Certificate);
});

Deno.test("a leaf that has no VXLAN keeps a network of its own, and a notice says so", async () => {
  const leaf: LeafRouter = {
    ...{ IP, APIToken: "t", TLSCA: "", ...NO_KEYS },
    Link: { Kind: "vxlan", Number: 1 },
  };
  const engine = new PlainEngine(configWith({ mesh: { ...NO_MESH, LeafRouters: [leaf] } }));
  const opened: string[] = [];
  const leaves = new Leaves({
    engine,
    bus: new Bus(),
    notices: {
      open: (kind) => Promise.resolve(void opened.push(kind)),
      settle: () => Promise.resolve(),
    },
    places: new StationPlaces(),
    tunnels,
    version: () => "v0.3.0",
    now: () => 1,
  });
  const link = () => engine.config.mesh.LeafRouters[0]!.Link;
  const report = { ...FINE, Linked: false, Met: leafDigest(leafPeer(leaf)) };
  await leaves.take({ ...report, Linked: null });
  await leaves.take({ ...report, Met: "of another token" });
  assert.deepEqual([link(), opened], [leaf.Link, []]);
  await leaves.take(report);
  assert.deepEqual([link(), opened], [null, ["mesh-link"]]);
});

const key = (n: number) => privateKey(new Uint8Array(32).fill(n));

/** The only leaf router of a parent, by an encrypted link, and the notices about it that are open. */
function encrypted() {
  const leaf: LeafRouter = {
    ...{ IP, APIToken: "t", TLSCA: "", ...NO_KEYS, TunnelKey: key(1) },
    Link: { Kind: "wireguard", Number: 1 },
  };
  const engine = new PlainEngine(configWith({ mesh: { ...NO_MESH, LeafRouters: [leaf] } }));
  const open = new Set<string>();
  const started = () =>
    new Leaves({
      engine,
      bus: new Bus(),
      notices: {
        open: (kind) => Promise.resolve(void open.add(kind)),
        settle: (kind) => Promise.resolve(void open.delete(kind)),
      },
      places: new StationPlaces(),
      tunnels,
      version: () => "v0.3.0",
      now: () => 1,
    });
  const leaves = started();
  const today = () => engine.config.mesh.LeafRouters[0]!;
  /** What a contact that begins now will report of a leaf with this key. */
  const shows = (n: number): LeafReport => {
    const peer = leafPeer(today());
    const Keys = { Leaf: publicKeyOf(key(n)), Parent: peer.OwnKey };
    return { ...FINE, Linked: true, Keys, Met: leafDigest(peer) };
  };
  const addAgain = (more: Partial<LeafRouter>) =>
    engine.change({
      kind: "test",
      summary: "Added again",
      reduce: (config) => putLeaf(config, { ...today(), ...more }),
    }, { caller: { by: "test", from: null, connection: null } });
  return { engine, leaves, started, open, today, shows, addAgain };
}

Deno.test("a contact that was under way when a leaf was added again changes nothing of its new link", async () => {
  for (
    const more of [
      { TunnelKey: key(5) },
      { Link: { Kind: "vxlan", Number: 1 }, ...NO_KEYS },
      { Link: { Kind: "wireguard", Number: 2 } },
    ] satisfies Partial<LeafRouter>[]
  ) {
    const { leaves, open, today, shows, addAgain } = encrypted();
    const begun = { ...shows(9), Linked: false, Keys: null };
    await addAgain(more);
    const added = today();
    await leaves.take(begun);
    assert.deepEqual([today(), [...open]], [added, []]);
    const { TLSCA } = added;
    const Certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    await leaves.take({ ...begun, Linked: null, Certificate });
    assert.equal(today().TLSCA, TLSCA);
    await leaves.take({ ...shows(9), Linked: false, Keys: null });
    assert.equal(today().Link, null, "one that begins now does");
  }
});

Deno.test("a leaf replaces its key once; another at each contact is a notice, and no change", async () => {
  const { engine, leaves, started, open, today, shows, addAgain } = encrypted();
  const meet = async (n: number): Promise<string> => {
    await leaves.take(shows(n));
    return today().PeerKey;
  };
  assert.equal(await meet(2), publicKeyOf(key(2)));
  assert.equal(await meet(3), publicKeyOf(key(3)), "it lost its key");
  const changes = engine.kinds.length;
  for (let n = 4; n < 20; n++) assert.equal(await meet(n), publicKeyOf(key(3)));
  assert.deepEqual([engine.kinds.length, [...open]], [changes, ["mesh-key"]]);
  // The api was restarted, or read its file again.
  engine.config = { ...engine.config, mesh: Mesh.parse(structuredClone(engine.config.mesh)) };
  await started().take(shows(5));
  assert.equal(today().PeerKey, publicKeyOf(key(3)), "it may do so no more after a restart");
  await meet(3);
  assert.deepEqual([...open], []);
  await meet(4);
  await addAgain({ ...NO_KEYS, TunnelKey: key(30) });
  assert.equal(await meet(4), publicKeyOf(key(4)), "added again");
  await meet(4);
  assert.deepEqual([...open], []);
});

Deno.test("a leaf that reports any number of stations fills neither the devices nor the memory", () => {
  const places = new StationPlaces();
  for (let n = 0; n < 20_000; n++) places.moved(mac(n), { router: IP, since: n });
  assert.equal(places.of(mac(19_999)), IP);
  assert.equal(places.of(mac(0)), "", "the oldest made room");
  const guests = Array.from({ length: 1024 }, (_, n) => [
    mac(n),
    device(mac(n), { Policies: ["guestonly"] }),
  ]);
  const join = (devices: readonly unknown[]) =>
    associate(configWith({ devices: Object.fromEntries(devices as [string, never][]) }), {
      ...{ mac: mac(5000), link: "wlan0.ap0", router: IP, keyId: undefined },
    });
  const isAdded = ([{ devices }]: ReturnType<typeof join>) => Object.hasOwn(devices, mac(5000));
  assert.ok(isAdded(join(guests.slice(1))));
  assert.ok(!isAdded(join(guests)));
});
