import assert from "node:assert/strict";
import { radioFacts } from "../../../system/wifi/radio/facts.ts";
import { failsafeRadio } from "../../../system/wifi/radio/failsafe.ts";
import { plannedNetwork, plannedRadio } from "../../kit/wifi/fake_radio.ts";

const read = (name: string): Promise<string> =>
  Deno.readTextFile(new URL(`./iw/output/${name}.txt`, import.meta.url));

Deno.test("a radio is known by its bands, channels and modes", async () => {
  const facts = radioFacts(await read("list"), await read("dev"));
  assert.deepEqual(facts.map(({ name, phy, mac }) => [name, phy, mac]), [
    ["wlan1", "phy1", "02:00:00:00:01:00"],
  ]);
  const [{ accessPoint, perStation, networks, bands }] = facts as [typeof facts[number]];
  assert.deepEqual([accessPoint, perStation, networks], [true, true, 8]);
  assert.deepEqual(
    bands.map(({ band, ht, vht, he, eht }) => [band, ht, vht === null, he, eht]),
    [
      ["2.4", 0x107e, true, true, true],
      ["5", 0x107e, false, true, true],
      ["6", null, true, true, true],
    ],
  );
  const use = (band: string, channel: number): string | undefined =>
    bands.find((one) => one.band === band)?.channels.find((one) => one.channel === channel)?.use;
  assert.deepEqual([use("2.4", 1), use("2.4", 13)], ["usable", "disabled"]);
  assert.deepEqual([use("5", 36), use("5", 52)], ["usable", "radar"]);
});

Deno.test("interfaces of stations and additional networks are no radios", async () => {
  const dev = "phy#1\n\tInterface wlan1.4096\n\t\taddr 02:00:00:00:01:00\n\t\ttype AP/VLAN\n" +
    "\tInterface wlan1.ap0\n\t\ttype AP\n\tInterface wlan1\n\t\ttype AP\n";
  assert.deepEqual(radioFacts(await read("list"), dev).map(({ name }) => name), ["wlan1"]);
});

Deno.test("what iw does not print is not there", () => {
  assert.deepEqual(radioFacts("", ""), []);
  assert.deepEqual(radioFacts("garbage\n\tBand 1:\n", "phy#0\n\tInterface wlan0\n"), []);
  assert.deepEqual(radioFacts("Wiphy phy0\n", "phy#0\n\tInterface wlan0\n\t\ttype managed\n"), [{
    name: "wlan0",
    phy: "phy0",
    mac: "",
    accessPoint: false,
    perStation: false,
    ciphers: [],
    networks: 1,
    bands: [],
  }]);
});

Deno.test("a safe configuration keeps name and passwords, on a channel that may be used", async () => {
  const [facts] = radioFacts(await read("list"), await read("dev"));
  const guests = plannedNetwork({ name: "wlan1.ap0", password: "guest-password" });
  const plan = plannedRadio({ ssid: "Home", hw_mode: "a", channel: 100, op_class: 0 }, [
    plannedNetwork({ name: "wlan1", bssid: "02:00:00:00:09:09" }),
    guests,
  ]);
  const [first, second] = failsafeRadio(plan, facts!);
  assert.deepEqual([first!.settings.hw_mode, first!.settings.channel], ["a", 36]);
  assert.deepEqual([second!.settings.hw_mode, second!.settings.channel], ["g", 1]);
  for (const { networks, settings } of [first!, second!]) {
    assert.equal(settings.ssid, "Home");
    // An address that was set may be what the radio does not take.
    assert.deepEqual(networks, [plannedNetwork({ name: "wlan1", bssid: "" })]);
  }
});
