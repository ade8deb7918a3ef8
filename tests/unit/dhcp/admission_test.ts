import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import type { DeviceObservation } from "../../../system/core/engine/change.ts";
import { appearedDevice, guestDevice, isUndecided } from "../../../system/devices/device.ts";
import type { Device } from "../../../system/devices/schema.ts";
import { admissionsDocument } from "../../../system/dhcp/admission/admission_document.ts";
import { activeAdmissions, setAdmission } from "../../../system/dhcp/admission/admission_rules.ts";
import { CandidateTaken, lease, recordLease } from "../../../system/dhcp/leases/lease_rules.ts";
import {
  admissionLimitOf,
  UnknownDevices,
  unknownPools,
  withUnknownPools,
} from "../../../system/dhcp/admission/unknown_devices.ts";
import { parseIpv4 } from "../../../system/core/net/net.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";

const HOUR = 3600_000;
const NOW = 1_700_000_000_000;

/** The n-th device address of 10.0.0.0/16. */
const at = (n: number): string => `10.0.${n >> 6}.${4 * (n & 63) + 2}`;

/** So many devices from a number on; those that nobody decided about, or others. */
function some(count: number, from: number, undecided: boolean): Config["devices"] {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => {
      const address = mac(from + i);
      const made = undecided
        ? appearedDevice(address, `n${i}`)
        : device(address, { Policies: ["wan"] });
      return [address, { ...made, RecentIP: at(from + i) }];
    }),
  );
}

function config(nets: readonly string[], devices: Config["devices"]): Config {
  return configWith({ dhcp: { TinyNets: [...nets], LeaseTime: "1h0m0s" }, devices });
}

const seenOn = (link: string, firstSeen: number): DeviceObservation => ({
  ...{ firstSeen, lastSeen: firstSeen, link, online: true },
});

const arrival = (devices: Record<string, DeviceObservation> = {}, link = "lan0") => ({
  ...{ link, now: NOW, observed: { devices } },
});

Deno.test("a device is unknown until it has a policy, group, tag or password", () => {
  const appeared = appearedDevice(mac(1), "phone");
  assert.equal(isUndecided({ ...appeared, RecentIP: "192.168.2.2", Name: "Kim's" }), true);
  assert.equal(isUndecided(guestDevice(mac(1), "guest")), true);
  const decisions: readonly Partial<Device>[] = [
    { Policies: ["wan", "dns"] },
    { Policies: [] },
    { Groups: ["lab"] },
    { DeviceTags: ["tv"] },
    { DeviceDisabled: true, Policies: ["noapi", "disabled"] },
    { Style: { Icon: "phone", Color: "" } },
    { PSKEntry: { Type: "sae", Psk: "secret-password" } },
    { DeviceExpiration: 5 },
    { DNSCustom: "9.9.9.9" },
  ];
  for (const decision of decisions) {
    assert.equal(isUndecided({ ...appeared, ...decision }), false, JSON.stringify(decision));
  }
});

Deno.test("a quarter of what known devices leave of each network is kept for them", () => {
  const open = (nets: readonly string[], decided: number, undecided: number): readonly string[] =>
    unknownPools(config(nets, { ...some(decided, 0, false), ...some(undecided, decided, true) }));
  const [one, two] = ["10.0.0.0/24", "10.0.1.0/24"];
  assert.deepEqual(open([one], 0, 47), [one]);
  assert.deepEqual(open([one], 0, 48), []);
  assert.deepEqual(open([one], 60, 2), [one]);
  assert.deepEqual(open([one], 60, 3), []);
  assert.deepEqual(open([one, two], 0, 48), [two]);
  assert.deepEqual(open([one, two], 64, 47), [two]);
  assert.deepEqual(open([one, two], 64, 48), []);
  assert.deepEqual(open(["10.0.0.0/28"], 1, 2), ["10.0.0.0/28"], "of three, none is kept");
});

Deno.test("known devices have addresses left, however many unknown MAC addresses request", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 }), (known) => {
      let now = config(["10.0.0.0/24"], some(known, 0, false));
      const unknown = new UnknownDevices();
      let count = 0;
      for (let n = 1000; n < 1100; n++) {
        const free = Array.from({ length: 64 }, (_, n) => parseIpv4(at(n))!)
          .find((address) =>
            Object.values(now.devices).every((one) => parseIpv4(one.RecentIP) !== address)
          );
        try {
          [now] = lease(now, {
            ...{ mac: mac(n), link: `lan${n % 4}`, name: "", candidate: free ?? null },
            refusal: (config) => unknown.refusal(config, arrival({}, `lan${n % 4}`)),
          });
          count++;
        } catch (error) {
          assert.ok(!(error instanceof CandidateTaken));
        }
      }
      const rest = 64 - known;
      assert.equal(count, rest - Math.floor(rest / 4));
    }),
    { numRuns: 20 },
  );
});

Deno.test("unknown devices are limited per interface and hour; approved ones do not count", () => {
  const devices = some(32, 0, true);
  const seen = (link: string, firstSeen: number) =>
    Object.fromEntries(Object.keys(devices).map((identity) => [identity, seenOn(link, firstSeen)]));
  const refusal = (
    observed: Record<string, DeviceObservation>,
    more: Partial<Config["devices"]> = {},
  ) =>
    new UnknownDevices().refusal(
      config(["10.0.0.0/24"], { ...devices, ...more } as Config["devices"]),
      arrival(observed),
    );
  const bound = refusal(seen("lan0", NOW - HOUR + 1))!;
  assert.equal(bound.status, 409);
  assert.equal(admissionLimitOf(bound), "rate");
  assert.match(bound.message, /on lan0 for now: 32 new devices there within an hour/);
  assert.equal(refusal(seen("lan0", NOW - HOUR)), null, "an hour later");
  assert.equal(refusal(seen("lan1", NOW)), null, "another link");
  const decided = { ...devices[mac(3)]!, Policies: ["wan" as const] };
  assert.equal(refusal(seen("lan0", NOW), { [mac(3)]: decided }), null, "one is decided");
});

Deno.test("unknown devices count from the moment of their admission", () => {
  const unknown = new UnknownDevices();
  const now = config(["10.0.0.0/24"], some(32, 0, true));
  assert.equal(unknown.refusal(now, arrival()), null);
  for (let n = 0; n < 32; n++) unknown.add(mac(n), { link: "lan0", now: NOW });
  assert.ok(unknown.refusal(now, arrival()));
  assert.equal(unknown.refusal(now, arrival({}, "lan1")), null);
});

Deno.test("a larger pool takes more unknown devices an hour: one for each eight addresses", () => {
  const devices = some(2048, 0, true);
  const observed = Object.fromEntries(
    Object.keys(devices).map((identity) => [identity, seenOn("lan0", NOW)]),
  );
  const { [mac(9)]: _, ...fewer } = devices;
  const refusal = (devices: Config["devices"]) =>
    new UnknownDevices().refusal(config(["10.0.0.0/16"], devices), arrival(observed));
  assert.ok(refusal(devices));
  assert.equal(refusal(fewer), null);
});

Deno.test("a recorded address is limited as well, a known device never", () => {
  const now = config(["10.0.0.0/24", "10.0.1.0/24"], some(48, 0, true));
  const unknown = new UnknownDevices();
  const refusal = (config: Config) => unknown.refusal(config, arrival());
  const request = { link: "lan0", name: "", router: "", refusal };
  assert.throws(() => recordLease(now, { ...request, mac: mac(900), ip: at(50) }), {
    status: 409,
    message: /reserved for known devices/,
  });
  assert.equal(recordLease(now, { ...request, mac: mac(900), ip: at(64) })[1].appeared, true);
  const known = { ...now, devices: { ...now.devices, [mac(901)]: device(mac(901)) } };
  assert.equal(recordLease(known, { ...request, mac: mac(901), ip: at(50) })[1].appeared, false);
  assert.deepEqual(withUnknownPools(now).dhcp.TinyNets, ["10.0.1.0/24"]);
});

Deno.test("with no address left at all, the refusal says that the pools are exhausted", () => {
  const full = config(["10.0.0.0/28"], some(4, 0, false));
  assert.equal(new UnknownDevices().refusal(full, arrival()), null);
});

Deno.test("devices with a first-seen time in the future do not count against the limit", () => {
  const devices = some(200, 0, true);
  const observed = Object.fromEntries(
    Object.keys(devices).map((identity) => [identity, seenOn("lan0", NOW + 365 * 24 * HOUR)]),
  );
  const own = config(["10.0.0.0/16"], devices);
  const unknown = new UnknownDevices();
  assert.equal(unknown.refusal(own, arrival(observed)), null);
  const just = {
    ...observed,
    ...Object.fromEntries(Object.keys(devices).map((identity) => [identity, seenOn("lan0", NOW)])),
  };
  const many = config(["10.0.0.0/24"], some(40, 0, true));
  assert.ok(unknown.refusal(many, arrival(just)), "a device that appeared just now counts");
});

Deno.test("an admitting interface takes unknown devices beyond the hourly limit, not beyond the pool's", () => {
  const devices = some(32, 0, true);
  const observed = Object.fromEntries(
    Object.keys(devices).map((identity) => [identity, seenOn("lan0", NOW)]),
  );
  const bound = config(["10.0.0.0/24"], devices);
  const [opened, { Open }] = setAdmission(bound, { Interface: "lan0", Minutes: 60 }, NOW);
  assert.deepEqual(Open, [{ Interface: "lan0", Until: NOW / 1000 + 3600 }]);
  const refusal = (config: Config, now = NOW) =>
    new UnknownDevices().refusal(config, { ...arrival(observed), now });
  assert.ok(refusal(bound));
  assert.equal(refusal(opened), null);
  assert.equal(refusal(opened, NOW + HOUR - 1), null);
  const fresh = Object.fromEntries(
    Object.keys(devices).map((identity) => [identity, seenOn("lan0", NOW + HOUR)]),
  );
  const after = { link: "lan0", now: NOW + HOUR, observed: { devices: fresh } };
  assert.ok(new UnknownDevices().refusal(opened, after), "an hour later it is bound again");
  assert.ok(
    new UnknownDevices().refusal(opened, {
      ...arrival(
        Object.fromEntries(Object.keys(devices).map((identity) => [identity, seenOn("lan1", NOW)])),
        "lan1",
      ),
    }),
    "no other link",
  );
  const full = { ...opened, devices: some(48, 0, true) };
  assert.equal(admissionLimitOf(refusal(full)!), "pool");
});

Deno.test("an admission starts and ends; expired ones are dropped, and one set under a wrong clock is ignored", () => {
  const start = config(["10.0.0.0/24"], {});
  const [one] = setAdmission(start, { Interface: "lan0", Minutes: 60 }, NOW);
  const [two] = setAdmission(one, { Interface: "wlan0.4096", Minutes: 1440 }, NOW + HOUR);
  assert.deepEqual(two.admissions.Open.map(({ Interface }) => Interface), ["wlan0.4096"]);
  const [shut] = setAdmission(two, { Interface: "wlan0.4096", Minutes: 0 }, NOW + HOUR);
  assert.deepEqual(shut.admissions, { Open: [] });
  assert.equal(
    setAdmission(shut, { Interface: "lan0", Minutes: 0 }, NOW)[0],
    shut,
    "nothing to close",
  );
  assert.throws(
    () => setAdmission(start, { Interface: "eth9", Minutes: 60 }, NOW),
    /There is no interface eth9/,
  );
  const ahead = { Open: [{ Interface: "lan0", Until: NOW / 1000 + 365 * 86_400 }] };
  assert.deepEqual(activeAdmissions(ahead, NOW), []);
});

Deno.test("the admissions file is read entry by entry", () => {
  const good = { Interface: "lan0", Until: 1_700_000_000 };
  const bad = [{ Interface: "la n", Until: 1 }, { Interface: "lan1" }, null, 7, {
    ...good,
    Until: 5,
  }];
  const { value, rejected } = admissionsDocument.read({ Open: [good, ...bad] });
  assert.deepEqual(value, { Open: [good] });
  assert.deepEqual(
    rejected.map(({ pointer }) => pointer),
    bad.map((_, index) => `/Open/${index + 1}`),
  );
  assert.ok(rejected.every(({ message }) => message !== ""));
  assert.deepEqual(admissionsDocument.read({}).value, { Open: [] });
  assert.throws(() => admissionsDocument.read([]), /object with a list Open/);
  const many = Array.from({ length: 80 }, (_, n) => ({ Interface: `lan${n}`, Until: 5 }));
  assert.equal(admissionsDocument.read({ Open: many }).value.Open.length, 64);
});
