import assert from "node:assert/strict";
import { Problem } from "../../../system/core/errors/problem.ts";
import { statusLines } from "../../../system/wifi/hostapd/replies.ts";
import type { WifiPlan } from "../../../system/wifi/plan_schema.ts";
import { RadioSettings } from "../../../system/wifi/radio/settings_schema.ts";
import { DEFAULT_ROAMING, type RoamingConfig } from "../../../system/wifi/roaming/schema.ts";
import { Steering } from "../../../system/wifi/roaming/steering_loop.ts";

const PHONE = "02:00:00:00:00:01";

/** Two radios of one name, 2.4 and 5 GHz, whose stations a test moves. */
class TwoRadios {
  readonly sent: string[] = [];
  readonly files = new Map<string, string>();
  radio = "wlan0";
  /** What hostapd says of the phone beside its signal. */
  station: Readonly<Record<string, string>> = { flags: "[AUTH][ASSOC][AUTHORIZED]" };
  signal = -80;
  /** What hostapd says of a request. */
  reply = "OK";
  time = Date.UTC(2026, 0, 1);
  rounds = 0;
  changes: Readonly<Record<string, string>> = {};
  readonly steering: Steering;

  constructor(roaming: RoamingConfig, settings: Partial<RadioSettings> = {}) {
    const quiet = {
      debug() {},
      info() {},
      warn() {},
      error: (_: string, text: string) => assert.fail(text),
    };
    this.steering = new Steering({
      stations: (network) =>
        Promise.resolve(
          network === this.radio
            ? { [PHONE]: { signal: String(this.signal), ...this.station } }
            : {},
        ),
      request: (network, command) => Promise.resolve(this.#answer(network, command)),
      sendFrame: (link, { kind, to, body }) =>
        void this.sent.push(`${link} ${kind} ${to} ${body.toHex()}`),
      lines: statusLines,
      read: (name) => Promise.resolve(this.files.get(name) ?? null),
      write: (name, text) => Promise.resolve(void this.files.set(name, text)),
      pause: (ms) => {
        this.time += ms;
        this.rounds -= 1;
        return Promise.resolve();
      },
      ended: () => this.rounds <= 0,
      now: () => this.time,
      random: () => 0,
      log: quiet,
    });
    const radio = (name: string): WifiPlan["radios"][number] => ({
      name,
      settings: RadioSettings.parse({ ssid: "home", bss_transition: 1, ...settings }),
      networks: [],
    });
    this.steering.follow({
      tag: "1",
      decided: true,
      radios: [radio("wlan0"), radio("wlan1")],
      keys: [],
      supplicants: [],
      hardware: {},
      roaming,
    });
  }

  async go(rounds: number): Promise<void> {
    this.rounds = rounds;
    await this.steering.run();
  }

  #answer(network: string, command: string): string {
    const second = network === "wlan1";
    if (command === "STATUS") {
      return `state=ENABLED\nfreq=${second ? 5180 : 2437}\nieee80211n=1\nieee80211ac=${
        Number(second)
      }`;
    }
    if (command === "GET_CONFIG") {
      const lines = {
        bssid: second ? "02:00:00:00:21:00" : "02:00:00:00:20:00",
        ssid: "home",
        wpa: "2",
        key_mgmt: "WPA-PSK SAE",
        group_cipher: "CCMP",
        rsn_pairwise_cipher: "CCMP",
        ...(second ? this.changes : {}),
      };
      return Object.entries(lines).map(([key, value]) => `${key}=${value}`).join("\n");
    }
    this.sent.push(`${network} ${command}`);
    return this.reply;
  }
}

const LIVE: RoamingConfig = { ...DEFAULT_ROAMING, DryRun: false, ExplorationRate: 1 };

Deno.test("a weak station is offered the other radio, and a restart closes the request", async () => {
  const radios = new TwoRadios(LIVE);
  await radios.go(2);
  assert.deepEqual(radios.sent, [
    `wlan0 BSS_TM_REQ ${PHONE} pref=1 abridged=1 valid_int=30 ` +
    "neighbor=02:00:00:00:21:00,0x00000000,115,36,9,0301ff",
  ]);
  assert.equal(radios.steering.status.TransitionsActive, 1);
  await radios.go(1);
  const [record] = radios.steering.history;
  assert.equal(record!.State, "observation_failed", "nothing observes it after a restart");
  assert.deepEqual(radios.steering.model, {});
});

Deno.test("an outcome is observed after the delay, learned and kept", async () => {
  const radios = new TwoRadios(LIVE);
  await radios.go(6);
  const [record] = radios.steering.history;
  assert.equal(record!.State, "ignored");
  assert.equal(record!.Reward, -15);
  assert.equal(Object.keys(radios.steering.model).length, 1);
  assert.ok(radios.files.get("roaming-history.json")!.includes('"ignored"'));
  const again = new TwoRadios(LIVE);
  for (const [name, text] of radios.files) again.files.set(name, text);
  await again.go(1);
  assert.equal(again.steering.history.length, 1);
  assert.equal(Object.keys(again.steering.model).length, 1);
});

Deno.test("a dry run sends nothing", async () => {
  const radios = new TwoRadios(DEFAULT_ROAMING);
  await radios.go(3);
  assert.deepEqual(radios.sent, []);
  assert.equal(radios.steering.history[0]!.State, "recommended");
});

Deno.test("radios that do not fit each other are refused with the reason", async () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ ssid: "other" }, /different names/],
    [{ key_mgmt: "SAE" }, /different security/],
    [{ rsn_pairwise_cipher: "TKIP" }, /different security/],
    [{ bssid: "02:00:00:00:20:00" }, /no address of its own/],
  ];
  for (const [changes, text] of cases) {
    const radios = new TwoRadios(LIVE);
    radios.changes = changes;
    await assert.rejects(radios.steering.transition("wlan0", PHONE, "wlan1"), (error) => {
      assert.ok(error instanceof Problem && error.status === 400);
      assert.match(error.message, text);
      return true;
    });
    assert.deepEqual(radios.sent, []);
  }
  const off = new TwoRadios(LIVE, { bss_transition: 0 });
  await assert.rejects(off.steering.transition("wlan0", PHONE, "wlan1"), /bss_transition/);
  const absent = new TwoRadios(LIVE);
  await assert.rejects(absent.steering.transition("wlan1", PHONE, "wlan0"), /not on wlan1/);
  await assert.rejects(absent.steering.transition("wlan0", PHONE, "wlan0"), /already/);
  await assert.rejects(absent.steering.transition("wlan0", PHONE, "wlan7"), /no access point/);
});

Deno.test("a WPA3 station is offered the other radio through its own interface", async () => {
  const radios = new TwoRadios(LIVE);
  radios.station = { flags: "[AUTH][ASSOC][AUTHORIZED][MFP]", vlan_id: "4096" };
  const result = await radios.steering.transition("wlan0", PHONE, "wlan1");
  assert.equal(radios.sent.length, 1);
  assert.match(
    radios.sent[0]!,
    new RegExp(`^wlan0\\.4096 action ${PHONE} 0a07..0300001e34100200000021000000000073240903`),
  );
  assert.equal(result.HostapdResponse, "OK");
  assert.equal(radios.steering.history[0]!.State, "sent");
});

Deno.test("what hostapd refuses is recorded and reported", async () => {
  const radios = new TwoRadios(LIVE);
  radios.reply = "FAIL";
  await assert.rejects(radios.steering.transition("wlan0", PHONE, "wlan1"), /FAIL/);
  assert.equal(radios.steering.history[0]!.State, "observation_failed");
  assert.equal(radios.steering.history[0]!.Origin, "manual");
});

Deno.test("damaged memory starts empty", async () => {
  const radios = new TwoRadios(DEFAULT_ROAMING);
  radios.files.set("roaming-history.json", "{");
  radios.files.set("roaming-model.json", '{"x":{"Count":-1}}');
  await radios.go(1);
  assert.equal(radios.steering.status.ModelArms, 0);
});
