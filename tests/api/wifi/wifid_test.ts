import assert from "node:assert/strict";
import { eventually } from "../../kit/eventually.ts";
import { WifiHouse } from "../../kit/wifi/wifi_house.ts";

const PHONE = "02:00:00:00:0a:01", SAE = "00-0f-ac-8";

Deno.test("an access point is on the air as decided, and its first station is a device", async () => {
  await using house = await WifiHouse.open();
  const { machine, call } = bound(house);
  await house.turnOn("wlan0");
  await call("PUT", "/device?identity=pending", {
    Name: "Phone",
    PSKEntry: { Type: "sae", Psk: "phone password" },
  });
  await eventually("the password is in force", () => {
    assert.ok(machine.network("wlan0").acceptsSae(PHONE, "phone password"));
  });
  machine.stations.set(
    "wlan0.4096",
    `Station ${PHONE} (on wlan0.4096)\n\ttx packets:\t40\n\ttx retries:\t3\n\ttx failed:\t1\n`,
  );
  await machine.network("wlan0").connect({ mac: PHONE, vlan: 4096, suite: SAE });
  await eventually("it is a device", async () => {
    assert.equal((await call("GET", "/devices"))[PHONE]?.Name, "Phone");
  });
  const { items } = await call("GET", `/wifi/clients?mac=${PHONE}`);
  const { network, ssid, band, security, sent, retries, failed } = items[0];
  assert.deepEqual({ network, ssid, band, security, sent, retries, failed }, {
    network: "wlan0",
    ssid: "sluice-wlan0",
    band: "2.4",
    security: "WPA3",
    sent: 40,
    retries: 3,
    failed: 1,
  });
  assert.deepEqual((await call("GET", "/wifi/clients?mac=02:00:00:00:0a:02")).items, []);
  assert.ok(!house.lines.join().includes("phone password"));
});

Deno.test("a station that came to another radio is not on its old one any more", async () => {
  await using house = await WifiHouse.open(({ radios }) => radios.set("wlan1", OTHER));
  const { machine, call } = bound(house);
  await house.turnOn("wlan0", "wlan1");
  const place = async () => [
    (await call("GET", `/wifi/clients?mac=${PHONE}`)).items
      .map(({ network }: { readonly network: string }) => network),
    house.router.engine.observed.devices?.[PHONE]?.link,
  ];
  const comes = (radio: string, vlan: number, seconds = 0): Promise<void> =>
    machine.network(radio).connect({ mac: PHONE, vlan, suite: SAE, seconds });
  await comes("wlan1", 4096);
  await eventually("it is there", async () => {
    assert.deepEqual(await place(), [["wlan1"], "wlan1.4096"]);
  });
  // A station that changes radios takes no leave.
  await comes("wlan0", 4097);
  await eventually("it is here", async () => {
    assert.deepEqual(await place(), [["wlan0"], "wlan0.4097"]);
  });
  assert.ok(machine.network("wlan1").commands.includes(`DEAUTHENTICATE ${PHONE} tx=0`));
  // What a wifid finds that comes back may be old.
  await house.stopWifid();
  const stale = { mac: PHONE, vlan: 4098, suite: SAE, seconds: 900 };
  machine.network("wlan1").stations.set(PHONE, stale);
  await house.startWifid();
  await eventually("the older one is forgotten", async () => {
    assert.ok(!machine.network("wlan1").stations.has(PHONE));
    assert.deepEqual(await place(), [["wlan0"], "wlan0.4097"]);
  });
  // It joined another router: only networks that it joined before that forget it.
  const here = { mac: PHONE, vlan: 4097, suite: SAE, seconds: 900 };
  machine.network("wlan0").stations.set(PHONE, here);
  await house.wifid.forgetElsewhere(PHONE, 900);
  assert.ok(machine.network("wlan0").stations.has(PHONE));
  await house.wifid.forgetElsewhere(PHONE, 5);
  assert.ok(!machine.network("wlan0").stations.has(PHONE));
});

Deno.test("a control socket that hangs is 502 in time, and the other radio does not wait for it", async () => {
  await using house = await WifiHouse.open(({ radios }) => radios.set("wlan1", OTHER));
  const { machine, call } = bound(house);
  await house.turnOn("wlan0", "wlan1");
  machine.network("wlan0").trouble = "silent";
  const hanging = call("GET", "/hostapd/wlan0/status", undefined, 502);
  const before = performance.now();
  assert.equal((await call("GET", "/hostapd/wlan1/status")).state, "ENABLED");
  assert.ok(performance.now() - before < 1500, "it waited for the other one");
  assert.match((await hanging).detail, /did not reply within/);
  machine.network("wlan0").trouble = "none";
  assert.equal((await call("GET", "/hostapd/wlan0/status")).state, "ENABLED");
  assert.equal(
    machine.starts.length,
    2,
    "a socket that is slow for a while is no reason to restart",
  );
});

Deno.test("a control socket that dies half-way ends its request, and hostapd comes back by itself", async () => {
  await using house = await WifiHouse.open();
  const { machine, call } = bound(house);
  await house.turnOn("wlan0");
  machine.network("wlan0").trouble = "silent";
  const { commands } = machine.network("wlan0");
  const cut = house.router.ask("GET", "/hostapd/wlan0/all_stations");
  await eventually("it is requested", () => assert.ok(commands.includes("STA-FIRST")));
  machine.kill("wlan0");
  const answer = await cut;
  // It was given up, or its hostapd was seen to be gone before.
  assert.ok([502, 503].includes(answer.status));
  assert.match(
    (await answer.json()).detail,
    /hostapd did not reply|hostapd does not run|wlan0 is not on the air/,
  );
  await eventually("it came back", () => {
    assert.equal(machine.starts.length, 2);
    assert.ok(machine.has("wlan0"));
  });
  await house.until("wlan0", "enabled");
  assert.equal((await call("GET", "/hostapd/wlan0/status")).state, "ENABLED");
});

Deno.test("a control socket that answers garbage breaks nothing", async () => {
  await using house = await WifiHouse.open();
  const { machine, call } = bound(house);
  await house.turnOn("wlan0");
  for (const trouble of ["garbage", "huge"] as const) {
    machine.network("wlan0").trouble = trouble;
    assert.deepEqual(await call("GET", "/hostapd/wlan0/all_stations"), {});
    assert.deepEqual((await call("GET", "/wifi/clients")).items, []);
    const channel = { Mode: "g", Channel: 6, Bandwidth: 20 };
    const { detail } = await call("PUT", "/hostapd/wlan0/setChannel", channel, 502);
    assert.match(detail, /^hostapd: /);
  }
  machine.network("wlan0").trouble = "none";
  assert.equal((await call("GET", "/hostapd/wlan0/status")).state, "ENABLED");
  // Events of garbage are nobody's.
  for (const text of ["AP-STA-CONNECTED", "AP-STA-CONNECTED zz:zz", "\u0000", "<9>x"]) {
    await machine.network("wlan0").sendEvent(text);
  }
  await house.until("wlan0", "enabled");
});

Deno.test("a radio that is pulled out is reported, and is found at once when it is back", async () => {
  await using house = await WifiHouse.open();
  const { machine } = bound(house);
  await house.turnOn("wlan0");
  await machine.network("wlan0").connect({ mac: PHONE, vlan: 4096, suite: SAE });
  machine.unplug("wlan0");
  await eventually("a notice says so", async () => {
    assert.match((await house.notices()).join(), /wlan0 is not there/);
  });
  // It is not looked for meanwhile, but heard of.
  machine.plug("wlan0", "02:00:00:00:20:00");
  await eventually("it is on the air", () => assert.ok(machine.has("wlan0")));
  await house.until("wlan0", "enabled");
  await eventually("the notice is resolved", async () => {
    assert.deepEqual(await house.notices(), []);
  });
});

Deno.test("a radio that is plugged in is announced, although nothing is decided about it", async () => {
  await using house = await WifiHouse.open();
  const received: unknown[] = [];
  house.router.bus.subscribe(({ topic, data }) => {
    if (topic === "radio:present") received.push(data);
  });
  house.machine.plug("wlan1", OTHER);
  await eventually("it is received", () => {
    assert.deepEqual(received.at(-1), { names: ["wlan0", "wlan1"] });
  });
});

Deno.test("a configuration that hostapd refuses is reported in its words, and the old one stays", async () => {
  await using house = await WifiHouse.open();
  const { machine, call } = bound(house);
  await house.turnOn("wlan0");
  const before = await call("GET", "/hostapd/wlan0/config");
  machine.complaint = (text) => /^ssid2=.*78$/m.test(text) ? "Line 7: unknown item 'x'" : null;
  const { detail } = await call("PUT", "/hostapd/wlan0/config", { Ssid: "x" }, 400);
  assert.match(detail, /Line 7: unknown item 'x'/);
  assert.deepEqual(await call("GET", "/hostapd/wlan0/config"), before);
  assert.equal(machine.starts.length, 1);
});

Deno.test("settings with which the radio does not come up give way to the last ones, and say so", async () => {
  await using house = await WifiHouse.open();
  const { machine, call } = bound(house);
  await house.turnOn("wlan0");
  machine.failure = (text) => /^channel=6$/m.test(text) ? "Could not set channel" : null;
  await call("PUT", "/hostapd/wlan0/config", { Hw_mode: "g", Channel: 6 });
  assert.equal(await house.until("wlan0", "refused"), "Could not set channel");
  assert.match((await house.notices()).join(), /last ones that worked stay.*Could not set channel/);
  assert.equal((await call("GET", "/hostapd/wlan0/status")).state, "ENABLED");
  assert.equal(await call("GET", "/hostapd/wlan0/failsafe"), "ok");
});

Deno.test("a radio that never came up runs with safe settings, and says so", async () => {
  await using house = await WifiHouse.open();
  const { machine, call } = bound(house);
  machine.failure = (text) => /^ieee80211ax=1$/m.test(text) ? "Driver does not support it" : null;
  await call("PUT", "/hostapd/wlan0/enable");
  assert.equal(await house.until("wlan0", "failsafe"), "Driver does not support it");
  assert.equal(await call("GET", "/hostapd/wlan0/failsafe"), "failsafe running");
  assert.match((await house.notices()).join(), /runs with safe ones/);
});

Deno.test("a machine without hostapd is 503 with the package, and works once it is there", async () => {
  await using house = await WifiHouse.open(({ missing }) => missing.add("hostapd"));
  const { machine, call } = bound(house);
  const { detail } = await call("PUT", "/hostapd/wlan0/enable", undefined, 503);
  assert.match(detail, /Debian package hostapd/);
  assert.equal((await call("GET", "/wifi/radios")).hostapd, "");
  machine.missing.clear();
  await house.turnOn("wlan0");
  assert.equal((await call("GET", "/wifi/radios")).hostapd, "2.10");
});

Deno.test("a machine without iw is 503 with the package", async () => {
  await using house = await WifiHouse.open(({ missing }) => missing.add("iw"));
  const { call } = bound(house);
  for (const [method, path] of [["GET", "/wifi/radios"], ["PUT", "/hostapd/wlan0/enable"]]) {
    assert.match((await call(method!, path!, undefined, 503)).detail, /Debian package iw/);
  }
});

Deno.test("a wifid that comes back takes over what runs", async () => {
  await using house = await WifiHouse.open();
  const { machine, call } = bound(house);
  await house.turnOn("wlan0");
  await house.stopWifid();
  await call("GET", "/hostapd/wlan0/status", undefined, 503);
  assert.ok(machine.has("wlan0"), "hostapd goes on");
  await house.startWifid();
  await house.until("wlan0", "enabled");
  await eventually("it is spoken to", async () => {
    assert.equal((await call("GET", "/hostapd/wlan0/status")).state, "ENABLED");
  });
  assert.equal(machine.starts.length, 1);
});

Deno.test("radios that changed their names at a boot do not work with each other's settings", async () => {
  await using house = await WifiHouse.open(({ radios }) => radios.set("wlan1", OTHER));
  const { machine, call } = bound(house);
  await house.turnOn("wlan0", "wlan1");
  await house.stopWifid();
  machine.powerOff();
  const [first, second] = [machine.radios.get("wlan0")!, machine.radios.get("wlan1")!];
  machine.radios.set("wlan0", second).set("wlan1", first);
  const { length } = machine.starts;
  await house.startWifid();
  assert.equal(await house.until("wlan0", "renamed"), "wlan1");
  assert.equal(await house.until("wlan1", "renamed"), "wlan0");
  assert.equal(machine.starts.length, length, "neither was started");
  assert.match((await house.notices()).join(), /now wlan0 was wlan1 before/);
  // Who wants it so turns it off and on.
  await call("PUT", "/hostapd/wlan0/disable");
  await house.until("wlan0", "gone");
  await house.turnOn("wlan0");
  assert.equal(await house.until("wlan1", "renamed"), "wlan0");
  // Back in their places, both work again.
  await house.stopWifid();
  machine.powerOff();
  machine.radios.set("wlan0", second).set("wlan1", "02:00:00:00:22:00");
  await house.startWifid();
  await house.until("wlan0", "enabled");
  await house.until("wlan1", "enabled");
});

Deno.test("settings that followed radios to their new names are used with them at once", async () => {
  await using house = await WifiHouse.open(({ radios }) => radios.set("wlan1", OTHER));
  const { machine, router } = house;
  const adapters = () => ({
    facts: async () => ({
      ...await router.host.facts(),
      links: [...machine.radios].map(([name, mac], at) => ({
        ...{ name, mac, index: at + 20, up: true, running: true, kind: null },
      })),
    }),
  });
  await router.adapters.follow(adapters());
  await house.turnOn("wlan0", "wlan1");
  await router.adapters.remember(adapters());
  const before = router.engine.config;
  await house.stopWifid();
  machine.powerOff();
  const [first, second] = [machine.radios.get("wlan0")!, machine.radios.get("wlan1")!];
  machine.radios.set("wlan0", second).set("wlan1", first);
  await router.adapters.follow(adapters());
  assert.equal(router.engine.config.radios["wlan1"], before.radios["wlan0"]);
  await house.startWifid();
  await house.until("wlan0", "enabled");
  await house.until("wlan1", "enabled");
  assert.deepEqual(await house.notices(), []);
});

const OTHER = "02:00:00:00:21:00";

function bound(house: WifiHouse) {
  return { machine: house.machine, call: house.call.bind(house) };
}
