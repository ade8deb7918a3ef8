import assert from "node:assert/strict";
import { otpOf } from "../../kit/otp.ts";
import { testRouter } from "../../kit/router.ts";
import { wifidBed as bed, WIRED_FILES } from "../../kit/wifi/wifid_bed.ts";

const PHONE = "02:00:00:00:0a:01";

Deno.test("a radio is turned on, set, turned off and set back, each as one change", async () => {
  await using b = await bed();
  const { router, put } = b;
  await put("/hostapd/wlan0/enable");
  const first = await router.json<Record<string, unknown>>("GET", "/hostapd/wlan0/config");
  assert.equal(first.ssid, "sluice-wlan0");
  assert.equal(first.country_code, "US");
  const set = JSON.parse(
    await put("/hostapd/wlan0/config", {
      Ssid: "a=b 😀",
      Channel: 149,
      Hw_mode: "a",
      Vht_oper_centr_freq_seg0_idx: 155,
      Freq1: 5745,
      Mode: "a",
    }),
  );
  assert.equal(set.channel, 149);
  assert.equal(set.ssid, "a=b 😀");
  assert.equal(set.vht_oper_centr_freq_seg0_idx, 155);
  const { items } = await router.json<{ items: { id: string; kind: string }[] }>("GET", "/changes");
  assert.equal(items[0]!.kind, "wifi.radio");
  await put(`/changes/${items[0]!.id}/undo`);
  assert.deepEqual(await router.json("GET", "/hostapd/wlan0/config"), first);
  await put("/hostapd/wlan0/disable");
  const links = await router.json<{ Name: string; Enabled: boolean }[]>(
    "GET",
    "/interfacesConfiguration",
  );
  assert.equal(links.find(({ Name }) => Name === "wlan0")!.Enabled, false);
});

Deno.test("what hostapd refuses is reported in its words, and nothing changes", async () => {
  await using b = await bed();
  const { router, wifid, put } = b;
  await put("/hostapd/wlan0/enable");
  wifid.complaint = "Line 20: unknown configuration item 'foo_bar'";
  const before = router.engine.config;
  const text = await put("/hostapd/wlan0/config", { Ssid: "x" }, 400);
  assert.match(text, /unknown configuration item/);
  assert.equal(router.engine.config, before);
  assert.equal(wifid.checked.at(-1)!.networks[0]!.ssid, "x");
  const preview = await router.ask("PUT", "/hostapd/wlan0/config?dryRun=true", {
    body: { Ssid: "x" },
  });
  assert.equal(preview.status, 400, "a preview says it as well");
  await preview.body?.cancel();
});

Deno.test("settings outside their grammar are refused with their place", async () => {
  await using b = await bed();
  await b.put("/hostapd/wlan0/enable");
  const bad: readonly (readonly [string, unknown])[] = [
    ["Ssid", "x".repeat(33)],
    ["Ssid", "é".repeat(17)],
    ["Country_code", "U\n"],
    ["Country_code", "usa"],
    ["Ht_capab", "[HT40+]\nwpa=0"],
    ["Vht_capab", "RXLDPC"],
    ["Hw_mode", "a\r\nwpa=0"],
    ["Mlo_hw_mode", "a\nwpa=0"],
    ["Rsn_pairwise", "CCMP\nwpa=0"],
    ["Channel", 999],
    ["Channel", 37.5],
    ["Op_class", 50],
    ["Ssid_hex", "zz"],
  ];
  for (const [field, value] of bad) {
    const text = await b.put("/hostapd/wlan0/config", { [field]: value }, 400);
    assert.match(text, new RegExp(`"pointer":"/${field}"`), `${field} ${JSON.stringify(value)}`);
  }
  for (const [field, value] of [["Channel", 35], ["Vht_oper_centr_freq_seg0_idx", 43]] as const) {
    await b.put("/hostapd/wlan0/config", { Hw_mode: "a", [field]: value }, 400);
  }
  for (const name of ["wlan0;reboot", "..", "-wlan0", "a".repeat(16)]) {
    const answer = await b.router.ask("PUT", `/hostapd/${encodeURIComponent(name)}/enable`);
    assert.ok(answer.status >= 400 && answer.status < 500, name);
    await answer.body?.cancel();
  }
});

Deno.test("6 GHz keeps its security until the radio leaves it", async () => {
  await using b = await bed();
  const set = async (body: unknown) => JSON.parse(await b.put("/hostapd/wlan0/config", body));
  await b.put("/hostapd/wlan0/enable");
  const six = await set({ Hw_mode: "a", Channel: 37, Op_class: 133, Ieee80211ax: 1 });
  assert.equal(six.wpa_key_mgmt, "SAE");
  assert.equal(six.ieee80211w, 2);
  for (const body of [{ Ssid: "other" }, { Channel: 149 }, { Ieee80211ax: 1 }]) {
    const still = await set(body);
    assert.equal(still.wpa_key_mgmt, "SAE", JSON.stringify(body));
    assert.equal(still.op_class, 133);
  }
  const five = await set({ Channel: 36 });
  assert.equal(five.wpa_key_mgmt, "WPA-PSK WPA-PSK-SHA256 SAE");
  assert.equal("op_class" in five, false);
  await set({ Hw_mode: "g", Channel: 6 });
  const kept = await set({ Hw_mode: "a", Channel: 36 });
  assert.equal(kept.vht_capab, five.vht_capab, "kept for a return to 5 GHz");
});

Deno.test("a second link of Wi-Fi 7 is kept and shown, whatever a form leaves out", async () => {
  await using b = await bed();
  const set = async (body: unknown) => JSON.parse(await b.put("/hostapd/wlan0/config", body));
  const link = { mlo_channel: 37, mlo_bandwidth: 160, mlo_hw_mode: "a" };
  await b.put("/hostapd/wlan0/enable");
  const first = await set({ Hw_mode: "a", Channel: 36 });
  assert.deepEqual(Object.keys(first).filter((key) => /^ml[do]_/.test(key)), []);
  const second = { Mlo_channel: 37, Mlo_bandwidth: 160, Mlo_hw_mode: "a" };
  const linked = await set({ Mld_ap: 1, Ieee80211be: 1, ...second });
  assert.equal(linked.ieee80211w, 2, "Wi-Fi 7 wants protected frames");
  for (const body of [{ Ssid: "other" }, { Mlo_channel: 0, Mlo_hw_mode: "" }, {}]) {
    const { mlo_channel, mlo_bandwidth, mlo_hw_mode } = await set(body);
    assert.deepEqual({ mlo_channel, mlo_bandwidth, mlo_hw_mode }, link, JSON.stringify(body));
  }
  const alone = await set({ Mld_ap: 0 });
  assert.ok(!("mld_ap" in alone));
});

Deno.test("an additional network is kept with its password masked everywhere", async () => {
  await using b = await bed();
  const { router, put } = b;
  const secret = "a guest's secret";
  const network = { Ssid: "guests", Bssid: "02:00:00:00:20:00", Wpa: "2", guestPassword: secret };
  await put("/hostapd/wlan0/enableExtraBSS", network, 404);
  await put("/hostapd/wlan0/enable");
  await put("/hostapd/wlan0/enableExtraBSS", network);
  const list = await router.json<{ Name: string; ExtraBSS?: Record<string, unknown>[] }[]>(
    "GET",
    "/interfacesConfiguration",
  );
  const shown = list.find(({ Name }) => Name === "wlan0")!.ExtraBSS!;
  assert.equal(shown.length, 1);
  assert.equal(shown[0]!.WpaKeyMgmt, "WPA-PSK WPA-PSK-SHA256");
  assert.equal(shown[0]!.DisableIsolation, false);
  assert.equal(shown[0]!.GuestPassword, "**");
  for (const path of ["/changes", "/interfacesConfiguration"]) {
    const answer = await router.ask("GET", path);
    assert.ok(!(await answer.text()).includes(secret), path);
  }
  const preview = await router.ask("PUT", "/hostapd/wlan0/enableExtraBSS?dryRun=true", {
    body: { ...network, guestPassword: "another secret one" },
  });
  assert.ok(!/secret/.test(await preview.text()), "neither the old nor the new one");
  await put("/hostapd/wlan0/enableExtraBSS", { ...network, Ssid: "visitors", guestPassword: "**" });
  const [extra] = router.engine.config.interfaces.find(({ Name }) => Name === "wlan0")!.ExtraBSS;
  assert.equal(extra!.GuestPassword, secret);
  const text = await (await router.inside("wifi", "GET", "/interfaces_virtual_bss")).text();
  assert.equal(text, "wlan0.ap0 ");
  for (
    const wrong of [{ Wpa: "3" }, { Bssid: "short" }, { Ssid: "" }, { guestPassword: "a|b 12345" }]
  ) {
    await put("/hostapd/wlan0/enableExtraBSS", { ...network, ...wrong }, 400);
  }
  for (const WpaKeyMgmt of ["SAE", "WPA-PSK-SHA256", "WPA-PSK SAE"]) {
    await put("/hostapd/wlan0/enableExtraBSS", { ...network, Wpa: "1", WpaKeyMgmt }, 400);
  }
  await put("/hostapd/wlan0/enableExtraBSS", { ...network, Wpa: "1", DisableIsolation: true });
  const [old] = router.engine.config.interfaces.find(({ Name }) => Name === "wlan0")!.ExtraBSS;
  assert.deepEqual([old!.Wpa, old!.DisableIsolation], ["1", true]);
  await put("/hostapd/wlan0/enableExtraBSS", { Ssid: "open", Wpa: "0", WpaKeyMgmt: "" });
  const gone = await router.ask("DELETE", "/hostapd/wlan0/enableExtraBSS");
  assert.equal(gone.status, 200);
  assert.equal(gone.headers.get("content-type"), null);
});

Deno.test("the state of access points comes from wifid, and its refusals reach the caller", async () => {
  await using b = await bed();
  const { router, wifid, put } = b;
  const status = await router.json<Record<string, string>>("GET", "/hostapd/wlan0/status");
  assert.equal(status["ssid[0]"], "a=b");
  assert.deepEqual(
    Object.keys(await router.json("GET", "/hostapd/wlan0.ap0/all_stations") as object),
    [
      PHONE,
    ],
  );
  assert.equal((await router.ask("GET", "/hostapd/wlan7/status")).status, 404);
  await put("/hostapd/wlan0/deauth", "02-00-00-00-0A-01");
  const channel = { Mode: "a", Channel: 44, Bandwidth: 80, HT_Enable: true, VHT_Enable: true };
  const result = JSON.parse(await put("/hostapd/wlan0/setChannel", channel));
  assert.equal(result.Vht_oper_centr_freq_seg0_idx, 42);
  await put("/hostapd/wlan0/setChannel", { ...channel, Bandwidth: 8080 }, 400);
  await put("/hostapd/restart");
  await put("/hostapd/syncMesh");
  assert.deepEqual(wifid.requests, [
    `deauth wlan0 ${PHONE}`,
    "channel wlan0 5220 80 1 5210",
    "restart ",
  ]);
  assert.equal(await router.json("GET", "/hostapd/phy9/failsafe"), "ok");
  const scan = await router.ask("GET", "/iw/dev/wlan0/scan");
  assert.equal(scan.status, 502);
  assert.match(await scan.text(), /Device or resource busy/);
  const { items } = await router.json<{ items: { name: string; type: string }[] }>(
    "GET",
    "/wifi/radios",
  );
  assert.deepEqual(items.map(({ name, type }) => [name, type]), [["wlan0", ""]]);
});

Deno.test("without wifid the routes say so, and settings can still be decided", async () => {
  await using router = await testRouter({ files: WIRED_FILES });
  const status = await router.ask("GET", "/hostapd/wlan0/status");
  assert.equal(status.status, 503);
  assert.match(await status.text(), /does not run/);
  assert.equal((await router.ask("PUT", "/hostapd/wlan0/enable")).status, 200);
});

Deno.test("calcChannel answers its eleven fields in the order that clients compare", async () => {
  await using router = await testRouter({ files: WIRED_FILES });
  const answer = await router.ask("PUT", "/hostapd/calcChannel", {
    body: {
      Mode: "a",
      Channel: 36,
      Bandwidth: 80,
      HT_Enable: true,
      VHT_Enable: true,
      HE_Enable: true,
    },
  });
  assert.equal(
    (await answer.text()).trim(),
    '{"Vht_oper_centr_freq_seg0_idx":42,"He_oper_centr_freq_seg0_idx":42,' +
      '"Eht_oper_centr_freq_seg0_idx":-1,"Vht_oper_chwidth":1,"He_oper_chwidth":1,' +
      '"Eht_oper_chwidth":0,"Op_class":128,"Is_6e":false,"Freq1":5180,"Freq2":5210,"Freq3":0}',
  );
});

Deno.test("a radio that cannot start is a notice until it can", async () => {
  await using b = await bed();
  const { router } = b;
  await b.put("/hostapd/wlan0/enable");
  const report = (state: string, problem: string) =>
    router.inside("wifi", "PUT", "/radios", {
      items: [{ name: "wlan0", state, channel: 1, frequency: 2412, problem, waiting: "" }],
      present: ["wlan0"],
    });
  const open = async () =>
    (await router.json<{ items: { kind: string; detail: string }[] }>("GET", "/notices")).items
      .filter(({ kind }) => kind === "wifi-radio");
  await report("failsafe", "Could not determine operating frequency");
  assert.match((await open())[0]!.detail, /Could not determine operating frequency/);
  assert.equal(await router.json("GET", "/hostapd/wlan0/failsafe"), "failsafe running");
  await report("enabled", "");
  assert.deepEqual(await open(), []);
  assert.equal(await router.json("GET", "/hostapd/wlan0/failsafe"), "ok");
});

Deno.test("the password of a guest network is shown with a one-time code alone", async () => {
  await using b = await bed();
  const { router, put } = b;
  await put("/hostapd/wlan0/enable");
  await put("/hostapd/wlan0/enableExtraBSS", { Ssid: "guests", GuestPassword: "come in, friend" });
  const path = "/wifi/networks/wlan0.ap0/password";
  const refused = await router.ask("GET", path);
  assert.equal(refused.status, 403);
  assert.ok(!(await refused.text()).includes("friend"));
  const headers = await otpOf(router);
  assert.deepEqual(await router.json("GET", path, { headers }), { password: "come in, friend" });
  for (const other of ["wlan0", "wlan0.ap1", "lan0"]) {
    const answer = await router.ask("GET", `/wifi/networks/${other}/password`, { headers });
    assert.equal(answer.status, 404, other);
    await answer.body?.cancel();
  }
});
