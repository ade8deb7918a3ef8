import assert from "node:assert/strict";
import type { RadioFacts } from "../../../system/wifi/control_schema.ts";
import type { PlannedRadio } from "../../../system/wifi/plan_schema.ts";
import { accessPointProblem, radioProblem } from "../../../system/wifi/radio/abilities.ts";
import { firstSettings } from "../../../system/wifi/radio/first_settings.ts";
import { radioFacts } from "../../../system/wifi/radio/facts.ts";
import { RADIO } from "../../kit/fakes/fake_wifid.ts";
import { plannedNetwork, plannedRadio } from "../../kit/wifi/fake_radio.ts";

const FIVE: RadioFacts = {
  ...RADIO,
  bands: [{
    ...RADIO.bands[1]!,
    channels: [
      { channel: 36, frequency: 5180, maxPower: 20, use: "usable" },
      { channel: 52, frequency: 5260, maxPower: 20, use: "radar" },
      { channel: 100, frequency: 5500, maxPower: 0, use: "passive" },
      { channel: 149, frequency: 5745, maxPower: 0, use: "disabled" },
    ],
  }],
};

function problem(plan: PlannedRadio, facts: RadioFacts = FIVE, country = "US"): string | null {
  return radioProblem(plan, facts, country);
}

const at = (channel: number) => plannedRadio({ hw_mode: "a", channel });

Deno.test("a radio takes what it has, and says what it lacks", () => {
  assert.equal(problem(at(36)), null);
  assert.equal(problem(at(52)), null, "hostapd listens for radar first");
  assert.equal(problem(at(0)), null);
  assert.equal(problem(at(40)), "wlan0 has no channel 40 at 5 GHz");
  assert.match(problem(plannedRadio({ channel: 1 })) ?? "", /has no 2.4 GHz; it has 5 GHz/);
  const six = plannedRadio({ hw_mode: "a", channel: 37, op_class: 131 });
  assert.match(problem(six, RADIO) ?? "", /has no 6 GHz; it has 2.4 GHz and 5 GHz/);
});

Deno.test("what the kernel permits counts for the country whose rules it applies", () => {
  assert.match(problem(at(100)) ?? "", /may begin to send on channel 100 of wlan0 in US/);
  assert.match(problem(at(149)) ?? "", /cannot use channel 149 in US/);
  assert.equal(problem(at(149), FIVE, "00"), null, "the country is set when hostapd starts");
});

Deno.test("a radio without the modes of an access point, or with too few networks, says so", () => {
  assert.match(accessPointProblem({ ...RADIO, accessPoint: false }) ?? "", /no mode AP$/);
  assert.match(accessPointProblem({ ...RADIO, perStation: false }) ?? "", /AP\/VLAN/);
  const two = plannedRadio({ hw_mode: "a", channel: 36 }, [
    plannedNetwork(),
    plannedNetwork({ name: "wlan0.ap0" }),
  ]);
  assert.equal(problem(two), null);
  assert.equal(problem(two, { ...FIVE, networks: 1 }), "wlan0 can have 1 network at a time");
});

Deno.test("first settings of any radio are settings that it can follow", () => {
  for (const facts of [RADIO, FIVE, { ...RADIO, bands: [RADIO.bands[0]!] }]) {
    const settings = firstSettings("wlan0", { radio: facts });
    assert.equal(problem({ ...plannedRadio(), settings }, facts), null, JSON.stringify(settings));
  }
  const unknown = firstSettings("wlan0", { radio: null, country: "DE" });
  assert.deepEqual([unknown.channel, unknown.country_code], [36, "DE"]);
  assert.equal(firstSettings("w".repeat(15), { radio: null }).ssid.length, 22);
});

Deno.test("the ciphers of a radio are those that iw lists, in hostapd's words", async () => {
  const read = (name: string) =>
    Deno.readTextFile(new URL(`./iw/output/${name}.txt`, import.meta.url));
  const [facts] = radioFacts(await read("list"), await read("dev"));
  assert.deepEqual(facts!.ciphers, ["CCMP", "CCMP-256", "GCMP", "GCMP-256"]);
});
