import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { StationPlaces } from "../../../system/mesh/leaf_paths.ts";
import { NO_MESH } from "../../../system/mesh/schema.ts";
import { ReleaseLimits } from "../../../system/mesh/stations/release_limits.ts";
import { releaseStations } from "../../../system/mesh/stations/roamed_station.ts";
import { createStations, type RoamedStation } from "../../../system/wifi/stations.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";
import { PlainEngine } from "../../kit/fakes/plain_engine.ts";

const ATTIC = "192.168.2.6", CELLAR = "192.168.2.7";
const NO_LINK = { Link: null, TunnelKey: "", PeerKey: "", KeyReplaced: false };
const MESH = {
  ...NO_MESH,
  LeafRouters: [
    { IP: ATTIC, APIToken: "t", TLSCA: "", ...NO_LINK, Plain: false },
    { IP: CELLAR, APIToken: "t", TLSCA: "", ...NO_LINK, Plain: true },
  ],
};

/** A parent with `count` devices, and what its access points and leaf routers are to forget. */
function parent(count = 1) {
  const devices = Array.from(
    { length: count },
    (_, n) => [mac(n + 1), device(mac(n + 1))] as const,
  );
  const engine = new PlainEngine(configWith({ mesh: MESH, devices: Object.fromEntries(devices) }));
  const places = new StationPlaces(), clock = { now: 10_000_000 };
  const released: RoamedStation[] = [], sent: string[] = [];
  const steady = () => clock.now;
  const forget = (router: string, { MAC }: RoamedStation) =>
    Promise.resolve(void sent.push(`${router} ${MAC}`));
  const release = releaseStations({
    config: () => engine.config,
    listing: () => [],
    release: { own: (one) => forget("own", one), leaf: ({ IP }, one) => forget(IP, one) },
    limits: new ReleaseLimits(steady),
    failed: (error) => {
      throw error;
    },
  });
  const stations = createStations({
    ...{ engine, bus: new Bus(), places, now: steady, steady, forward: () => {} },
    notices: { open: () => Promise.resolve(), settle: () => Promise.resolve() },
    release: (station) => {
      released.push(station);
      release(station);
    },
  });
  const joins = (MAC: string, Router: string, Seconds = 0) =>
    stations.succeeded(
      {
        ...{ Iface: "wlan0.5", Event: "AP-STA-CONNECTED", MAC, Status: "", Router, Seconds },
      } as Parameters<typeof stations.succeeded>[0],
    );
  return { engine, places, clock, released, sent, joins };
}

Deno.test("stations that a leaf router invents are neither remembered nor forgotten elsewhere", async () => {
  const { places, released, joins } = parent();
  await joins(mac(1), "");
  for (let n = 100; n < 200; n++) await joins(mac(n), ATTIC);
  assert.equal(places.find(mac(100)), null);
  assert.equal(places.of(mac(1)), "");
  assert.deepEqual(released.map(({ MAC }) => MAC), [mac(1)]);
  await joins(mac(1), ATTIC);
  assert.equal(places.of(mac(1)), ATTIC);
});

Deno.test("a leaf router cannot let others forget stations again and again", async () => {
  const { clock, sent, joins } = parent(100);
  for (let n = 0; n < 20; n++) await joins(mac(1), ATTIC);
  assert.equal(sent.length, 5, "one station");
  for (let n = 2; n <= 100; n++) await joins(mac(n), ATTIC);
  assert.equal(sent.length, 64, "all stations");
  clock.now += 10_000;
  await joins(mac(1), ATTIC);
  assert.equal(sent.length, 65);
  for (let n = 0; n < 20; n++) await joins(mac(1), "");
  assert.equal(sent.length, 66, "its own radios have the station, which the leaf router forgets");
});

Deno.test("a router of the existing API is not asked to forget a station", async () => {
  const { sent, joins } = parent();
  await joins(mac(1), CELLAR);
  await joins(mac(1), ATTIC);
  await joins(mac(1), "");
  assert.deepEqual(sent, [`own ${mac(1)}`, `own ${mac(1)}`, `${ATTIC} ${mac(1)}`]);
});

Deno.test("a report that comes during another one does not move a station back", async () => {
  const { engine, places, released, joins } = parent();
  const { change } = engine;
  // The leaf router reports the station, which joined it later, while the report of a radio is taken.
  engine.change = async (...args) => {
    const result = await change.apply(engine, args);
    places.moved(mac(1), { router: ATTIC, since: 10_000_000 });
    return result as never;
  };
  await joins(mac(1), "", 60);
  assert.equal(places.of(mac(1)), ATTIC);
  assert.deepEqual(released.map(({ to, from, since }) => [to, from, since]), [
    [ATTIC, "", 10_000_000],
  ]);
});
