import assert from "node:assert/strict";
import {
  changePasswords,
  type NetworkPasswords,
  passwordsOf,
  pskFileText,
  saeValues,
  type StandingPasswords,
  startedWith,
} from "../../../system/wifi/keys/network_keys.ts";
import { key, plannedNetwork } from "../../kit/wifi/fake_radio.ts";

const A = "02:00:00:00:0a:01", B = "02:00:00:00:0b:01", C = "02:00:00:00:0c:01";
const MIXED = plannedNetwork();

/** hostapd's list of WPA3 passwords: the newest entry that fits the address counts. */
class SaeList {
  #entries: { readonly mac: string; readonly password: string }[] = [];

  add(value: string): void {
    const [, password = "", mac = ""] = /^(.*)\|mac=([0-9a-f:]{17})$/.exec(value) ?? [];
    assert.notEqual(mac, "", `${value} would be for every station`);
    this.#entries.unshift({ mac, password });
  }

  accepts(mac: string, password: string): boolean {
    const fit = this.#entries.find((one) => one.mac === mac || one.mac === "ff:ff:ff:ff:ff:ff");
    return fit?.password === password;
  }

  get length(): number {
    return this.#entries.length;
  }
}

let secrets = 0;
const MAKING = { secret: () => `nobody-${++secrets}`, hashToElement: 2 };

function started(passwords: NetworkPasswords): [SaeList, StandingPasswords] {
  const list = new SaeList();
  for (const value of saeValues(passwords)) list.add(value);
  return [list, startedWith(passwords)];
}

/** Sends the commands of a change to the list. */
function send(list: SaeList, commands: readonly string[]): void {
  for (const command of commands) {
    const value = /^SET sae_password (.*)$/.exec(command)?.[1];
    if (value !== undefined) list.add(value);
  }
}

/** Every station gets in with what is wanted for it, and with nothing else. */
function assertAccepts(
  list: SaeList,
  wanted: NetworkPasswords,
  { macs, passwords }: { readonly macs: readonly string[]; readonly passwords: readonly string[] },
): void {
  for (const mac of macs) {
    const own = wanted.sae[mac] ?? wanted.waiting?.psk;
    for (const password of passwords) {
      assert.equal(list.accepts(mac, password), password === own, `${mac} with ${password}`);
    }
  }
}

Deno.test("devices of WPA3 have no key of WPA2 where the network offers both", () => {
  const keys = [key("sae", A, "password-a"), key("wpa2", B, "password-b")];
  const passwords = passwordsOf(MIXED, keys);
  assert.deepEqual(passwords.wpa2, [{ identity: B, mac: B, psk: "password-b" }]);
  assert.deepEqual(passwords.sae, { [A]: "password-a" });
});

Deno.test("all devices use the one way that a network offers", () => {
  const keys = [key("sae", A, "password-a"), key("wpa2", B, "password-b")];
  const wpa2 = passwordsOf(plannedNetwork({ keyManagement: ["WPA-PSK"] }), keys);
  assert.deepEqual(wpa2.wpa2.map(({ mac }) => mac), [A, B]);
  assert.deepEqual(wpa2.sae, {});
  const sae = passwordsOf(plannedNetwork({ keyManagement: ["SAE"] }), keys);
  assert.deepEqual(Object.keys(sae.sae), [A, B]);
  assert.deepEqual(sae.wpa2, []);
});

Deno.test("a password that hostapd would read as more than that is used by WPA2, or not at all", () => {
  const keys = [key("sae", A, `password|mac=${B}`), key("sae", B, "password-b")];
  const mixed = passwordsOf(MIXED, keys);
  assert.deepEqual(mixed.sae, { [B]: "password-b" });
  assert.deepEqual(mixed.wpa2.map(({ mac }) => mac), [A]);
  const sae = passwordsOf(plannedNetwork({ keyManagement: ["SAE"] }), keys);
  assert.deepEqual(sae.sae, { [B]: "password-b" });
  assert.deepEqual(sae.wpa2, []);
});

Deno.test("several devices wait by WPA2 at once, one by WPA3", () => {
  const keys = [
    key("sae", "", "wait-one", "pending"),
    key("sae", "", "wait-two", "pending-2"),
    key("wpa2", "", "wait-three", "pending-3"),
    key("wpa2", "", "wait-four", "pending-4"),
  ];
  const passwords = passwordsOf(MIXED, keys);
  assert.deepEqual(passwords.waiting, { identity: "pending", psk: "wait-one" });
  assert.deepEqual(passwords.wpa2.map(({ identity }) => identity), ["pending-3", "pending-4"]);
});

Deno.test("the file of WPA2 keys has an identity, an address and a key in each line", () => {
  const { wpa2 } = passwordsOf(MIXED, [
    key("wpa2", A, "password-a"),
    key("wpa2", "", "wait", "pending-2"),
  ]);
  assert.equal(
    pskFileText(wpa2, (psk) => `<${psk}>`),
    `keyid=${A} ${A} <password-a>\nkeyid=pending-2 00:00:00:00:00:00 <wait>\n`,
  );
});

Deno.test("a device that is added needs one entry, and drops nobody", () => {
  const [list, standing] = started(passwordsOf(MIXED, [key("sae", A, "password-a")]));
  const wanted = passwordsOf(MIXED, [key("sae", A, "password-a"), key("sae", B, "password-b")]);
  const { commands, disconnect } = changePasswords(standing, wanted, MAKING);
  assert.deepEqual(commands, [
    "SET sae_pwe 0",
    `SET sae_password password-b|mac=${B}`,
    "SET sae_pwe 2",
  ]);
  assert.deepEqual(disconnect, []);
  send(list, commands);
  assertAccepts(list, wanted, { macs: [A, B, C], passwords: ["password-a", "password-b"] });
});

Deno.test("a device that is deleted, or gets another password, is disconnected for good", () => {
  const [list, standing] = started(
    passwordsOf(MIXED, [key("sae", A, "password-a"), key("sae", B, "password-b")]),
  );
  const wanted = passwordsOf(MIXED, [key("sae", B, "password-new")]);
  const { commands, disconnect } = changePasswords(standing, wanted, MAKING);
  assert.equal(commands.at(-1), "PMKSA_FLUSH");
  assert.deepEqual(disconnect.toSorted(), [A, B]);
  send(list, commands);
  assertAccepts(list, wanted, {
    macs: [A, B, C],
    passwords: ["password-a", "password-b", "password-new"],
  });
});

Deno.test("a key of WPA2 that changes or goes disconnects its station, one that waits nobody", () => {
  const [, standing] = started(passwordsOf(MIXED, [
    key("wpa2", A, "password-a"),
    key("wpa2", B, "password-b"),
    key("wpa2", "", "wait", "pending"),
  ]));
  const wanted = passwordsOf(MIXED, [key("wpa2", A, "password-new")]);
  const { commands, disconnect } = changePasswords(standing, wanted, MAKING);
  assert.deepEqual(commands, []);
  assert.deepEqual(disconnect.toSorted(), [A, B]);
});

Deno.test("a device that goes from one kind to the other is disconnected", () => {
  const [, standing] = started(passwordsOf(MIXED, [key("sae", A, "password-a")]));
  const wanted = passwordsOf(MIXED, [key("wpa2", A, "password-a")]);
  assert.deepEqual(changePasswords(standing, wanted, MAKING).disconnect, [A]);
  const back = changePasswords(
    startedWith(wanted),
    passwordsOf(MIXED, [
      key("sae", A, "password-a"),
    ]),
    MAKING,
  );
  assert.deepEqual(back.disconnect, [A]);
});

Deno.test("the next one waits once the first has joined", () => {
  const waiting = [key("sae", "", "wait-one", "pending"), key("sae", "", "wait-two", "pending-2")];
  const [list, standing] = started(passwordsOf(MIXED, [key("sae", A, "password-a"), ...waiting]));
  const claimed = passwordsOf(MIXED, [
    key("sae", A, "password-a"),
    key("sae", B, "wait-one"),
    waiting[1]!,
  ]);
  const change = changePasswords(standing, claimed, MAKING);
  send(list, change.commands);
  assert.equal(change.next.waiting?.identity, "pending-2");
  assert.deepEqual(change.disconnect, []);
  assertAccepts(list, claimed, {
    macs: [A, B, C],
    passwords: ["password-a", "wait-one", "wait-two"],
  });
});

Deno.test("nobody gets in by a password that waited and was deleted", () => {
  const [list, standing] = started(passwordsOf(MIXED, [key("sae", "", "wait", "pending")]));
  const wanted = passwordsOf(MIXED, []);
  const { commands } = changePasswords(standing, wanted, MAKING);
  send(list, commands);
  assertAccepts(list, wanted, { macs: [A], passwords: ["wait"] });
});

Deno.test("what stands is not known: everything is sent anew", () => {
  const list = new SaeList();
  list.add(`password-old|mac=${A}`);
  list.add(`password-gone|mac=${B}`);
  const wanted = passwordsOf(MIXED, [key("sae", A, "password-a")]);
  send(list, changePasswords(null, wanted, MAKING).commands);
  assertAccepts(list, wanted, {
    macs: [A, B],
    passwords: ["password-old", "password-gone", "password-a"],
  });
});

Deno.test("through any series of plans a station gets in with its own password alone", () => {
  let seed = 12345;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 65_536) % below;
  };
  const macs = [A, B, C];
  const passwords = ["password-1", "password-2", "password-3", "it's #\"\\ mine"];
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const plan = () =>
    passwordsOf(MIXED, [
      ...macs.filter(() => random(2) === 0).map((mac) => key("sae", mac, pick(passwords))),
      ...(random(2) === 0 ? [] : [key("sae", "", pick(passwords), `pending-${random(3)}`)]),
    ]);
  for (let run = 0; run < 50; run++) {
    let [list, standing] = started(plan());
    for (let step = 0; step < 20; step++) {
      const wanted = plan();
      const before = standing;
      const change = changePasswords(standing, wanted, MAKING);
      send(list, change.commands);
      standing = change.next;
      assertAccepts(list, wanted, { macs, passwords });
      assert.equal(standing.entries, list.length);
      for (const mac of macs) {
        const lost = before.sae[mac] !== undefined && before.sae[mac] !== wanted.sae[mac];
        assert.equal(change.disconnect.includes(mac), lost, `${mac} at ${run}.${step}`);
      }
    }
  }
});
