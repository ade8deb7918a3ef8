import assert from "node:assert/strict";
import { Problem } from "../../../system/core/errors/problem.ts";
import { eventually } from "../../kit/eventually.ts";
import { FakeRadio, key, plannedNetwork, plannedRadio } from "../../kit/wifi/fake_radio.ts";

/** Where a station is that has the first interface of its own. */
const AT = { network: "wlan0", link: "wlan0.4096" } as const;
const A = "02:00:00:00:0a:01", B = "02:00:00:00:0b:01", C = "02:00:00:00:0c:01";
const SAE = "00-0f-ac-8", WPA2 = "00-0f-ac-2";
const RADIO = plannedRadio();
const KEYS = [key("sae", A, "password-a"), key("wpa2", B, "password-b")];

/** Waits until it holds. */
function holds(condition: () => boolean): Promise<void> {
  return eventually(`${condition}`, () => assert.ok(condition()));
}

const counted = (radio: FakeRadio, word: string): number =>
  radio.network().commands.filter((command) => command.startsWith(word)).length;

Deno.test("a plan is on the air with the passwords of its devices", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      const { state, channel, frequency, problem } = point.state;
      assert.deepEqual({ state, channel, frequency, problem }, {
        state: "enabled",
        channel: 1,
        frequency: 2412,
        problem: "",
      });
      assert.ok(radio.network().acceptsSae(A, "password-a"));
      assert.ok(!radio.network().acceptsSae(B, "password-b"));
      assert.equal(radio.network().acceptsPsk(B, "pmk-of-password-b"), B);
    })
  ));

Deno.test("a new WPA3 password needs no reload, a new WPA2 password one", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      await point.apply(RADIO, [...KEYS, key("sae", C, "password-c")]);
      assert.ok(radio.network().acceptsSae(C, "password-c"));
      assert.equal(counted(radio, "RELOAD_WPA_PSK"), 0);
      await point.apply(RADIO, [...KEYS, key("wpa2", C, "password-c")]);
      assert.equal(radio.network().acceptsPsk(C, "pmk-of-password-c"), C);
      assert.equal(counted(radio, "RELOAD_WPA_PSK"), 1);
      assert.equal(radio.starts.length, 1);
    })
  ));

Deno.test("WPA2 passwords that are added within two seconds share one reload", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, []);
      const added = [A, B, C].map((mac) => key("wpa2", mac, `password-${mac}`));
      await point.apply(RADIO, added.slice(0, 1));
      await point.apply(RADIO, added.slice(0, 2));
      await point.apply(RADIO, added);
      assert.equal(counted(radio, "RELOAD_WPA_PSK"), 1);
      radio.advance(2000);
      await holds(() => counted(radio, "RELOAD_WPA_PSK") === 2);
      assert.equal(radio.network().acceptsPsk(C, `pmk-of-password-${C}`), C);
    })
  ));

Deno.test("a WPA2 password that is revoked is gone before its station is disconnected", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, []);
      await point.apply(RADIO, KEYS);
      // A further reload would be due in two seconds only.
      await point.apply(RADIO, KEYS.slice(0, 1));
      assert.equal(radio.network().acceptsPsk(B, "pmk-of-password-b"), null);
      const { commands } = radio.network();
      const reload = commands.lastIndexOf("RELOAD_WPA_PSK");
      assert.ok(reload < commands.lastIndexOf(`DEAUTHENTICATE ${B}`));
      assert.ok(!commands.includes(`DEAUTHENTICATE ${A}`));
    })
  ));

Deno.test("a reload that is due later takes place once, also after one that could not wait", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, []);
      await point.apply(RADIO, [key("wpa2", A, "password-a")]);
      await point.apply(RADIO, KEYS.slice(1));
      const reloads = counted(radio, "RELOAD_WPA_PSK");
      radio.advance(2000);
      await point.apply(RADIO, KEYS.slice(1));
      assert.equal(counted(radio, "RELOAD_WPA_PSK"), reloads);
    })
  ));

Deno.test("a revocation that hostapd did not take is repeated at the next look", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      for (const word of ["RELOAD_WPA_PSK", "SET"]) radio.network().replies.set(word, "FAIL\n");
      await point.apply(RADIO, []).catch(() => {});
      radio.network().replies.clear();
      await point.watch();
      assert.equal(radio.network().acceptsPsk(B, "pmk-of-password-b"), null);
      assert.ok(!radio.network().acceptsSae(A, "password-a"));
      for (const mac of [A, B]) {
        assert.ok(radio.network().commands.includes(`DEAUTHENTICATE ${mac}`), mac);
      }
      assert.equal(radio.starts.length, 1);
    })
  ));

Deno.test("a WPA3 station hears through its own interface that it is disconnected", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      await radio.network().connect({ mac: A, vlan: 4096, suite: SAE });
      await radio.network().connect({ mac: B, vlan: 4097, suite: WPA2 });
      for (const mac of [A, B]) await point.networks.disconnect("wlan0", mac);
      const sent = [{ link: "wlan0.4096", kind: "deauthentication", to: A }];
      assert.deepEqual(radio.frames, sent);
      // It is disconnected where nothing can be sent, and where it is not there.
      radio.frameProblem = new Problem(502, "wlan0.4096 sends no frame");
      await point.networks.disconnect("wlan0", A);
      await point.networks.disconnect("wlan0", C);
      assert.deepEqual(radio.frames, sent);
      for (const mac of [A, A, B, C]) {
        assert.ok(radio.network().commands.includes(`DEAUTHENTICATE ${mac}`), mac);
      }
      assert.equal(counted(radio, `DEAUTHENTICATE ${A}`), 2);
    })
  ));

Deno.test("stations are reported with the interface that is theirs alone", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      await radio.network().connect({ mac: A, vlan: 4096, suite: SAE });
      await holds(() => radio.reports.length === 1);
      await radio.network().disconnect(A);
      await holds(() => radio.reports.length === 2);
      assert.deepEqual(radio.reports, [
        { kind: "connected", mac: A, ...AT, keyId: "", seconds: 0 },
        { kind: "disconnected", mac: A, ...AT },
      ]);
    })
  ));

Deno.test("a station that left before hostapd could be queried is not reported as connected", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      await radio.network().sendEvent(`AP-STA-CONNECTED ${A}`);
      await radio.network().sendEvent(`AP-STA-DISCONNECTED ${A}`);
      await holds(() => counted(radio, `STA ${A}`) === 1);
      await point.apply(RADIO, KEYS);
      assert.deepEqual(radio.reports.filter(({ kind }) => kind === "connected"), []);
    })
  ));

Deno.test("which waiting password a station used is reported, for both kinds", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, [
        ...KEYS,
        key("sae", "", "wait-one", "pending"),
        key("wpa2", "", "wait-two", "pending-2"),
      ]);
      assert.equal(point.state.waiting, "pending");
      assert.ok(radio.network().acceptsSae(C, "wait-one"));
      assert.equal(radio.network().acceptsPsk(C, "pmk-of-wait-two"), "pending-2");
      await radio.network().connect({ mac: C, vlan: 4096, suite: SAE });
      await holds(() => radio.reports.length === 1);
      const other = "02:00:00:00:0d:01";
      await radio.network().connect({ mac: other, vlan: 4097, suite: WPA2 }, "pending-2");
      await holds(() => radio.reports.length === 2);
      await radio.network().connect({ mac: A, vlan: 4098, suite: SAE });
      await holds(() => radio.reports.length === 3);
      assert.deepEqual(
        radio.reports.map((report) => report.kind === "connected" && [report.mac, report.keyId]),
        [[C, "pending"], [other, "pending-2"], [A, ""]],
      );
    })
  ));

Deno.test("a wrong password is reported, and whether its device has another", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      await radio.network().sendEvent(`AP-STA-POSSIBLE-PSK-MISMATCH ${B}`);
      await radio.network().sendEvent(`AP-STA-POSSIBLE-PSK-MISMATCH ${C}`);
      await holds(() => radio.reports.length === 2);
      assert.deepEqual(radio.reports, [
        { kind: "mismatch", mac: B, link: "wlan0", known: true },
        { kind: "mismatch", mac: C, link: "wlan0", known: false },
      ]);
    })
  ));

Deno.test("files that hold passwords are for their owner alone", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      for (const name of (await radio.files()).keys()) {
        assert.equal((await Deno.stat(`${radio.folder}/${name}`)).mode! & 0o777, 0o600, name);
      }
      for (const text of radio.checked) assert.doesNotMatch(text, /password-[ab]/);
    })
  ));

Deno.test("checks at the same time do not read each other's configuration", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      radio.complaint = (text) => `channel ${/^channel=(\d+)$/m.exec(text)?.[1]}`;
      const words = await Promise.all(
        [1, 6, 11].map((channel) => point.check(plannedRadio({ channel }))),
      );
      assert.deepEqual(words, ["channel 1", "channel 6", "channel 11"]);
      assert.deepEqual([...(await radio.files()).keys()], []);
    })
  ));

Deno.test("a network with a password for all knows no device", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      const guests = plannedNetwork({
        name: "wlan0.ap0",
        ssid: "Guests",
        bssid: "06:00:00:00:00:00",
        password: "guest-password",
      });
      const plan = plannedRadio({}, [plannedNetwork(), guests]);
      await point.apply(plan, [...KEYS, key("sae", "", "wait", "pending")]);
      assert.ok(radio.network("wlan0.ap0").acceptsSae(C, "guest-password"));
      await radio.network("wlan0.ap0").connect({ mac: C, vlan: 4096, suite: SAE });
      await holds(() => radio.reports.length === 1);
      assert.deepEqual(radio.reports, [
        {
          kind: "connected",
          mac: C,
          network: "wlan0.ap0",
          link: "wlan0.ap0.4096",
          keyId: "",
          seconds: 0,
        },
      ]);
      await point.apply(plan, []);
      assert.deepEqual(
        radio.network("wlan0.ap0").commands.filter((command) => /^(SET|RELOAD)/.test(command)),
        [],
      );
    })
  ));
