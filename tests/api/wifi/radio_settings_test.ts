import assert from "node:assert/strict";
import { RADIO } from "../../kit/fakes/fake_wifid.ts";
import { wifidBed as bed } from "../../kit/wifi/wifid_bed.ts";

Deno.test("a radio gets first settings that fit its bands, and the country of the others", async () => {
  await using b = await bed();
  const { router, wifid, put } = b;
  const config = (name: string) =>
    router.json<Record<string, unknown>>("GET", `/hostapd/${name}/config`);
  await put("/hostapd/wlan0/enable");
  const { hw_mode, channel, ieee80211ax, vht_oper_centr_freq_seg0_idx } = await config("wlan0");
  assert.deepEqual([hw_mode, channel, ieee80211ax, vht_oper_centr_freq_seg0_idx], ["a", 36, 1, 42]);
  await put("/hostapd/wlan0/config", { Country_code: "de" });
  wifid.items = [RADIO, { ...RADIO, name: "wlan1", bands: [RADIO.bands[0]!] }];
  await put("/hostapd/wlan1/enable");
  const slow = await config("wlan1");
  assert.deepEqual([slow.hw_mode, slow.channel, slow.country_code], ["g", 1, "DE"]);
  assert.ok(!String(slow.ht_capab).includes("HT40"), "neighbours share 2.4 GHz");
  await put("/hostapd/wlan1/config", { Ssid: "other", Channel: 6, Country_code: "US" });
  await put("/hostapd/wlan1/resetConfiguration");
  assert.deepEqual(await config("wlan1"), { ...slow, country_code: "US" }, "the country stays");
});

Deno.test("what is no radio, or none for access points, is not turned on", async () => {
  await using b = await bed();
  const { wifid, put } = b;
  assert.match(await put("/hostapd/wlan7/enable", undefined, 404), /no radio wlan7; use wlan0/);
  wifid.items = [];
  assert.match(await put("/hostapd/wlan0/enable", undefined, 404), /plug one in/);
  wifid.items = [{ ...RADIO, accessPoint: false }];
  assert.match(await put("/hostapd/wlan0/enable", undefined, 400), /has no mode AP/);
  wifid.items = [{ ...RADIO, perStation: false }];
  assert.match(await put("/hostapd/wlan0/enable", undefined, 400), /interface of its own/);
});

Deno.test("what calcChannel answers is taken as settings, at every width", async () => {
  await using b = await bed();
  const { put } = b;
  await put("/hostapd/wlan0/enable");
  const flags = { HT_Enable: true, VHT_Enable: true, HE_Enable: true, EHT_Enable: true };
  for (
    const [Channel, Bandwidth, Op_class] of [
      [36, 20, 0],
      [36, 80, 0],
      [64, 160, 0],
      [149, 80, 0],
      [149, 40, 131],
      [37, 160, 0],
      [37, 320, 0],
      [221, 320, 0],
      [0, 80, 0],
    ] as const
  ) {
    const wish = { Mode: "a", Channel, Bandwidth, ...flags, Op_class };
    const result = JSON.parse(await put("/hostapd/calcChannel", wish));
    const auto = Channel === 0 ? { AutoSelectChannel: true } : {};
    const set = JSON.parse(
      await put("/hostapd/wlan0/config", {
        Hw_mode: "a",
        Channel,
        Ieee80211be: 1,
        ...auto,
        ...result,
      }),
    );
    assert.equal(set.channel, Channel);
    assert.equal(set.wpa_key_mgmt === "SAE", result.Is_6e, JSON.stringify(wish));
  }
});

Deno.test("no field that is left out or empty changes security, country or mode", async () => {
  await using b = await bed();
  const set = async (body: unknown) => JSON.parse(await b.put("/hostapd/wlan0/config", body));
  await b.put("/hostapd/wlan0/enable");
  const before = await set({ Hw_mode: "a", Channel: 36, Country_code: "US" });
  assert.deepEqual(
    await set({ Hw_mode: "", Country_code: "", Rsn_pairwise: "", Ssid: "", Channel: 0 }),
    before,
  );
  assert.equal((await set({ Mld_ap: 1 })).ieee80211w, 2);
  assert.equal((await set({ Ssid: "x" })).ieee80211w, 2, "also later");
  const off = await set({ Mld_ap: 0 });
  assert.deepEqual([off.ieee80211w, "mld_ap" in off], [1, false]);
  await set({ Channel: 37, Op_class: 131, Mld_ap: 1 });
  assert.equal((await set({ Mld_ap: 0 })).ieee80211w, 2, "6 GHz needs it anyway");
});

Deno.test("at 6 GHz no network is weaker than WPA3", async () => {
  await using b = await bed();
  const { put } = b;
  await put("/hostapd/wlan0/enable");
  const guests = { Ssid: "guests", GuestPassword: "come in, friend" };
  await put("/hostapd/wlan0/enableExtraBSS", guests);
  const six = { Hw_mode: "a", Channel: 37, Op_class: 131 };
  assert.match(await put("/hostapd/wlan0/config", six, 400), /only WPA3 .* guests/);
  await put("/hostapd/wlan0/enableExtraBSS", { ...guests, WpaKeyMgmt: "SAE" });
  await put("/hostapd/wlan0/config", six);
  for (const weak of [{ WpaKeyMgmt: "WPA-PSK" }, { WpaKeyMgmt: "SAE WPA-PSK" }, { Wpa: "1" }]) {
    await put("/hostapd/wlan0/enableExtraBSS", { ...guests, ...weak }, 400);
  }
  await put("/hostapd/wlan0/enableExtraBSS", guests);
  const [extra] = b.router.engine.config.interfaces.find(({ Name }) => Name === "wlan0")!.ExtraBSS;
  assert.equal(extra!.WpaKeyMgmt, "SAE", "the usual one there");
});

Deno.test("a channel that the country does not permit is refused before hostapd gets it", async () => {
  await using b = await bed();
  const { wifid, put } = b;
  await put("/hostapd/wlan0/enable");
  const channel = { Mode: "a", Channel: 100, Bandwidth: 80, HT_Enable: true, VHT_Enable: true };
  assert.match(
    await put("/hostapd/wlan0/setChannel", channel, 400),
    /US does not permit access points on channel 100/,
  );
  assert.match(
    await put("/hostapd/wlan0/setChannel", { Mode: "g", Channel: 6, Bandwidth: 40 }, 400),
    /at most 20 MHz wide/,
  );
  assert.deepEqual(wifid.requests, []);
});

Deno.test("a radio is turned on together with settings, as one change or not at all", async () => {
  await using b = await bed();
  const { router, wifid, put } = b;
  wifid.complaint = "no";
  await put("/hostapd/wlan0/enable", { Ssid: "home", Country_code: "US" }, 400);
  assert.deepEqual(router.engine.config.radios, {});
  wifid.complaint = "";
  await put("/hostapd/wlan0/enable", { Ssid: "x".repeat(33) }, 400);
  await put("/hostapd/wlan0/enable", { Ssid: "home", Country_code: "us" });
  const { ssid, country_code } = router.engine.config.radios["wlan0"]!;
  assert.deepEqual([ssid, country_code], ["home", "US"]);
  const { items } = await router.json<{ items: { id: string; kind: string }[] }>("GET", "/changes");
  assert.equal(items.filter(({ kind }) => kind === "wifi.enable").length, 1);
  await put(`/changes/${items[0]!.id}/undo`);
  assert.equal(router.engine.config.interfaces.some(({ Name }) => Name === "wlan0"), false);
});
