import assert from "node:assert/strict";
import { otpOf } from "../../kit/otp.ts";
import { wifidBed } from "../../kit/wifi/wifid_bed.ts";

const PHONE = "02:00:00:00:0a:01";

Deno.test("a network name of any bytes is kept as it is, in the settings and in the plan", async () => {
  await using b = await wifidBed();
  const { router, wifid, put } = b;
  await put("/hostapd/wlan0/enable");
  const names = [
    `"quoted" 'twice'`,
    "back\\slash\\n",
    "a|b|mac=02:00:00:00:00:01",
    "😀 Zuhause",
    "#comment=x",
    " blanks ",
    "x".repeat(32),
    "${HOME} $(reboot) `id`",
  ];
  for (const Ssid of names) {
    const set = JSON.parse(await put("/hostapd/wlan0/config", { Ssid }));
    assert.equal(set.ssid, Ssid);
    assert.equal(wifid.checked.at(-1)!.networks[0]!.ssid, Ssid);
  }
  // What is no text has its bytes in hexadecimal.
  for (const Ssid_hex of ["0d0a", "00ff", "0a".repeat(32)]) {
    await put("/hostapd/wlan0/config", { Ssid_hex });
    assert.equal(wifid.checked.at(-1)!.networks[0]!.ssidHex, Ssid_hex);
  }
  await put("/hostapd/wlan0/config", { Ssid: "text again" });
  assert.equal(router.engine.config.radios["wlan0"]!.ssid_hex, "");
});

Deno.test("a network name that hostapd cannot have is refused at its field", async () => {
  await using b = await wifidBed();
  const { router, put } = b;
  await put("/hostapd/wlan0/enable");
  const before = router.engine.config;
  const bad = [
    "x".repeat(33),
    "😀".repeat(9),
    "line\nbreak",
    "a\r\nwpa=0",
    "nul\u0000",
    "\u0085",
    "\ud800",
  ];
  for (const Ssid of bad) {
    const text = await put("/hostapd/wlan0/config", { Ssid }, 400);
    assert.match(text, /"pointer":"\/Ssid"/, JSON.stringify(Ssid));
    assert.match(await put("/hostapd/wlan0/enableExtraBSS", { Ssid }, 400), /"pointer":"\/Ssid"/);
  }
  for (const Ssid_hex of ["0", "0g", "00".repeat(33), "0x00"]) {
    assert.match(await put("/hostapd/wlan0/config", { Ssid_hex }, 400), /"pointer":"\/Ssid_hex"/);
  }
  assert.equal(router.engine.config, before);
});

Deno.test("a device's password is kept byte by byte, or refused at its field", async () => {
  await using b = await wifidBed();
  const { router } = b;
  const headers = await otpOf(router);
  const query = new URLSearchParams({ identity: PHONE });
  const give = (Psk: string, Type = "sae") =>
    router.ask("PUT", `/device?${query}`, { body: { MAC: PHONE, PSKEntry: { Type, Psk } } });
  const good = [
    `"quoted" 'twice'`,
    "back\\slash\\",
    "#comment=x ;y",
    "%s%n$(reboot)`id`",
    " leading and trailing ",
    "8 signs!",
    "x".repeat(63),
    "0123456789abcdef".repeat(3),
  ];
  for (const Psk of good) {
    for (const Type of ["sae", "wpa2"]) {
      assert.equal((await give(Psk, Type)).status, 200, Psk);
      const shown = await router.json<{ PSKEntry: unknown }>("GET", `/device?${query}`, {
        headers,
      });
      assert.deepEqual(shown.PSKEntry, { Type, Psk });
    }
  }
  const before = router.engine.config;
  const bad = [
    "7 signs",
    "x".repeat(64),
    // As hostapd would read a key, not a password.
    "0123456789abcdef".repeat(4),
    "with|mac=02:00:00:00:00:01",
    "emoji 😀😀",
    "line\nbreak here",
    "carriage\rreturn",
    "nul\u0000 inside",
    "umlaut ä long",
    "         ",
  ];
  for (const Psk of bad) {
    const answer = await give(Psk);
    const text = await answer.text();
    assert.equal(answer.status, 400, JSON.stringify(Psk));
    assert.match(text, /"pointer":"\/PSKEntry\/Psk"/);
    assert.ok(!text.includes(JSON.stringify(Psk).slice(1, -1)), "what was sent is not repeated");
    const body = { Ssid: "guests", GuestPassword: Psk };
    await router.ask("PUT", "/hostapd/wlan0/enable");
    const refused = await router.ask("PUT", "/hostapd/wlan0/enableExtraBSS", { body });
    assert.equal(refused.status, 400, JSON.stringify(Psk));
    assert.match(await refused.text(), /"pointer":"\/GuestPassword"/);
  }
  assert.deepEqual(router.engine.config.devices, before.devices);
});

Deno.test("a MAC address is known with colons and dashes, and what is none is refused", async () => {
  await using b = await wifidBed();
  const { router, wifid, put } = b;
  for (
    const form of [
      "02:00:00:00:0A:01",
      "02-00-00-00-0a-01",
      "02-00:00-00:0A-01",
      " 02:00:00:00:0a:01 ",
    ]
  ) {
    await put("/hostapd/wlan0/deauth", form);
    assert.equal(wifid.requests.at(-1), `deauth wlan0 ${PHONE}`, form);
    const report = { Iface: "lan0", MAC: form, Event: "AP-STA-CONNECTED" };
    const answer = await router.inside("wifi", "PUT", "/reportPSKAuthSuccess", report);
    assert.equal((await answer.json()).MAC, PHONE, form);
  }
  const { length } = wifid.requests;
  const bad: unknown[] = [
    "",
    "0200.0000.0a01",
    "020000000a01",
    "02:00:00:00:0a",
    "02:00:00:00:0a:01:02",
    "02:00:00:00:0a:0g",
    "02:00:00:00:0a:01 X",
    "02:00:00:00:0a:01\nDISABLE",
    "ff:ff:ff:ff:ff:ff",
    "01:00:5e:00:00:01",
    "00:00:00:00:00:00",
    42,
    null,
    [PHONE],
  ];
  for (const form of bad) {
    await put("/hostapd/wlan0/deauth", form, 400);
    const report = { Iface: "lan0", MAC: form, Event: "AP-STA-CONNECTED" };
    const answer = await router.inside("wifi", "PUT", "/reportPSKAuthSuccess", report);
    assert.equal(answer.status, 400, JSON.stringify(form));
    await answer.body?.cancel();
  }
  const answer = await router.ask("GET", "/wifi/clients?mac=nobody");
  assert.equal(answer.status, 400);
  await answer.body?.cancel();
  assert.equal(wifid.requests.length, length);
});

Deno.test("an interface name that is an argument, a path or a command reaches no tool", async () => {
  await using b = await wifidBed();
  const { router, wifid } = b;
  const names = [
    "-h",
    "--help",

    "a/b",
    "wlan0;reboot",
    "wlan0 x",
    "wlan0\n",
    "x".repeat(16),
    "%s",
  ];
  const routes = [
    ["GET", "status"],
    ["GET", "all_stations"],
    ["GET", "config"],
    ["PUT", "config"],
    ["PUT", "enable"],
    ["PUT", "disable"],
    ["PUT", "resetConfiguration"],
    ["PUT", "enableExtraBSS"],
    ["DELETE", "enableExtraBSS"],
    ["PUT", "deauth"],
    ["PUT", "setChannel"],
    ["GET", "failsafe"],
    ["PUT", "bssTransition"],
  ] as const;
  const before = router.engine.config;
  const refuse = async (method: string, path: string): Promise<void> => {
    const answer = await router.ask(method, path, method === "PUT" ? { body: {} } : {});
    assert.ok([400, 404].includes(answer.status), `${method} ${path}: ${answer.status}`);
    await answer.body?.cancel();
  };
  for (const name of names.map(encodeURIComponent)) {
    for (const [method, word] of routes) await refuse(method, `/hostapd/${name}/${word}`);
    await refuse("GET", `/iw/dev/${name}/scan`);
    await refuse("GET", `/wifi/networks/${name}/password`).catch((error) => {
      // It asks for a code first.
      assert.match(error.message, /: 403$/);
    });
  }
  for (const country of ["usa", "U1", "..", "%0a"]) {
    await refuse("GET", `/wifi/countries/${country}`);
  }
  assert.deepEqual([wifid.requests, wifid.checked], [[], []]);
  assert.equal(router.engine.config, before);
});
