import assert from "node:assert/strict";
import fc from "fast-check";
import { airNetworks, loadOf } from "../../../../system/wifi/air/channel_use.ts";
import { afterRadarEvent, parseDfsChannels } from "../../../../system/wifi/air/radar_events.ts";
import {
  type RecommendationInput,
  recommendChannel,
  spanOfChannel,
} from "../../../../system/wifi/air/recommendation.ts";
import { NO_RADAR, RadioAir } from "../../../../system/wifi/air/schema.ts";
import { radioAir } from "../../../../system/wifi/air/radio_air.ts";
import type { IwNeighbour } from "../../../../system/wifi/iw/schema.ts";
import { RadioSettings } from "../../../../system/wifi/radio/settings_schema.ts";
import { RADIO } from "../../../kit/fakes/fake_wifid.ts";

function neighbour(freq: number, signal: number, more: Partial<IwNeighbour> = {}): IwNeighbour {
  return {
    ...{ bssid: "02:00:00:00:0b:01", interface: "wlan1", freq, ssid: "x", signal_dbm: signal },
    ...{ authentication_suites: "", supported_rates: [] },
    ...more,
  } as IwNeighbour;
}

function input(change: Partial<RecommendationInput>): RecommendationInput {
  return {
    ...{ band: "2.4", current: 0, width: 20, networks: [], others: [] },
    permitted: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    dfs: () => "none",
    ...change,
  };
}

const around = (...list: readonly IwNeighbour[]) => airNetworks(list, new Set());

Deno.test("a network takes the channels that its HT and VHT operation say", () => {
  const spans = around(
    neighbour(2437, -50),
    neighbour(2412, -50, { secondary_channel_offset: "above" }),
    neighbour(2462, -50, { secondary_channel_offset: "below" }),
    neighbour(5180, -50, { channel_width: "1 (80 MHz)", center_freq_segment_1: 42 }),
    // What makes no sense is not believed.
    neighbour(5180, -50, { channel_width: "1 (80 MHz)", center_freq_segment_1: 155 }),
    neighbour(5180, -50, { channel_width: "1 (80 MHz)", center_freq_segment_1: "42" }),
    neighbour(1234, -50),
  ).map(({ from, to }) => [from, to]);
  assert.deepEqual(spans, [
    [2427, 2447],
    [2402, 2442],
    [2432, 2472],
    [5170, 5250],
    [5170, 5190],
    [5170, 5190],
  ]);
});

Deno.test("the load of a channel grows with the number and the signal of others", () => {
  const span = spanOfChannel("2.4", 6, 20);
  const load = (...signals: readonly number[]): number =>
    loadOf(around(...signals.map((signal) => neighbour(2437, signal))), span).load;
  assert.equal(load(), 0);
  assert.ok(load(-80) < load(-60) && load(-60) < load(-60, -70));
  assert.deepEqual(loadOf(around(neighbour(2437, -80), neighbour(2442, -61)), span).strongest, -61);
  // Its own networks do not count, nor those beside it.
  const own = airNetworks([neighbour(2437, -40)], new Set(["02:00:00:00:0b:01"]));
  assert.equal(loadOf(own, span).networks, 0);
  assert.equal(loadOf(around(neighbour(2462, -40)), span).networks, 0);
});

Deno.test("the channel that others use least is recommended, with the reason", () => {
  const networks = around(
    neighbour(2412, -50),
    neighbour(2437, -60),
    neighbour(2437, -62),
    neighbour(2462, -85),
  );
  assert.deepEqual(recommendChannel(input({ networks, current: 6 })), {
    channel: 11,
    better: true,
    reason: "1 other network uses channel 11, the strongest with -85 dBm; 2 other networks use " +
      "channel 6, the strongest with -60 dBm",
  });
  assert.deepEqual(recommendChannel(input({ networks, current: 11 })), {
    channel: 11,
    better: false,
    reason:
      "1 other network uses channel 11, the strongest with -85 dBm, and no other channel is " +
      "clearly better",
  });
  assert.deepEqual(recommendChannel(input({ current: 6 })), {
    channel: 6,
    better: false,
    reason: "Channel 6 is free",
  });
  assert.equal(recommendChannel(input({ permitted: [] })), null);
  assert.equal(recommendChannel(input({ networks }))!.channel, 11);
});

Deno.test("radar and the router's other radios count against a channel", () => {
  const permitted = [36, 52, 100];
  const five = { band: "5", permitted, width: 20 } as const;
  const dfs: RecommendationInput["dfs"] = (channel) =>
    channel === 36 ? "none" : channel === 52 ? "unavailable" : "usable";
  const busy = around(neighbour(5180, -50), neighbour(5180, -55));
  const away = recommendChannel(input({ ...five, dfs, networks: busy, current: 36 }))!;
  assert.equal(away.channel, 100);
  assert.match(away.reason, /listens for radar first/);
  assert.equal(recommendChannel(input({ ...five, dfs }))!.channel, 36);
  assert.equal(recommendChannel(input({ ...five, dfs, others: [36] }))!.channel, 100);
});

Deno.test("what is recommended is permitted, and never worse than the channel that is used", () => {
  const one = fc.record({
    freq: fc.constantFrom(2412, 2417, 2422, 2437, 2452, 2462, 2472),
    signal: fc.integer({ min: -100, max: -20 }),
  });
  fc.assert(fc.property(
    fc.array(one),
    fc.subarray([1, 2, 6, 9, 11, 13], { minLength: 1 }),
    fc.integer({ min: 0, max: 13 }),
    (list, permitted, current) => {
      const networks = around(...list.map(({ freq, signal }) => neighbour(freq, signal)));
      const found = recommendChannel(input({ networks, permitted, current }))!;
      assert.ok(permitted.includes(found.channel));
      const load = (channel: number) => loadOf(networks, spanOfChannel("2.4", channel, 20)).load;
      if (permitted.includes(current)) {
        assert.ok(load(found.channel) <= load(current) + 1e-9);
        assert.equal(found.better, found.channel !== current);
      }
    },
  ));
});

Deno.test("events of hostapd say where a radio listens, and where radar made it go", () => {
  const start =
    "DFS-CAC-START freq=5260 chan=52 sec_chan=1, width=1, seg0=58, seg1=0, cac_time=60s";
  const listening = afterRadarEvent(NO_RADAR, start, 1000);
  assert.deepEqual([listening.listening, listening.until], [5260, 61_000]);
  const over = afterRadarEvent(
    listening,
    "DFS-CAC-COMPLETED success=1 freq=5260 ht_enabled=0",
    2000,
  );
  assert.deepEqual(over, NO_RADAR);
  const seen = afterRadarEvent(
    over,
    "DFS-RADAR-DETECTED freq=5260 ht_enabled=1 chan_offset=0",
    3000,
  );
  const moved = afterRadarEvent(seen, "DFS-NEW-CHANNEL freq=5180 chan=36 sec_chan=1", 3001);
  assert.deepEqual(moved, { listening: 0, until: 0, seenAt: 3000, seenOn: 5260, movedTo: 5180 });
  assert.equal(afterRadarEvent(moved, "AP-STA-CONNECTED 02:00:00:00:0a:01", 4000), moved);
  assert.equal(afterRadarEvent(NO_RADAR, "DFS-CAC-START garbage", 0).listening, 0);
});

Deno.test("DFS states of channels are read from iw", () => {
  const output = [
    "Band 2:",
    "\t* 5240 MHz [48] ",
    "\t  Maximum TX power: 23.0 dBm",
    "\t* 5260 MHz [52] ",
    "\t  Radar detection",
    "\t  DFS state: available (for 77 sec)",
    "\t  DFS CAC time: 60000 ms",
    "\t* 5280.0 MHz [56] ",
    "\t  DFS state: usable (for 1234 sec)",
    "\t* 5300 MHz [60] ",
    "\t  DFS state: exploded",
  ].join("\n");
  assert.deepEqual(parseDfsChannels(output), [
    { frequency: 5260, state: "available", seconds: 77 },
    { frequency: 5280, state: "usable", seconds: 1234 },
  ]);
  fc.assert(fc.property(fc.string(), (text) => void parseDfsChannels(text)));
});

Deno.test("the air of a radio is well-formed whatever other networks send", () => {
  const any = fc.record({
    bssid: fc.string(),
    freq: fc.oneof(fc.integer(), fc.constantFrom(2412, 5180, 5955)),
    ssid: fc.string({ unit: "binary" }),
    signal_dbm: fc.integer(),
    channel_width: fc.oneof(fc.string(), fc.integer()),
    center_freq_segment_1: fc.oneof(fc.string(), fc.integer()),
    secondary_channel_offset: fc.oneof(fc.string(), fc.constantFrom("above", "below")),
  });
  fc.assert(fc.property(fc.array(any), (list) => {
    const items = list.map((one) => neighbour(one.freq, one.signal_dbm, one));
    const air = radioAir({
      facts: RADIO,
      settings: RadioSettings.parse({ ssid: "home", hw_mode: "g", channel: 1 }),
      ...{ enabled: true, frequency: 2412, scan: { at: 5000, items }, own: new Set() },
      ...{ dfs: null, country: null, others: [] },
    });
    RadioAir.parse(air);
    assert.deepEqual([air.band, air.channel, air.scannedAt], ["2.4", 1, 5]);
  }));
});

Deno.test("a radio takes as much air as its width", () => {
  const taken = (settings: unknown, mhz: number): readonly number[] => {
    const air = radioAir({
      facts: RADIO,
      settings: RadioSettings.parse({ ssid: "home", ...settings as object }),
      ...{ enabled: true, frequency: mhz, scan: null, own: new Set() },
      ...{ dfs: null, country: null, others: [] },
    });
    return [air.width, air.from, air.to];
  };
  const fast = { hw_mode: "a", channel: 36, vht_oper_chwidth: 1 };
  assert.deepEqual(taken(fast, 5180), [80, 5170, 5250]);
  assert.deepEqual(taken(fast, 5220), [80, 5170, 5250]);
  assert.deepEqual(taken({ hw_mode: "g", channel: 1, ht_capab: "" }, 2412), [20, 2402, 2422]);
  assert.deepEqual(taken({ hw_mode: "g", channel: 0 }, 0).slice(1), [0, 0]);
});
