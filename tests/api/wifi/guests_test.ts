import assert from "node:assert/strict";
import type { FakeWifid } from "../../kit/fakes/fake_wifid.ts";
import type { TestRouter } from "../../kit/router.ts";
import { wifidBed } from "../../kit/wifi/wifid_bed.ts";
import type { GuestStatus } from "../../../system/wifi/guests/schema.ts";

const status = (router: TestRouter): Promise<GuestStatus> =>
  router.json<GuestStatus>("GET", "/wifi/guests");

async function put(router: TestRouter, body: unknown, expected = 200): Promise<GuestStatus> {
  const answer = await router.ask("PUT", "/wifi/guests", { body });
  const text = await answer.text();
  assert.equal(answer.status, expected, text);
  return expected === 200 ? JSON.parse(text) : text as never;
}

/** Two access points, the second with an additional network of its own. */
async function points(router: TestRouter, wifid: FakeWifid): Promise<void> {
  wifid.items = [wifid.items[0]!, { ...wifid.items[0]!, name: "wlan0b" }];
  for (const name of ["wlan0", "wlan0b"]) {
    assert.equal((await router.ask("PUT", `/hostapd/${name}/enable`)).status, 200);
  }
}

const network = (router: TestRouter, name: string) =>
  router.engine.config.interfaces.find(({ Name }) => Name === name)!.ExtraBSS[0];

Deno.test("the guest network is one change on all radios, and one undo takes it back", async () => {
  await using bed = await wifidBed();
  const { router, wifid } = bed;
  await points(router, wifid);
  const before = await router.json<{ items: unknown[] }>("GET", "/changes");
  const made = await put(router, { Name: "Guests" });
  assert.match(made.Password, /^.{16}$/, "generated, and shown once");
  assert.deepEqual([made.Enabled, made.Networks], [true, ["wlan0.ap0", "wlan0b.ap0"]]);
  assert.equal(network(router, "wlan0")!.GuestPassword, made.Password);
  assert.equal(network(router, "wlan0b")!.GuestPassword, made.Password);
  assert.equal((await status(router)).Password, "**");
  const after = await router.json<{ items: { id: string; summary: string }[] }>("GET", "/changes");
  assert.equal(after.items.length, before.items.length + 1);
  assert.equal(after.items[0]!.summary, "Set the guest network Guests");
  assert.ok(!JSON.stringify(after).includes(made.Password));
  // The mask leaves the password, whatever else changes.
  await put(router, { Name: "Visitors", Password: "**", Until: 4_000_000_000 });
  assert.equal(network(router, "wlan0")!.GuestPassword, made.Password);
  assert.deepEqual([(await status(router)).Name, (await status(router)).Until], [
    "Visitors",
    4_000_000_000,
  ]);
  const ended = await router.ask("DELETE", "/wifi/guests");
  assert.equal(ended.status, 200, await ended.text());
  assert.equal((await status(router)).Enabled, false);
  assert.equal(network(router, "wlan0"), undefined);
  const undone = await router.ask("PUT", `/changes/${ended.headers.get("change-id")}/undo`);
  assert.equal(undone.status, 200, await undone.text());
  assert.equal(network(router, "wlan0b")!.GuestPassword, made.Password);
  assert.equal((await status(router)).Until, 4_000_000_000);
});

Deno.test("the guest network leaves other additional networks alone", async () => {
  await using bed = await wifidBed();
  const { router, wifid } = bed;
  await put(router, { Name: "Guests" }, 409);
  await points(router, wifid);
  await bed.put("/hostapd/wlan0b/enableExtraBSS", { Ssid: "IoT", GuestPassword: "12345678" });
  assert.deepEqual((await put(router, { Name: "Guests" })).Radios, ["wlan0"]);
  assert.match(String(await put(router, { Name: "G", Radios: ["wlan0b"] }, 400)), /IoT/);
  assert.match(String(await put(router, { Name: "G", Radios: ["lan0"] }, 400)), /no access point/);
  assert.match(String(await put(router, { Name: "G", Until: 1 }, 400)), /over/);
  await put(router, { Name: "", Until: 0 }, 400);
  await put(router, { Name: "a\nb" }, 400);
  await put(router, { Name: "G", Password: "12345678\nwpa=0" }, 400);
  wifid.complaint = "the driver has no room for it";
  assert.match(String(await put(router, { Name: "G" }, 400)), /no room/);
  wifid.complaint = "";
  assert.equal((await router.ask("DELETE", "/wifi/guests")).status, 200);
  assert.equal(network(router, "wlan0b")!.Ssid, "IoT");
});

Deno.test("the guest network ends at its time, and not before", async () => {
  let ahead = 0;
  await using bed = await wifidBed({ now: () => Date.now() + ahead });
  const { router, wifid } = bed;
  await points(router, wifid);
  await put(router, { Name: "Guests", Until: Math.floor(Date.now() / 1000) + 3600 });
  await router.runDueTasks();
  assert.equal((await status(router)).Enabled, true);
  ahead = 3_601_000;
  await router.runDueTasks();
  assert.equal((await status(router)).Enabled, false);
  const { items } = await router.json<{ items: { summary: string }[] }>("GET", "/changes");
  assert.equal(items[0]!.summary, "Automatic: ended the guest network");
});

Deno.test("a guest has a password of its own, which ends with the guest network", async () => {
  await using bed = await wifidBed();
  const { router, wifid } = bed;
  await points(router, wifid);
  const pass = (body: unknown) => router.ask("PUT", "/wifi/guests/pass", { body });
  assert.equal((await pass({ Name: "Aunt May" })).status, 409);
  await put(router, { Name: "Guests" });
  assert.match(network(router, "wlan0")!.WpaKeyMgmt, /SAE/);
  await put(router, { Name: "Guests", Passwords: "guest", Until: 4_000_000_000 });
  assert.doesNotMatch(network(router, "wlan0")!.WpaKeyMgmt, /SAE/, "a pass is for WPA2");
  const made = await (await pass({ Name: "Aunt May" })).json();
  assert.deepEqual([made.Identity, made.Until], ["pending", 4_000_000_000]);
  const other = await (await pass({ Name: "Ned", Until: 3_000_000_000 })).json();
  assert.deepEqual([other.Identity, other.Until], ["pending-2", 3_000_000_000]);
  assert.notEqual(made.Password, other.Password);
  const device = router.engine.config.devices["pending"]!;
  assert.deepEqual([...device.Policies].sort(), ["dns", "guestonly", "noapi", "wan"]);
  assert.deepEqual(device.DeviceTags, ["guest"]);

  // It joins on the guest network with its password, which is its own from then on.
  const mac = "02:00:00:00:0a:07";
  const joined = await router.inside("wifi", "PUT", "/reportPSKAuthSuccess", {
    ...{ Iface: "wlan0.ap0", Event: "AP-STA-CONNECTED", MAC: mac, KeyId: "pending" },
  });
  assert.equal((await joined.json()).Status, "Installed Pending PSK");
  const guest = router.engine.config.devices[mac]!;
  assert.deepEqual([guest.Name, guest.PSKEntry.Psk], ["Aunt May", made.Password]);
  assert.deepEqual((await status(router)).Guests.map(({ Name, Waiting }) => [Name, Waiting]), [
    ["Ned", true],
    ["Aunt May", false],
  ]);
  await router.ask("DELETE", "/wifi/guests");
  assert.equal(router.engine.config.devices[mac]!.PSKEntry.Psk, "");
  assert.equal(router.engine.config.devices["pending-2"], undefined);
});

Deno.test("a password that waits for a device of the home is not given to a guest", async () => {
  await using bed = await wifidBed();
  const { router, wifid } = bed;
  await points(router, wifid);
  await put(router, { Name: "Guests", Passwords: "guest" });
  const body = { Name: "TV", PSKEntry: { Type: "wpa2", Psk: "password of tv" }, Policies: ["lan"] };
  const waits = await router.ask("PUT", "/device?identity=pending", { body });
  assert.equal(waits.status, 200, await waits.text());
  const mac = "02:00:00:00:0a:08";
  for (const KeyId of ["pending", "pending-9", "", mac]) {
    const joined = await router.inside("wifi", "PUT", "/reportPSKAuthSuccess", {
      ...{ Iface: "wlan0.ap0", Event: "AP-STA-CONNECTED", MAC: mac, KeyId },
    });
    assert.equal((await joined.json()).Status, "Okay", KeyId);
  }
  assert.ok(router.engine.config.devices["pending"] !== undefined);
});
