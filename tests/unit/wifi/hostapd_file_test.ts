import assert from "node:assert/strict";
import { hostapdFile } from "../../../system/wifi/hostapd/hostapd_file.ts";
import { channelWidth } from "../../../system/wifi/radio/modes.ts";
import { RadioSettings } from "../../../system/wifi/radio/settings_schema.ts";
import { plannedRadio } from "../../kit/wifi/fake_radio.ts";
import { FILE_CASES, SURROUNDINGS } from "../../kit/wifi/hostapd_files.ts";

const FOLDER = new URL("./hostapd_files/", import.meta.url);
/** `UPDATE_FILES=1` writes them anew. */
const isUpdate = Deno.env.get("UPDATE_FILES") === "1";

for (const { name, radio, around } of FILE_CASES) {
  Deno.test(`the hostapd file of ${name.replaceAll("_", " ")}`, async () => {
    const text = hostapdFile(radio, { ...SURROUNDINGS, ...around });
    const file = new URL(`${name}.conf`, FOLDER);
    if (isUpdate) await Deno.writeTextFile(file, text);
    assert.equal(text, await Deno.readTextFile(file));
  });
}

Deno.test("no key of 802.11ac is written at 2.4 GHz, and none twice in a network", () => {
  for (const { name, radio, around } of FILE_CASES) {
    const text = hostapdFile(radio, { ...SURROUNDINGS, ...around });
    if (radio.settings.hw_mode !== "a") assert.ok(!/^(vht_|ieee80211ac)/m.test(text), name);
    for (const part of text.split(/^(?=bss=)/m)) {
      const keys = part.split("\n").filter((line) => line.includes("="))
        .map((line) => line.slice(0, line.indexOf("="))).filter((key) => key !== "sae_password");
      assert.deepEqual(keys, [...new Set(keys)], name);
    }
  }
});

Deno.test("whatever is in a file stands on lines of its own", () => {
  const radio = plannedRadio({}, [{
    ...plannedRadio().networks[0]!,
    ssid: "a\nwpa=0",
  }]);
  const text = hostapdFile(radio, SURROUNDINGS);
  assert.ok(!/^wpa=0/m.test(text));
});

Deno.test("a width is the widest that is set and that the channel can have", () => {
  const width = (settings: Partial<RadioSettings>) =>
    channelWidth(RadioSettings.parse({ ssid: "x", ...settings }));
  assert.equal(width({ hw_mode: "a", channel: 36 }), 80);
  assert.equal(width({ hw_mode: "a", channel: 36, vht_oper_chwidth: 2 }), 160);
  assert.equal(width({ hw_mode: "a", channel: 132, vht_oper_chwidth: 2 }), 80);
  assert.equal(width({ hw_mode: "a", channel: 144, vht_oper_chwidth: 0 }), 40);
  assert.equal(width({ hw_mode: "g", channel: 6 }), 40);
  assert.equal(width({ hw_mode: "g", channel: 6, ht_capab: "" }), 20);
  assert.equal(width({ hw_mode: "g", channel: 14 }), 20);
  assert.equal(width({ hw_mode: "b", channel: 6 }), 20);
  const six = { hw_mode: "a", op_class: 133, channel: 1, ieee80211be: 1 } as const;
  assert.equal(width({ ...six, eht_oper_chwidth: 9 }), 320);
  assert.equal(width({ ...six, eht_oper_chwidth: 9, channel: 225 }), 40);
  assert.equal(width({ ...six, eht_oper_chwidth: 9, channel: 233 }), 20);
  assert.equal(width({ ...six, channel: 0, eht_oper_chwidth: 2 }), 160);
});
