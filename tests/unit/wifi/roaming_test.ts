import assert from "node:assert/strict";
import fc from "fast-check";
import {
  armKey,
  learn,
  MAX_ARMS,
  MAX_HISTORY,
  notObserved,
  type Observation,
  observed,
  proposalRecord,
  proposeTransition,
  remember,
  resumed,
  type RoamingMemory,
  signalBucket,
  type SteerableStation,
} from "../../../system/wifi/roaming/steering.ts";
import {
  DEFAULT_ROAMING,
  RoamingConfig,
  type RoamingRecord,
} from "../../../system/wifi/roaming/schema.ts";
import {
  alwaysSteer,
  banditSteer,
  liveIn,
  neverSteer,
  seededRandom,
  STEP,
} from "../../kit/wifi/house.ts";

const NOW = Date.UTC(2026, 5, 1, 12);
const PHONE = "02:00:00:00:00:01";
const LAPTOP = "02:00:00:00:00:02";
const RADIOS = [
  { name: "wlan0", ssid: "home" },
  { name: "wlan1", ssid: "home" },
  { name: "wlan2", ssid: "home" },
  { name: "wlan3", ssid: "guests" },
];
const LIVE: RoamingConfig = { ...DEFAULT_ROAMING, DryRun: false };
const EMPTY: RoamingMemory = { history: [], model: {} };

function station(rssi: number, mac = PHONE, radio = "wlan0"): SteerableStation {
  return { mac, radio, rssi };
}

function view(stations: readonly SteerableStation[], now = NOW) {
  return { stations, radios: RADIOS, now, random: () => 0.999 };
}

function record(more: Partial<RoamingRecord> = {}): RoamingRecord {
  const proposal = { station: station(-80), target: "wlan1", origin: "auto" } as const;
  return { ...proposalRecord(proposal, { id: "1-1", now: NOW, dryRun: false }), ...more };
}

/** A memory in which a target is known to give a phone this reward. */
function knows(target: string, value: number, rssi = -80): RoamingMemory {
  const arm = { Count: 3, Value: value, LastReward: value, UpdatedAt: "2026-06-01T00:00:00Z" };
  return { history: [], model: { [armKey(PHONE, "wlan0", target, rssi)]: arm } };
}

Deno.test("signals fall into ranges of ten dB", () => {
  const cases = [[-72, -80], [-70, -70], [-71, -80], [-1, -10], [0, 0], [5, 0], [-100, -100]];
  for (const [rssi, bucket] of cases) assert.equal(signalBucket(rssi!), bucket, String(rssi));
});

Deno.test("settings outside the ranges, unknown and missing fields are refused", () => {
  assert.deepEqual(RoamingConfig.parse(DEFAULT_ROAMING), DEFAULT_ROAMING);
  const bad: Record<string, unknown>[] = [
    { PollIntervalSeconds: 4 },
    { PollIntervalSeconds: 301 },
    { ObservationDelaySeconds: 181 },
    { RSSIThresholdDBM: -29 },
    { RSSIThresholdDBM: -101 },
    { MinimumImprovementDBM: 41 },
    { CooldownSeconds: 29 },
    { MaxTransitionsPerHour: 0 },
    { ExplorationRate: 1.1 },
    { ExplorationRate: NaN },
    { AllowedInterfaces: ["wlan0", "wlan0"] },
    { AllowedInterfaces: ["wlan0; reboot"] },
    { Unknown: 1 },
    { CooldownSeconds: undefined },
  ];
  for (const change of bad) {
    assert.equal(
      RoamingConfig.safeParse({ ...DEFAULT_ROAMING, ...change }).success,
      false,
      JSON.stringify(change),
    );
  }
  const { AllowedInterfaces } = RoamingConfig.parse({
    ...DEFAULT_ROAMING,
    AllowedInterfaces: ["wlan1", "wlan0"],
  });
  assert.deepEqual(AllowedInterfaces, ["wlan0", "wlan1"]);
});

Deno.test("settings without DryRun send nothing", () => {
  const { DryRun: _, ...rest } = LIVE;
  assert.equal(RoamingConfig.parse(rest).DryRun, true);
});

Deno.test("a station is steered only where the model promises the gain", () => {
  const target = (memory: RoamingMemory, config = LIVE) =>
    proposeTransition(memory, config, view([station(-80)]))?.target ?? null;
  assert.equal(target(EMPTY), null);
  assert.equal(target(knows("wlan1", 24.9)), null);
  assert.equal(target(knows("wlan1", 25)), "wlan1");
  assert.equal(target(knows("wlan3", 90)), null, "another network");
  assert.equal(target(knows("wlan1", 90), { ...LIVE, AllowedInterfaces: ["wlan2"] }), null);
  const both = { ...EMPTY, model: { ...knows("wlan1", 40).model, ...knows("wlan2", 50).model } };
  assert.equal(target(both), "wlan2");
});

Deno.test("strong, unknown and impossible signals are left alone", () => {
  for (const rssi of [-69, 0, -101, 5, -70.5]) {
    const config = { ...LIVE, ExplorationRate: 1 };
    assert.equal(proposeTransition(EMPTY, config, view([station(rssi)])), null, String(rssi));
  }
});

Deno.test("the weakest station comes first", () => {
  const config = { ...LIVE, ExplorationRate: 1 };
  const proposal = proposeTransition(
    EMPTY,
    config,
    view([station(-75), station(-85, LAPTOP, "wlan1")]),
  );
  assert.equal(proposal?.station.mac, LAPTOP);
  assert.equal(proposal?.origin, "auto_explore");
});

Deno.test("a dry run recommends the first candidate where nothing is known", () => {
  const proposal = proposeTransition(EMPTY, DEFAULT_ROAMING, view([station(-80)]));
  assert.equal(proposal?.target, "wlan1");
});

Deno.test("a station rests for the whole cooldown, also beyond an hour", () => {
  const config = { ...LIVE, CooldownSeconds: 7200 };
  const at = (seconds: number, DryRun: boolean) => {
    const memory = { ...knows("wlan1", 90), history: [record({ DryRun, State: "succeeded" })] };
    return proposeTransition(memory, config, view([station(-80)], NOW + seconds * 1000)) !== null;
  };
  for (const dryRun of [true, false]) {
    assert.equal(at(3601, dryRun), false);
    assert.equal(at(7199, dryRun), false);
    assert.equal(at(7200, dryRun), true);
  }
});

Deno.test("a station whose request is awaited is left alone", () => {
  const memory = { ...knows("wlan1", 90), history: [record()] };
  const late = NOW + 10 * 86_400_000;
  assert.equal(proposeTransition(memory, LIVE, view([station(-80)], late)), null);
});

Deno.test("outcomes have the rewards of the model, and unknown ones teach nothing", () => {
  const outcome = (at: Observation["at"]) => {
    const { State, Reward } = observed(record(), { at, now: NOW + 20_000 });
    return [State, Reward];
  };
  assert.deepEqual(outcome({ radio: "wlan1", rssi: -55 }), ["succeeded", 45]);
  assert.deepEqual(outcome({ radio: "wlan1", rssi: 0 }), ["succeeded", 0]);
  assert.deepEqual(outcome({ radio: "wlan1", rssi: -120 }), ["succeeded", 0]);
  assert.deepEqual(outcome({ radio: "wlan0", rssi: -81 }), ["ignored", -15]);
  assert.deepEqual(outcome({ radio: "wlan2", rssi: -60 }), ["moved_elsewhere", -25]);
  assert.deepEqual(outcome(null), ["offline", -100]);
  const seen = (more: Partial<RoamingRecord>) =>
    observed(record(more), { at: { radio: "wlan1", rssi: -50 }, now: NOW });
  for (const taught of [seen({ DryRun: true }), seen({ SourceRSSI: 0 })]) {
    assert.deepEqual(learn(EMPTY, taught).model, {});
  }
  const failed = notObserved(record(), "observation_failed", "no topology");
  assert.deepEqual(learn(EMPTY, failed).model, {});
});

Deno.test("an arm is the mean of its rewards", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: -100, max: -1 }), { minLength: 1, maxLength: 50 }),
    (signals) => {
      let memory = EMPTY;
      for (const rssi of signals) {
        memory = learn(
          memory,
          observed(record(), { at: { radio: "wlan1", rssi }, now: NOW }),
        );
      }
      const arm = memory.model[armKey(PHONE, "wlan0", "wlan1", -80)]!;
      const mean = signals.reduce((sum, rssi) => sum + 100 + rssi, 0) / signals.length;
      assert.equal(arm.Count, signals.length);
      assert.ok(Math.abs(arm.Value - mean) < 1e-9);
      assert.equal(arm.LastReward, 100 + signals.at(-1)!);
    },
  ));
});

Deno.test("no run of decisions breaks a limit", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 31 }),
      fc.record({
        CooldownSeconds: fc.integer({ min: 30, max: 5000 }),
        MaxTransitionsPerHour: fc.integer({ min: 1, max: 8 }),
        ExplorationRate: fc.double({ min: 0, max: 1, noNaN: true }),
        DryRun: fc.boolean(),
      }),
      (seed, some) => {
        const config = { ...DEFAULT_ROAMING, ...some };
        const random = seededRandom(seed);
        let memory = EMPTY;
        const sent: RoamingRecord[] = [];
        for (let now = NOW, n = 0; n < 300; n++, now += 15_000) {
          const stations = [PHONE, LAPTOP].map((mac) =>
            station(-60 - Math.floor(random() * 39), mac, random() < 0.5 ? "wlan0" : "wlan1")
          );
          for (const one of memory.history.filter(({ State }) => State === "sent")) {
            memory = learn(memory, observed(one, { at: null, now }));
          }
          const proposal = proposeTransition(memory, config, {
            stations,
            radios: RADIOS,
            now,
            random,
          });
          if (proposal === null) continue;
          assert.ok(proposal.station.rssi <= config.RSSIThresholdDBM);
          assert.notEqual(proposal.target, proposal.station.radio);
          assert.notEqual(proposal.target, "wlan3");
          const made = proposalRecord(proposal, { id: `${now}-${n}`, now, dryRun: config.DryRun });
          sent.push(made);
          memory = remember(memory, made);
        }
        const times = (list: readonly RoamingRecord[]) =>
          list.map(({ RequestedAt }) => Date.parse(RequestedAt));
        for (const mac of [PHONE, LAPTOP]) {
          times(sent.filter(({ MAC }) => MAC === mac)).reduce((before, at) => {
            assert.ok(at - before >= config.CooldownSeconds * 1000);
            return at;
          }, -Infinity);
        }
        if (config.DryRun) return;
        const all = times(sent);
        for (const at of all) {
          const hour = all.filter((other) => other > at - 3_600_000 && other <= at);
          assert.ok(hour.length <= config.MaxTransitionsPerHour);
        }
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("history and model stay bounded, the oldest goes first", () => {
  let memory = EMPTY;
  for (let n = 0; n < MAX_HISTORY + 5; n++) memory = remember(memory, record({ ID: `${n}-1` }));
  assert.equal(memory.history.length, MAX_HISTORY);
  assert.equal(memory.history[0]!.ID, `${MAX_HISTORY + 4}-1`);
  const arms = Object.fromEntries(
    Array.from({ length: MAX_ARMS }, (_, n) => [
      `x${n}`,
      { Count: 1, Value: 1, LastReward: 1, UpdatedAt: new Date(NOW + n * 1000).toISOString() },
    ]),
  );
  const late = observed(record(), { at: null, now: NOW + MAX_ARMS * 1000 });
  const { model } = learn({ history: [], model: arms }, late);
  assert.equal(Object.keys(model).length, MAX_ARMS);
  assert.equal("x0" in model, false);
  assert.ok(armKey(PHONE, "wlan0", "wlan1", -80) in model);
});

Deno.test("requests that a restart interrupted are closed and teach nothing", () => {
  const { history, model } = resumed({ history: [record()], model: {} });
  assert.equal(history[0]!.State, "observation_failed");
  assert.deepEqual(model, {});
});

Deno.test("in a simulated house steering beats both doing nothing and always the stronger radio", () => {
  const config: RoamingConfig = {
    ...LIVE,
    RSSIThresholdDBM: -68,
    CooldownSeconds: 120,
    MaxTransitionsPerHour: 100,
    ExplorationRate: 0.05,
  };
  const total = { never: 0, always: 0, bandit: 0 };
  for (const seed of [1, 2, 3, 4]) {
    const house = { seed, seconds: 2400 * STEP, stations: 12 };
    total.never += liveIn(house, neverSteer()).reward;
    total.always += liveIn(house, alwaysSteer(config.RSSIThresholdDBM)).reward;
    total.bandit += liveIn(house, banditSteer(config, seed)).reward;
  }
  assert.ok(total.bandit > total.never, JSON.stringify(total));
  assert.ok(total.bandit > total.always, JSON.stringify(total));
});
