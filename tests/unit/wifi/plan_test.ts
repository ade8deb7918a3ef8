import assert from "node:assert/strict";
import { Interface } from "../../../system/network/interfaces/schema.ts";
import { ExtraBss } from "../../../system/wifi/extra_bss_schema.ts";
import { plannedRadio, plannedRadios, stationKeys } from "../../../system/wifi/plan.ts";
import { defaultSettings } from "../../../system/wifi/radio/first_settings.ts";
import { device, KEY, mac } from "../../kit/builders/device_config.ts";

function addresses(link: Record<string, unknown>, ...extra: readonly string[]): readonly string[] {
  const ExtraBSS = extra.map((Bssid, n) => ExtraBss.parse({ Ssid: `extra ${n}`, Bssid }));
  const full = Interface.parse({ Name: "wlan0", Type: "AP", ...link, ExtraBSS });
  return plannedRadio(full, defaultSettings("wlan0")).networks.map(({ bssid }) => bssid);
}

Deno.test("addresses of networks differ in their first byte alone", () => {
  assert.deepEqual(addresses({}), [""], "that of the hardware");
  assert.deepEqual(addresses({}, ""), ["", ""], "hostapd counts up from it");
  assert.deepEqual(addresses({}, "c8:00:00:00:20:07", ""), [
    "02:00:00:00:20:07",
    "06:00:00:00:20:07",
    "0a:00:00:00:20:07",
  ]);
});

Deno.test("an address that the interface was given counts for all of its networks", () => {
  const own = "12:00:00:00:11:11";
  assert.deepEqual(addresses({ MACOverride: own }), [own]);
  for (
    const link of [
      { MACOverride: own },
      { MACRandomize: true, RandomMAC: own, MACOverride: "16:00:00:00:22:22" },
    ]
  ) {
    assert.deepEqual(addresses(link, "c8:00:00:00:20:07"), [
      "02:00:00:00:11:11",
      "06:00:00:00:11:11",
    ]);
  }
});

Deno.test("only access points that are on are planned, each with its own settings", () => {
  const links = [
    Interface.parse({ Name: "wlan1", Type: "AP", Enabled: true }),
    Interface.parse({ Name: "wlan0", Type: "AP", Enabled: false }),
    Interface.parse({ Name: "eth0", Type: "Uplink", Enabled: true }),
  ];
  const radios = { wlan1: { ...defaultSettings("wlan1"), ssid: "home" } };
  const plan = plannedRadios({ interfaces: links, radios });
  assert.deepEqual(plan.map(({ name, settings }) => [name, settings.ssid]), [["wlan1", "home"]]);
});

Deno.test("passwords are those of devices that may join, WPA2 and WPA3, by address", () => {
  const psk = (Type: "sae" | "wpa2" | "wpa" | "", Psk = "a password") => ({
    PSKEntry: { Type, Psk },
  });
  const devices = {
    [mac(1)]: device(mac(1), psk("sae") as never),
    [mac(2)]: device(mac(2), psk("wpa2") as never),
    [mac(3)]: device(mac(3), { ...psk("sae"), DeviceDisabled: true } as never),
    [mac(4)]: device(mac(4), { ...psk("sae"), Policies: ["disabled"] } as never),
    [mac(5)]: device(mac(5), psk("", "") as never),
    [KEY]: device(KEY, { ...psk("wpa2"), MAC: mac(6) } as never),
    "pending": device("pending", psk("sae") as never),
    "pending-2": device("pending-2", psk("wpa2") as never),
  };
  assert.deepEqual(
    stationKeys(devices).map(({ identity, mac, type }) => [identity, mac, type]).sort(),
    [
      [mac(1), mac(1), "sae"],
      [mac(2), mac(2), "wpa2"],
      [mac(6), mac(6), "wpa2"],
      ["pending", "", "sae"],
      ["pending-2", "", "wpa2"],
    ].sort(),
  );
});
