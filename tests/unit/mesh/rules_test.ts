import assert from "node:assert/strict";
import fc from "fast-check";
import { certificateHash, isCertificateOf } from "../../../system/mesh/certificate_hash.ts";
import { leafDevices } from "../../../system/mesh/leaf_devices.ts";
import {
  afterContact,
  CONTACT_INTERVAL_MS,
  NEW_LEAF,
  nextContact,
} from "../../../system/mesh/contact/leaf_state.ts";
import { leafPort, StationPlaces } from "../../../system/mesh/leaf_paths.ts";
import { formerRouters } from "../../../system/mesh/stations/roamed_station.ts";
import { leafAir } from "../../../system/mesh/leaf_topology.ts";
import { isParent, takeParentMap } from "../../../system/mesh/parent_map.ts";
import { putLeaf, removeLeaf, setLeafMode, setParent } from "../../../system/mesh/rules.ts";
import { NO_MESH } from "../../../system/mesh/schema.ts";
import { compareVersions } from "../../../system/mesh/versions.ts";
import { configWith, device, KEY, mac } from "../../kit/builders/device_config.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const PSK = { Type: "sae", Psk: "password1234" } as const;
const LEAF = {
  ...{ IP: "192.168.2.6", APIToken: "token", TLSCA: "", Link: null },
  ...{ TunnelKey: "", PeerKey: "", KeyReplaced: false },
};

Deno.test("the hash of a certificate is HMAC-SHA-256 as RFC 4231 has it", () => {
  // RFC 4231, test cases 2 and 6.
  assert.equal(
    certificateHash(bytes("what do ya want for nothing?"), "Jefe"),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
  const hash = certificateHash(bytes("certificate\n"), "token");
  assert.equal(isCertificateOf(bytes("certificate\n"), "token", hash), true);
  const wrong: readonly (readonly [string, string, string | null])[] = [
    ["certificate", "token", hash],
    ["certificate\n", "other", hash],
    ["certificate\n", "token", hash.toUpperCase()],
    ["certificate\n", "token", hash.slice(1)],
    ["certificate\n", "token", ""],
    ["certificate\n", "token", null],
    ["certificate\n", "", certificateHash(bytes("certificate\n"), "")],
  ];
  for (const [text, token, header] of wrong) {
    assert.equal(isCertificateOf(bytes(text), token, header), false, `${text} ${token} ${header}`);
  }
});

Deno.test("a changed byte, token or hash is never taken", () => {
  fc.assert(fc.property(
    fc.uint8Array({ minLength: 1, maxLength: 2000 }),
    fc.string({ minLength: 1 }),
    fc.nat(),
    fc.integer({ min: 1, max: 255 }),
    (certificate, token, at, flip) => {
      const hash = certificateHash(certificate, token);
      const tampered = certificate.slice();
      tampered[at % tampered.length]! ^= flip;
      return isCertificateOf(certificate, token, hash) &&
        !isCertificateOf(tampered, token, hash) &&
        !isCertificateOf(certificate, `${token}x`, hash);
    },
  ));
});

Deno.test("a leaf gets the devices that can join it, and of them what it needs", () => {
  const config = configWith({
    devices: {
      [mac(2)]: device(mac(2), {
        Name: "Phone",
        PSKEntry: PSK,
        Policies: ["wan", "dns"],
        Groups: ["kids"],
        DeviceTags: ["tag"],
        RecentIP: "192.168.2.14",
        DNSCustom: "9.9.9.9",
        WGPubKey: KEY,
        DeviceExpiration: 1_900_000_000,
      }),
      [mac(1)]: device(mac(1), { Name: "Wired" }),
      [KEY]: device(KEY, { Name: "Peer", PSKEntry: PSK }),
      pending: device("pending", { PSKEntry: PSK, Policies: ["guestonly"] }),
    },
  });
  const { count, body, digest } = leafDevices(config);
  assert.equal(count, 2);
  assert.deepEqual(JSON.parse(body), {
    [mac(2)]: {
      Name: "Phone",
      MAC: mac(2),
      PSKEntry: PSK,
      Policies: ["wan", "dns"],
      Groups: ["kids"],
      DeviceDisabled: false,
    },
    pending: {
      Name: "",
      MAC: "",
      PSKEntry: PSK,
      Policies: ["guestonly"],
      Groups: [],
      DeviceDisabled: false,
    },
  });
  const turned = configWith({
    devices: Object.fromEntries(Object.entries(config.devices).toReversed()),
  });
  assert.equal(leafDevices(turned).digest, digest, "the order says nothing");
});

Deno.test("the map of the parent is taken whole, and never empty or cut short", () => {
  const own = Object.fromEntries(
    [1, 2, 3, 4, 5].map((n) => [mac(n), device(mac(n), { Name: `own ${n}` })]),
  );
  const config = configWith({
    devices: own,
    mesh: { ...NO_MESH, LeafMode: true },
  });
  const sent = {
    [mac(9)]: { Name: "Phone", PSKEntry: PSK, Groups: ["kids"], RecentIP: "10.9.9.6" },
    [KEY]: { Name: "Peer" },
  };
  const [next] = takeParentMap(config, sent, 2);
  assert.deepEqual(Object.keys(next.devices), [mac(9)]);
  assert.equal(next.devices[mac(9)]!.RecentIP, "", "addresses are the parent's");
  assert.deepEqual(next.groups.map(({ Name }) => Name), ["kids"]);
  const [again] = takeParentMap(next, sent, 2);
  assert.equal(again, next, "the same list changes nothing");
  assert.throws(() => takeParentMap(config, {}, undefined), /no device at all/);
  assert.throws(() => takeParentMap(config, { [KEY]: { Name: "Peer" } }, 1), /could join/);
  assert.throws(() => takeParentMap(config, sent, 3), /2 devices and the parent announced 3/);
  assert.throws(() => takeParentMap(config, { nobody: {} }, 1), /nobody/);
  assert.equal(isParent(config, "token:PLUS-MESH-API-DOWNHAUL-TOKEN"), true);
  for (const caller of ["admin", "token:other", "PLUS-MESH-API-DOWNHAUL-TOKEN"]) {
    assert.equal(isParent(config, caller), false);
  }
  assert.equal(isParent(configWith(), "token:PLUS-MESH-API-DOWNHAUL-TOKEN"), false);
});

Deno.test("a router is a parent or a leaf, never both", () => {
  const [parent] = putLeaf(configWith(), LEAF);
  assert.deepEqual(parent.mesh.LeafRouters, [LEAF]);
  assert.equal(putLeaf(parent, LEAF)[0], parent);
  const [updated] = putLeaf(parent, { ...LEAF, APIToken: "other" });
  assert.deepEqual(updated.mesh.LeafRouters.map(({ APIToken }) => APIToken), ["other"]);
  assert.throws(() => setLeafMode(parent, true), /is a parent/);
  const credentials = {
    ...NO_MESH.ParentCredentials,
    ParentIP: "192.168.2.1",
    ParentAPIToken: "t",
  };
  assert.throws(() => setParent(parent, credentials), /is a parent/);
  const [leaf] = setLeafMode(configWith(), true);
  assert.throws(() => putLeaf(leaf, LEAF), /is a leaf/);
  assert.deepEqual(removeLeaf(parent, LEAF.IP)[0].mesh.LeafRouters, []);
  assert.throws(() => removeLeaf(parent, "192.168.2.9"), /No leaf router/);
});

Deno.test("a leaf that is away is met again later and later, at most a minute apart", () => {
  let state = NEW_LEAF;
  assert.equal(nextContact(state, 0), CONTACT_INTERVAL_MS);
  const waits: number[] = [];
  for (let failure = 0; failure < 20; failure++) {
    state = afterContact(state, { kind: "unreachable" });
    waits.push(nextContact(state, 0));
  }
  assert.deepEqual(waits.slice(0, 8), [1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]);
  assert.equal(state.status, "unreachable");
  assert.ok(nextContact(state, 1) >= 48_000, "at most a fifth earlier");
  state = afterContact(state, { kind: "answered", leafMode: true, synced: true });
  assert.deepEqual(state, { status: "synced", failures: 0 });
  assert.equal(
    afterContact(state, { kind: "answered", leafMode: true, synced: false }).status,
    "behind",
  );
  assert.equal(
    afterContact(state, { kind: "answered", leafMode: false, synced: false }).status,
    "notLeaf",
  );
  for (const kind of ["untrusted", "refused"] as const) {
    assert.equal(afterContact(state, { kind }).status, kind);
  }
});

Deno.test("versions are compared by their numbers", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["v0.3.0", "0.3.0", "same"],
    ["v0.3.0", "v0.2.9", "older"],
    ["v0.9.0", "v0.10.0", "newer"],
    ["v1.0.0", "v1.0.0-dev", "older"],
    ["v1.0.0-dev", "v1.0.0", "newer"],
    ["v0.3.0", "latest", "unknown"],
    ["v0.3.0", "", "unknown"],
  ];
  for (const [ours, theirs, relation] of cases) {
    assert.equal(compareVersions(ours, theirs), relation, `${ours} ${theirs}`);
  }
});

Deno.test("stations of a leaf are read from its topology, and nonsense is left out", () => {
  const style = { Icon: "", Color: "" };
  const air = leafAir({
    Nodes: [
      {
        ID: "iface:wlan0",
        Kind: "ap_radio",
        Name: "wlan0",
        Iface: "wlan0",
        SSID: "home",
        Online: true,
        Style: style,
      },
      {
        ...{ ID: `dev:${mac(1)}`, Kind: "device", Name: "Phone", MAC: mac(1), ConnType: "wifi" },
        ...{ Iface: "wlan0", Online: true, Style: style },
        Signal: { RSSI: -50, TxRate: 1, RxRate: 1 },
      },
      {
        ID: "dev:x",
        Kind: "device",
        Name: "x",
        MAC: "nothing",
        ConnType: "wifi",
        Online: true,
        Style: style,
      },
      {
        ID: "dev:y",
        Kind: "device",
        Name: "y",
        MAC: mac(2),
        ConnType: "wired",
        Online: true,
        Style: style,
      },
      7,
      null,
    ],
  });
  assert.deepEqual(air.stations, [
    { MAC: mac(1), Name: "Phone", Iface: "wlan0", SSID: "home", RSSI: -50 },
  ]);
  fc.assert(fc.property(fc.anything(), (value) => Array.isArray(leafAir(value).stations)));
});

Deno.test("a station of a leaf is behind the interface that leads to the leaf", () => {
  const config = configWith({ devices: { [mac(7)]: device(mac(7), { RecentIP: LEAF.IP }) } });
  const seen = (link: string | null) => ({
    devices: { [mac(7)]: { firstSeen: 1, lastSeen: 1, link, online: true } },
  });
  assert.equal(leafPort(config, seen("lan0"), LEAF.IP), "lan0");
  assert.equal(leafPort(config, seen("lan1.7"), LEAF.IP), "lan1.7");
  assert.equal(leafPort(config, { devices: {} }, "192.168.2.10"), "lan0", "the first downlink");
  assert.equal(leafPort({ ...config, interfaces: [] }, { devices: {} }, "192.168.2.10"), null);
  const places = new StationPlaces();
  places.moved(mac(1), { router: LEAF.IP, since: 1 });
  assert.equal(places.of(mac(1)), LEAF.IP);
  places.moved(mac(1), { router: "", since: 2 });
  assert.deepEqual([places.of(mac(1)), places.find(mac(1))?.since], ["", 2]);
  assert.deepEqual([places.of(mac(2)), places.find(mac(2))], ["", null]);
});

Deno.test("a station that has roamed is forgotten wherever it may still be, and nowhere else", () => {
  const [a, b] = ["192.168.2.6", "192.168.2.10"] as const;
  const former = (to: string, from: string | null, ...listing: readonly string[]) =>
    formerRouters({ to, from }, listing);
  assert.deepEqual(former(a, null, a, b), ["", b]);
  assert.deepEqual(former("", a, a, b), [a, b]);
  assert.deepEqual(former(a, b), ["", b]);
  assert.deepEqual(former(a, ""), [""]);
  assert.deepEqual(former(a, a), [""]);
  assert.deepEqual([former("", null), former("", "")], [[], []]);
});
