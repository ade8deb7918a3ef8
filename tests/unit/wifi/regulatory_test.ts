import assert from "node:assert/strict";
import { channelProblem, permittedChannels } from "../../../system/wifi/regulatory/permitted.ts";
import {
  readRegulatoryDb,
  type RegulatoryRule,
} from "../../../system/wifi/regulatory/regulatory_db.ts";

function rule(start: number, end: number, more: Partial<RegulatoryRule> = {}): RegulatoryRule {
  return {
    start,
    end,
    maxWidth: 80,
    maxPower: 20,
    radar: false,
    passive: false,
    indoorOnly: false,
    autoWidth: false,
    ...more,
  };
}

function widths(
  rules: readonly RegulatoryRule[],
  band: string,
  channel: number,
): readonly number[] {
  return permittedChannels(rules).find((one) => one.band === band && one.channel === channel)!
    .widths;
}

Deno.test("a channel is as wide as the rule that it lies in", () => {
  const rules = [rule(5170, 5250)];
  assert.deepEqual(widths(rules, "5", 36), [20, 40, 80]);
  assert.deepEqual(widths([rule(5170, 5250, { maxWidth: 40 })], "5", 36), [20, 40]);
  assert.deepEqual(widths(rules, "5", 52), []);
  assert.deepEqual(widths([rule(5170, 5210)], "5", 36), [20, 40], "80 MHz would reach beyond");
});

Deno.test("neighbouring rules make a wider channel only where both may be joined", () => {
  const one = rule(5170, 5250, { autoWidth: true });
  const next = rule(5250, 5330, { autoWidth: true, radar: true });
  assert.deepEqual(widths([next, one], "5", 36), [20, 40, 80, 160]);
  assert.deepEqual(widths([one, { ...next, autoWidth: false }], "5", 36), [20, 40, 80]);
  assert.deepEqual(widths([one, { ...next, start: 5255 }], "5", 36), [20, 40, 80]);
});

Deno.test("no access point begins to send under a rule for listening alone", () => {
  assert.deepEqual(widths([rule(5925, 7125, { maxWidth: 320, passive: true })], "6", 37), []);
});

Deno.test("a channel that is forbidden, or too wide, is named with its country", () => {
  const channels = permittedChannels([rule(2402, 2472, { maxWidth: 40 })]);
  const about = (channel: number, width: 20 | 40) =>
    channelProblem(channels, { country: "US", band: "2.4", channel, width });
  assert.equal(about(11, 20), null);
  assert.equal(about(0, 40), null);
  assert.match(about(13, 20)!, /^US does not permit access points on channel 13 at 2.4 GHz$/);
  assert.match(about(1, 40) ?? "", /^$/);
});

Deno.test("what is no database of this version is refused, in whatever place it ends", () => {
  for (const bytes of [new Uint8Array(), new Uint8Array(40), new TextEncoder().encode("RGDB")]) {
    assert.throws(() => readRegulatoryDb(bytes), /no regulatory database/);
  }
});

Deno.test("the installed database knows what everybody knows", async () => {
  let bytes: Uint8Array;
  try {
    bytes = await Deno.readFile("/lib/firmware/regulatory.db");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  const countries = readRegulatoryDb(bytes);
  assert.ok(countries.size > 100);
  const us = permittedChannels(countries.get("US")!), de = permittedChannels(countries.get("DE")!);
  const find = (list: typeof us, band: string, channel: number) =>
    list.find((one) => one.band === band && one.channel === channel)!;
  assert.deepEqual(find(us, "2.4", 13).widths, []);
  assert.deepEqual(find(de, "2.4", 13).widths, [20, 40]);
  assert.ok(find(us, "5", 36).widths.includes(80));
  assert.equal(find(de, "5", 100).radar, true);
  assert.equal(find(de, "5", 36).indoorOnly, true);
  for (const rules of countries.values()) {
    for (const { widths, maxPower } of permittedChannels(rules)) {
      assert.ok(widths.length === 0 || maxPower > 0);
    }
  }
});
