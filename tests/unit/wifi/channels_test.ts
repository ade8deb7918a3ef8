import assert from "node:assert/strict";
import {
  calculateChannel,
  channelOnRadio,
  type ChannelParameters,
  channelSwitch,
} from "../../../system/wifi/radio/channel_rules.ts";
import {
  type Band,
  channelAt,
  channelsOf,
  frequency,
  secondaryOffset,
} from "../../../system/wifi/radio/channels.ts";

const BANDWIDTHS = [20, 40, 80, 160, 320, 8080] as const;
type Bandwidth = (typeof BANDWIDTHS)[number];

/** Blocks of each band and width: centre, and the primaries that it carries (IEEE 802.11 table E-4). */
const CENTRES: Readonly<Record<Band, Readonly<Record<number, readonly number[]>>>> = {
  "2.4": {},
  "5": {
    40: [38, 46, 54, 62, 102, 110, 118, 126, 134, 142, 151, 159, 167, 175],
    80: [42, 58, 106, 122, 138, 155, 171],
    160: [50, 114, 163],
  },
  "6": {
    40: range(3, 227, 8),
    80: range(7, 215, 16),
    160: range(15, 207, 32),
    320: range(31, 191, 32),
  },
};

function range(first: number, last: number, step: number): number[] {
  return Array.from({ length: (last - first) / step + 1 }, (_, n) => first + n * step);
}

/** Channel numbers from a centre to the outermost primary of its block. */
function reach(width: number): number {
  return width / 10 - 2;
}

function ask(
  band: Band,
  channel: number,
  bandwidth: Bandwidth,
  flags: Partial<ChannelParameters> = {},
): ChannelParameters {
  return {
    Mode: band === "2.4" ? "g" : "a",
    Channel: channel,
    Bandwidth: bandwidth,
    HT_Enable: true,
    VHT_Enable: true,
    HE_Enable: true,
    EHT_Enable: true,
    Op_class: band === "6" ? 131 : 0,
    ...flags,
  };
}

Deno.test("every primary of 5 and 6 GHz gets the centre of the block that it lies in", () => {
  for (const band of ["5", "6"] as const) {
    for (const channel of channelsOf(band)) {
      for (const bandwidth of BANDWIDTHS) {
        const width = bandwidth === 8080 ? 80 : bandwidth;
        const blocks = (channel === 2 ? [] : CENTRES[band][width] ?? [])
          .filter((middle) => Math.abs(middle - channel) <= reach(width));
        const at = `${band} GHz, channel ${channel}, ${bandwidth} MHz`;
        if (width !== 20 && blocks.length === 0) {
          assert.throws(() => calculateChannel(ask(band, channel, bandwidth)), { status: 400 }, at);
          continue;
        }
        const result = calculateChannel(ask(band, channel, bandwidth));
        const seg = [
          result.Vht_oper_centr_freq_seg0_idx,
          result.He_oper_centr_freq_seg0_idx,
          result.Eht_oper_centr_freq_seg0_idx,
        ];
        const base = band === "5" ? 5000 : 5950;
        assert.equal(result.Freq1, channel === 2 ? 5935 : base + 5 * channel, at);
        assert.equal(result.Is_6e, band === "6", at);
        if (width === 20) {
          assert.deepEqual(seg, [-1, -1, -1], at);
          assert.equal(result.Freq2, 0, at);
        } else {
          assert.ok(blocks.includes(seg[0]!), at);
          assert.deepEqual(seg, [seg[0], seg[0], seg[0]], at);
          assert.equal(result.Freq2, base + 5 * seg[0]!, at);
        }
      }
    }
  }
});

Deno.test("every primary of 2.4 GHz has its second channel within the band", () => {
  for (const channel of channelsOf("2.4")) {
    const narrow = calculateChannel(ask("2.4", channel, 20));
    assert.equal(narrow.Freq1, channel === 14 ? 2484 : 2407 + 5 * channel);
    assert.equal(narrow.Freq2, 0);
    for (const bandwidth of [80, 160, 320, 8080] as const) {
      assert.throws(() => calculateChannel(ask("2.4", channel, bandwidth)), { status: 400 });
    }
    if (channel === 14) {
      assert.throws(() => calculateChannel(ask("2.4", 14, 40)), /can be 20 MHz wide/);
      continue;
    }
    const wide = calculateChannel(ask("2.4", channel, 40));
    const second = channel + 4 * secondaryOffset("2.4", channel);
    assert.ok(second >= 1 && second <= 13, `${channel} with ${second}`);
    assert.equal(wide.Freq2, (wide.Freq1 + 2407 + 5 * second) / 2);
    assert.equal(wide.Vht_oper_centr_freq_seg0_idx, -1);
    assert.equal(wide.Op_class, 0);
  }
});

Deno.test("widths and operating classes are those of 802.11", () => {
  const labelOf = (band: Band, bandwidth: Bandwidth) => {
    const result = calculateChannel(ask(band, band === "5" ? 36 : 37, bandwidth));
    return [
      result.Vht_oper_chwidth,
      result.He_oper_chwidth,
      result.Eht_oper_chwidth,
      result.Op_class,
    ];
  };
  assert.deepEqual(BANDWIDTHS.filter((one) => one !== 320).map((one) => labelOf("5", one)), [
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [1, 1, 1, 128],
    [2, 2, 2, 129],
    [3, 3, 1, 130],
  ]);
  assert.deepEqual(BANDWIDTHS.map((one) => labelOf("6", one)), [
    [0, 0, 0, 131],
    [0, 0, 0, 132],
    [1, 1, 1, 133],
    [2, 2, 2, 134],
    [0, 0, 9, 137],
    [3, 3, 1, 135],
  ]);
  assert.equal(calculateChannel(ask("6", 2, 20)).Op_class, 136);
});

Deno.test("results that existing clients know", () => {
  const vectors: readonly (readonly [Band, number, Bandwidth, string, readonly unknown[]])[] = [
    ["2.4", 1, 20, "010", [-1, -1, -1, 0, 0, 0, 0, false, 2412, 0, 0]],
    ["2.4", 6, 40, "010", [-1, -1, -1, 0, 0, 0, 0, false, 2437, 2447, 0]],
    ["2.4", 11, 40, "000", [-1, -1, -1, 0, 0, 0, 0, false, 2462, 2452, 0]],
    ["2.4", 14, 20, "000", [-1, -1, -1, 0, 0, 0, 0, false, 2484, 0, 0]],
    ["5", 36, 20, "110", [-1, -1, -1, 0, 0, 0, 0, false, 5180, 0, 0]],
    ["5", 36, 40, "110", [38, 38, -1, 0, 0, 0, 0, false, 5180, 5190, 0]],
    ["5", 36, 80, "110", [42, 42, -1, 1, 1, 0, 128, false, 5180, 5210, 0]],
    ["5", 36, 160, "110", [50, 50, -1, 2, 2, 0, 129, false, 5180, 5250, 0]],
    ["5", 44, 80, "111", [42, 42, 42, 1, 1, 1, 128, false, 5220, 5210, 0]],
    ["5", 149, 80, "110", [155, 155, -1, 1, 1, 0, 128, false, 5745, 5775, 0]],
    ["5", 153, 20, "110", [-1, -1, -1, 0, 0, 0, 0, false, 5765, 0, 0]],
    ["6", 2, 20, "010", [-1, -1, -1, 0, 0, 0, 136, true, 5935, 0, 0]],
    ["6", 5, 80, "111", [7, 7, 7, 1, 1, 1, 133, true, 5975, 5985, 0]],
    ["6", 1, 320, "111", [31, 31, 31, 0, 0, 9, 137, true, 5955, 6105, 0]],
    ["6", 37, 320, "111", [63, 63, 63, 0, 0, 9, 137, true, 6135, 6265, 0]],
  ];
  for (const [band, channel, bandwidth, flags, expected] of vectors) {
    const [vht, he, eht] = [...flags].map((one) => one === "1");
    const result = calculateChannel(
      // Channels that only 6 GHz has need no operating class.
      ask(band, channel, bandwidth, {
        VHT_Enable: vht!,
        HE_Enable: he!,
        EHT_Enable: eht!,
        Op_class: 0,
      }),
    );
    assert.deepEqual(Object.values(result), expected, `${band} ${channel} ${bandwidth}`);
  }
});

Deno.test("a channel that hostapd chooses has widths and no centre", () => {
  const { Op_class, ...result } = calculateChannel(ask("5", 0, 80, { EHT_Enable: false }));
  assert.equal(Op_class, 128);
  assert.deepEqual(Object.values(result), [-1, -1, -1, 1, 1, 0, false, 0, 0, 0]);
  assert.equal(calculateChannel(ask("6", 0, 320)).Op_class, 137);
  assert.throws(() => channelSwitch(ask("5", 0, 80)), /Name the channel/);
});

Deno.test("channels of both bands are at 5 GHz unless the class or the radio is at 6 GHz", () => {
  for (const channel of [149, 153, 157, 161, 165, 169, 173, 177]) {
    const wish = ask("5", channel, 20);
    assert.equal(channelSwitch(wish).frequency, 5000 + 5 * channel);
    assert.equal(calculateChannel({ ...wish, Op_class: 134 }).Is_6e, true);
    assert.equal(
      channelSwitch(channelOnRadio({ op_class: 0 }, wish)).frequency,
      wish.Channel * 5 + 5000,
    );
    const six = channelSwitch(channelOnRadio({ op_class: 133 }, wish));
    assert.equal(six.frequency, 5950 + 5 * channel);
  }
});

Deno.test("the second 20 MHz of a switch lies on the side where the block is", () => {
  const offsets = [36, 40, 44, 48, 149, 161].map((channel) =>
    channelSwitch(ask("5", channel, 80)).offset
  );
  assert.deepEqual(offsets, [1, -1, 1, -1, 1, -1]);
  assert.equal(channelSwitch(ask("2.4", 11, 40)).offset, -1);
  assert.equal(channelSwitch(ask("5", 36, 20)).offset, 0);
  assert.throws(() => channelSwitch(ask("6", 37, 320)), { status: 400 });
});

Deno.test("a frequency leads back to its channel", () => {
  for (const band of ["2.4", "5", "6"] as const) {
    for (const channel of channelsOf(band)) {
      assert.deepEqual(channelAt(frequency(band, channel)), { band, channel });
    }
  }
  assert.equal(channelAt(5182), null);
});
