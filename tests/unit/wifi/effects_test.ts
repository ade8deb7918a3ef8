import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import type { PatchEntry } from "../../../system/core/engine/change.ts";
import type { Interface } from "../../../system/network/interfaces/schema.ts";
import { wifiEffects } from "../../../system/wifi/effects.ts";
import { ExtraBss } from "../../../system/wifi/extra_bss_schema.ts";
import { RadioSettings } from "../../../system/wifi/radio/settings_schema.ts";
import { changeOf } from "../../kit/builders/effects.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";
import { link } from "../../kit/builders/small_network.ts";

const PHONE = mac(1), TABLET = mac(2), GUEST = mac(3);
const seen = { [PHONE]: "wlan0", [TABLET]: "wlan0.5", [GUEST]: "wlan0.ap0" };

function home(
  radio: Partial<RadioSettings> = {},
  extra: Partial<ExtraBss> | null = {},
  more: Partial<Interface> = {},
): Config {
  return configWith({
    devices: {
      [PHONE]: device(PHONE, { Name: "Phone", PSKEntry: { Type: "sae", Psk: "phone password" } }),
      [TABLET]: device(TABLET, {
        Name: "Tablet",
        PSKEntry: { Type: "wpa2", Psk: "tablet password" },
      }),
      [GUEST]: device(GUEST, { Name: "Guest" }),
    },
    radios: { wlan0: RadioSettings.parse({ ssid: "home", ...radio }) },
    interfaces: [link("wlan0", "AP", {
      ExtraBSS: extra === null
        ? []
        : [ExtraBss.parse({ Ssid: "guests", GuestPassword: "come in, friend", ...extra })],
      ...more,
    })],
  });
}

const effects = (after: Config, patch: readonly PatchEntry[] = []) =>
  wifiEffects(changeOf(home(), after, { seen, patch }));

Deno.test("a network of another name is joined anew by who was on it, and the radio restarts", () => {
  assert.deepEqual(effects(home({ ssid: "villa" })), [
    "villa replaces home: Phone and Tablet must join it anew",
    "The radio wlan0 restarts: Guest reconnects",
  ]);
});

Deno.test("another channel interrupts who is on the radio", () => {
  assert.deepEqual(effects(home({ channel: 40 })), [
    "The radio wlan0 restarts: Phone, Tablet and Guest reconnect",
  ]);
  assert.deepEqual(effects(home()), []);
});

Deno.test("a network for WPA3 alone keeps devices with a password for WPA2 out", () => {
  assert.equal(
    effects(home({ wpa_key_mgmt: "SAE" }))[0],
    "home takes WPA3 only, with which Tablet cannot join",
  );
});

Deno.test("an additional network that opens up says so", () => {
  assert.ok(
    effects(home({}, { Wpa: "0", GuestPassword: "" }))
      .includes("guests is open to everyone, without a password"),
  );
  assert.ok(
    effects(home({}, { DisableIsolation: true }))
      .includes("Devices on guests reach each other past the firewall"),
  );
});

Deno.test("a guest password that is set is a new one, whatever it is", () => {
  const path = ["wlan0", "ExtraBSS", "guests", "GuestPassword"];
  const entry = { document: "interfaces", path, before: "a", after: "a" };
  const same = home();
  const words = ["Guest: the new password of guests is needed to join"];
  assert.deepEqual(effects({ ...same, interfaces: [...same.interfaces] }, [entry]), words);
  assert.deepEqual(effects(home({}, { GuestPassword: "go away, foe" }), [entry]), words);
});

Deno.test("the password of a device that is set or removed is reported, not compared", () => {
  const set = (identity: string) => [{
    document: "devices",
    path: [identity, "PSKEntry", "Psk"],
    before: "a",
    after: "a",
  }];
  assert.deepEqual(effects(home(), set(PHONE)), ["Phone needs its new Wi-Fi password"]);
  assert.deepEqual(effects(home(), set(GUEST)), [], "it had none");
  const after = home();
  const without = {
    ...after,
    devices: {
      ...after.devices,
      [PHONE]: { ...after.devices[PHONE]!, PSKEntry: { Type: "" as const, Psk: "" } },
    },
  };
  assert.deepEqual(effects(without, set(PHONE)), ["Phone can no longer join the Wi-Fi"]);
});

Deno.test("who reconnects because WPA2 passwords are read anew is named", () => {
  const before = home();
  const reads = ["home reads its WPA2 passwords anew: Phone reconnects by WPA3"];
  const lamp = mac(4);
  const added = (Type: "wpa2" | "sae"): Config => ({
    ...before,
    devices: {
      ...before.devices,
      [lamp]: device(lamp, { Name: "Lamp", PSKEntry: { Type, Psk: "lamp password" } }),
    },
  });
  const from = (after: Config, patch: readonly PatchEntry[] = []) =>
    wifiEffects(changeOf(before, after, { seen, patch }));
  assert.deepEqual(from(added("wpa2")), reads);
  assert.deepEqual(from(added("sae")), []);
  const { [TABLET]: _, ...others } = before.devices;
  assert.deepEqual(from({ ...before, devices: others }), reads);
  // One that is set anew is not compared.
  const path = [TABLET, "PSKEntry", "Psk"];
  const renewed = { ...before, devices: { ...before.devices } };
  assert.deepEqual(from(renewed, [{ document: "devices", path, before: "a", after: "a" }]), [
    "Tablet needs its new Wi-Fi password",
    ...reads,
  ]);
});
