import assert from "node:assert/strict";
import { Problem } from "../../../system/core/errors/problem.ts";
import { eventually } from "../../kit/eventually.ts";
import { FakeRadio, key, plannedNetwork, plannedRadio } from "../../kit/wifi/fake_radio.ts";

/** Where a station is that has the first interface of its own. */
const AT = { network: "wlan0", link: "wlan0.4096" } as const;
const A = "02:00:00:00:0a:01", B = "02:00:00:00:0b:01", C = "02:00:00:00:0c:01";
const SAE = "00-0f-ac-8";
const RADIO = plannedRadio();
const KEYS = [key("sae", A, "password-a"), key("wpa2", B, "password-b")];

/** Waits until it holds. */
function holds(condition: () => boolean): Promise<void> {
  return eventually(`${condition}`, () => assert.ok(condition()));
}

Deno.test("a hostapd that was killed comes back, and its stations count as gone", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      await radio.network().connect({ mac: A, vlan: 4096, suite: SAE });
      await holds(() => radio.reports.length === 1);
      radio.kill();
      await point.watch();
      assert.equal(point.state.state, "enabled");
      assert.equal(radio.starts.length, 2);
      assert.deepEqual(radio.reports.at(-1), { kind: "disconnected", mac: A, ...AT });
      await radio.network().connect({ mac: A, vlan: 4096, suite: SAE });
      await holds(() => radio.reports.length === 3);
    })
  ));

Deno.test("a hostapd that is slow once drops no station", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      await radio.network().connect({ mac: A, vlan: 4096, suite: SAE });
      await holds(() => radio.reports.length === 1);
      radio.network().trouble = "silent";
      await point.watch();
      radio.network().trouble = "none";
      await point.watch();
      assert.equal(radio.starts.length, 1);
      assert.deepEqual(radio.reports.map(({ kind }) => kind), ["connected"]);
      await radio.network().disconnect(A);
      await holds(() => radio.reports.length === 2);
    })
  ));

Deno.test("a station that joins while hostapd does not reply is found at the next look", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      radio.network().trouble = "silent";
      await radio.network().connect({ mac: A, vlan: 4096, suite: SAE });
      await radio.network().connect({ mac: B, vlan: 4097, suite: SAE });
      await point.watch();
      assert.deepEqual(radio.reports, []);
      await radio.network().disconnect(B);
      await holds(() => radio.reports.length === 1);
      radio.network().trouble = "none";
      await point.watch();
      const kinds = radio.reports.map(({ kind, mac }) => [kind, mac]);
      assert.deepEqual(kinds, [["disconnected", B], ["connected", A]]);
      await point.watch();
      assert.equal(radio.reports.length, 2, "it is asked for once");
    })
  ));

Deno.test("what hostapd's events did not say is found out, and they are followed again", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      const hostapd = radio.network();
      const since = (seconds: number) => ({ vlan: 4096, suite: SAE, seconds });
      const told = () => radio.reports.map(({ kind, mac }) => `${kind} ${mac}`);
      await hostapd.connect({ mac: A, ...since(0) });
      await hostapd.connect({ mac: B, ...since(0) });
      await holds(() => radio.reports.length === 2);
      // From here on nothing arrives: one leaves, one comes, one leaves and comes back.
      hostapd.dropListeners();
      await hostapd.disconnect(A);
      await hostapd.connect({ mac: C, ...since(30) });
      await hostapd.connect({ mac: B, ...since(20) });
      radio.advance(59_000);
      await point.watch();
      // This process stood still for that time, so that events may have been missed.
      assert.deepEqual(told().slice(2).sort(), [
        `connected ${B}`,
        `connected ${C}`,
        `disconnected ${A}`,
      ]);
      assert.equal(hostapd.attached, 1);
      await hostapd.disconnect(C);
      await holds(() => radio.reports.length === 6);
      assert.equal(told().at(-1), `disconnected ${C}`);
    })
  ));

Deno.test("stations are compared after many events, and else once a minute", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      const { commands } = radio.network();
      const comparisons = () => commands.filter((one) => one === "STA-FIRST").length;
      const before = comparisons();
      const look = async (milliseconds: number) => {
        radio.advance(milliseconds);
        await point.watch();
      };
      for (let n = 0; n < 19; n++) await look(3000);
      assert.equal(comparisons(), before);
      await look(3000);
      assert.equal(comparisons(), before + 1);
      for (let n = 0; n < 10; n++) await radio.network().sendEvent("CTRL-EVENT-EAP-STARTED");
      await radio.network().connect({ mac: A, vlan: 4096, suite: SAE });
      await holds(() => radio.reports.length === 1);
      await look(3000);
      assert.equal(comparisons(), before + 2);
      assert.equal(radio.reports.length, 1, "nothing was missed");
    })
  ));

Deno.test("a hostapd that stays silent is started anew", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      radio.network().trouble = "silent";
      for (let n = 0; n < 5 && radio.starts.length === 1; n++) await point.watch();
      assert.equal(radio.starts.length, 2);
      assert.equal(point.state.state, "enabled");
    })
  ));

Deno.test("the next run adopts a running hostapd with its stations and its passwords", () =>
  FakeRadio.use(async (radio) => {
    await radio.with(async (point) => {
      await point.apply(RADIO, [...KEYS, key("wpa2", "", "wait", "pending")]);
      await radio.network().connect({ mac: A, vlan: 4096, suite: SAE });
      await holds(() => radio.reports.length === 1);
    });
    assert.deepEqual(radio.reports.length, 1);
    await radio.with(async (point) => {
      // Meanwhile A was deleted.
      await point.apply(RADIO, KEYS.slice(1));
      assert.equal(radio.starts.length, 1);
      assert.equal(point.state.state, "enabled");
      assert.deepEqual(radio.reports.at(-1), {
        kind: "connected",
        mac: A,
        ...AT,
        seconds: 0,
        keyId: "",
      });
      assert.ok(!radio.network().acceptsSae(A, "password-a"));
      assert.ok(radio.network().commands.includes(`DEAUTHENTICATE ${A}`));
    });
  }));

Deno.test("the next run starts hostapd anew where its plan, or what is kept of it, is another", () =>
  FakeRadio.use(async (radio) => {
    await radio.with((point) => point.apply(RADIO, KEYS));
    await radio.with((point) => point.apply(plannedRadio({ channel: 6 }), KEYS));
    assert.equal(radio.starts.length, 2);
    for (const name of (await radio.files()).keys()) {
      if (name.endsWith(".json")) await Deno.writeTextFile(`${radio.folder}/${name}`, "{");
    }
    await radio.with((point) => point.apply(plannedRadio({ channel: 6 }), KEYS));
    assert.equal(radio.starts.length, 3);
  }));

Deno.test("a configuration that hostapd refuses leaves what runs on the air", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      radio.complaint = (text) => /^channel=6$/m.test(text) ? "Line 7: invalid" : null;
      await point.apply(plannedRadio({ channel: 6 }), KEYS);
      assert.equal(radio.starts.length, 1);
      assert.deepEqual([point.state.state, point.state.problem], ["refused", "Line 7: invalid"]);
      // What is revoked meanwhile is revoked.
      await point.apply(plannedRadio({ channel: 6 }), []);
      assert.ok(!radio.network().acceptsSae(A, "password-a"));
      assert.equal(radio.network().acceptsPsk(B, "pmk-of-password-b"), null);
      // A plan that hostapd takes ends it.
      await point.apply(RADIO, []);
      assert.deepEqual([point.state.state, point.state.problem], ["enabled", ""]);
      assert.equal(radio.starts.length, 1);
    })
  ));

Deno.test("a radio that does not come up goes back to what worked", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      radio.failure = (text) => /^channel=6$/m.test(text) ? "Could not set channel" : null;
      await point.apply(plannedRadio({ channel: 6 }), [...KEYS, key("sae", C, "password-c")]);
      assert.deepEqual([point.state.state, point.state.problem], [
        "refused",
        "Could not set channel",
      ]);
      assert.match(radio.starts.at(-1)!, /^channel=1$/m);
      assert.ok(radio.network().acceptsSae(C, "password-c"));
    })
  ));

Deno.test("a radio that never came up runs on a safe configuration, and says so", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      const networks = [
        plannedNetwork(),
        plannedNetwork({ name: "wlan0.ap0", ssid: "Guests", bssid: "06:00:00:00:00:00" }),
      ];
      const plan = plannedRadio({ channel: 6 }, networks);
      radio.failure = (text) => /^channel=6$/m.test(text) ? "Could not set channel" : null;
      await point.apply(plan, KEYS);
      assert.deepEqual([point.state.state, point.state.problem], [
        "failsafe",
        "Could not set channel",
      ]);
      assert.deepEqual([...radio.networks.keys()], ["wlan0"]);
      // Passwords hold there as well.
      await point.apply(plan, [key("sae", C, "password-c")]);
      assert.ok(radio.network().acceptsSae(C, "password-c"));
      assert.ok(!radio.network().acceptsSae(A, "password-a"));
      assert.equal(point.state.state, "failsafe");
      await point.watch();
      assert.equal(point.state.state, "failsafe");
    })
  ));

Deno.test("the next run knows a radio on a safe configuration as such", () =>
  FakeRadio.use(async (radio) => {
    radio.failure = (text) => /^channel=6$/m.test(text) ? "Could not set channel" : null;
    await radio.with((point) => point.apply(plannedRadio({ channel: 6 }), KEYS));
    await radio.with(async (point) => {
      await point.apply(plannedRadio({ channel: 6 }), KEYS);
      assert.equal(point.state.state, "failsafe");
    });
  }));

Deno.test("a radio that is pulled out is missing, and comes back with its plan", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      await radio.network().connect({ mac: A, vlan: 4096, suite: SAE });
      await holds(() => radio.reports.length === 1);
      const { facts } = radio;
      radio.facts = null;
      radio.kill();
      await point.watch();
      assert.equal(point.state.state, "missing");
      assert.equal(radio.reports.at(-1)!.kind, "disconnected");
      radio.facts = facts;
      await point.watch();
      assert.equal(point.state.state, "missing", "it is reported, not looked for");
      await point.lookAgain();
      assert.equal(point.state.state, "enabled");
    })
  ));

Deno.test("a radio without any working configuration is not started over and over", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      radio.failure = () => "The driver is broken";
      await point.apply(RADIO, KEYS);
      assert.deepEqual([point.state.state, point.state.problem], [
        "refused",
        "The driver is broken",
      ]);
      const { length } = radio.starts;
      await point.watch();
      await point.watch();
      assert.equal(radio.starts.length, length);
    })
  ));

Deno.test("what is taken off the air leaves no passwords behind", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      await radio.network().connect({ mac: A, vlan: 4096, suite: SAE });
      await holds(() => radio.reports.length === 1);
      await point.retire();
      assert.equal(radio.pid, null);
      assert.equal(point.state.state, "stopped");
      assert.equal(radio.reports.at(-1)!.kind, "disconnected");
      assert.deepEqual([...(await radio.files()).keys()], []);
    })
  ));

Deno.test("a list of WPA3 passwords that has grown too long costs one restart", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, []);
      const macs = Array.from(
        { length: 200 },
        (_, n) => `02:00:00:00:01:${n.toString(16).padStart(2, "0")}`,
      );
      for (let round = 0; round < 10 && radio.starts.length === 1; round++) {
        await point.apply(RADIO, macs.map((mac) => key("sae", mac, `password-${round}`)));
        await point.apply(RADIO, []);
      }
      assert.equal(radio.starts.length, 2);
      assert.ok(radio.network().saeEntries < 300);
    })
  ));

Deno.test("what hostapd answers in garbage is an end to nothing but that command", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      radio.network().trouble = "garbage";
      assert.deepEqual(await point.networks.stations("wlan0"), {});
      await point.apply(RADIO, []).catch(() => {});
      radio.network().trouble = "none";
      await point.watch();
      assert.ok(!radio.network().acceptsSae(A, "password-a"));
    })
  ));

Deno.test("a machine without iw says so, and its radio comes up once iw is there", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      radio.broken = new Problem(503, "The tool iw is missing");
      await assert.rejects(point.apply(RADIO, KEYS), /iw is missing/);
      assert.deepEqual([point.state.state, point.state.problem], [
        "refused",
        "The tool iw is missing",
      ]);
      radio.broken = null;
      await point.watch();
      assert.equal(point.state.state, "refused");
      radio.advance(60_000);
      await point.watch();
      assert.deepEqual([point.state.state, point.state.problem], ["enabled", ""]);
    })
  ));

Deno.test("a radio that the kernel takes from a running hostapd is started anew", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      radio.network().state = "DISABLED";
      await radio.network().sendEvent("INTERFACE-DISABLED ");
      await holds(() => radio.starts.length === 2 && point.state.state === "enabled");
    })
  ));

Deno.test("plans that come while a radio starts are one, and the last one holds", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await Promise.all([
        point.apply(RADIO, []),
        point.apply(plannedRadio({ channel: 6 }), []),
        point.apply(plannedRadio({ channel: 11 }), KEYS),
      ]);
      assert.equal(radio.starts.length, 1);
      assert.match(radio.starts[0]!, /^channel=11$/m);
      assert.ok(radio.network().acceptsSae(A, "password-a"));
    })
  ));

Deno.test("a radio that is planned again while it is to go off stays on the air", () =>
  FakeRadio.use((radio) =>
    radio.with(async (point) => {
      await point.apply(RADIO, KEYS);
      await Promise.all([point.retire(), point.apply(RADIO, KEYS)]);
      assert.equal(radio.starts.length, 1);
      assert.equal(point.state.state, "enabled");
      await point.retire();
      assert.equal(radio.pid, null);
      await point.apply(RADIO, KEYS);
      assert.equal(point.state.state, "enabled");
    })
  ));

Deno.test("a run that ends while a radio comes up leaves it to the next one", () =>
  FakeRadio.use(async (radio) => {
    radio.firstState = "COUNTRY_UPDATE";
    const point = radio.accessPoint();
    const applied = point.apply(RADIO, KEYS);
    await holds(() => radio.networks.size > 0 && radio.network().commands.includes("STATUS"));
    const closed = point.close();
    radio.advance(1000);
    await Promise.all([applied, closed]);
    assert.equal(radio.starts.length, 1);
    assert.notEqual(radio.pid, null);
  }));
