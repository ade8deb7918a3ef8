import assert from "node:assert/strict";
import fc from "fast-check";
import { passwordProblem } from "../../../../system/wifi/supplicant/rules.ts";
import { plannedSupplicants } from "../../../../system/wifi/supplicant/plan.ts";
import {
  type JoinedNetwork,
  WpaInterface,
  WpaNetwork,
} from "../../../../system/wifi/supplicant/schema.ts";
import {
  networkChange,
  supplicantFile,
} from "../../../../system/wifi/supplicant/supplicant_file.ts";
import { Interface } from "../../../../system/network/interfaces/schema.ts";

/** The plan of wlan1 with networks as the API takes them. */
function plan(...networks: readonly unknown[]) {
  const [planned] = plannedSupplicants({
    interfaces: [
      Interface.parse({ Name: "wlan1", Type: "Uplink", Subtype: "wifi", Enabled: true }),
    ],
    wpa: [WpaInterface.parse({ Iface: "wlan1", Enabled: true, Networks: networks })],
    radios: {},
  });
  return planned!;
}

Deno.test("the file of a supplicant has names and passwords whatever they hold", () => {
  const text = supplicantFile(
    plan(
      { SSID: 'Café 😀 "1"\\', Password: `it's "so" \\ #1`, Priority: 5 },
      {
        SSID: "x",
        SSIDHex: "0001ff0a",
        Password: "emoji 😀 pass",
        KeyMgmt: "SAE",
        BSSID: "02:00:00:00:0b:01",
      },
      { SSID: "both", Password: "a secret of 18 chr", KeyMgmt: "WPA-PSK SAE" },
      { SSID: "key", Password: "AB".repeat(32), KeyMgmt: "WPA-PSK SAE" },
      { SSID: "open", KeyMgmt: "NONE" },
      { SSID: "off", Password: "not now, thanks", Disabled: true },
    ),
    "/run/sluice/supplicant_wlan1",
  );
  assert.equal(
    text,
    `ctrl_interface=/run/sluice/supplicant_wlan1
update_config=0
sae_pwe=2
network={
	ssid=436166c3a920f09f9880202231225c
	scan_ssid=1
	key_mgmt=WPA-PSK WPA-PSK-SHA256
	psk="it's "so" \\ #1"
	priority=5
}
network={
	ssid=0001ff0a
	scan_ssid=1
	key_mgmt=SAE
	sae_password=656d6f6a6920f09f98802070617373
	ieee80211w=2
	priority=0
	bssid=02:00:00:00:0b:01
}
network={
	ssid=626f7468
	scan_ssid=1
	key_mgmt=WPA-PSK SAE
	psk="a secret of 18 chr"
	sae_password=6120736563726574206f6620313820636872
	ieee80211w=1
	priority=0
}
network={
	ssid=6b6579
	scan_ssid=1
	key_mgmt=WPA-PSK
	psk=${"ab".repeat(32)}
	priority=0
}
network={
	ssid=6f70656e
	scan_ssid=1
	key_mgmt=NONE
	priority=0
}
`,
  );
});

/** Values of a file, as wpa_supplicant reads its lines (config_file.c and config.c of 2.10). */
function readBack(text: string): Record<string, string>[] {
  const networks: Record<string, string>[] = [];
  let current: Record<string, string> | null = null;
  for (const raw of text.split("\n")) {
    let line = raw.replace(/^[ \t\r]+/, "");
    if (line.startsWith("#") || line === "") continue;
    // A comment begins behind what is quoted.
    const first = line.indexOf('"');
    const last = first < 0 ? 0 : Math.max(line.lastIndexOf('"'), first);
    const comment = line.indexOf("#", last);
    if (comment >= 0) line = line.slice(0, comment);
    line = line.replace(/[ \t\r\f\v]+$/, "");
    if (line === "network={") current = {};
    else if (line === "}") {
      networks.push(current!);
      current = null;
    } else if (current !== null) {
      const at = line.indexOf("=");
      current[line.slice(0, at)] = line.slice(at + 1);
    }
  }
  return networks;
}

/** A quoted value is what lies between its first and its last quotation mark. */
function quoted(value: string): string {
  assert.match(value, /^".*"$/s);
  return value.slice(1, -1);
}

const hex = (text: string): string => new TextEncoder().encode(text).toHex();

Deno.test("a supplicant reads back exactly the names and passwords that were set", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 40 });
  const odd = fc.string({ unit: fc.constantFrom(..."\"\\#={}' \té😀a\u2028\n\0"), maxLength: 30 });
  fc.assert(
    fc.property(
      fc.oneof(text, odd),
      fc.oneof(text, odd),
      fc.constantFrom("WPA-PSK", "SAE", "WPA-PSK SAE"),
      (SSID, Password, KeyMgmt) => {
        const parsed = WpaNetwork.safeParse({ SSID, Password, KeyMgmt });
        if (!parsed.success || SSID === "" || passwordProblem(parsed.data) !== null) return;
        const [network, ...others] = readBack(supplicantFile(plan(parsed.data), "/run/x"));
        assert.deepEqual(others, []);
        assert.equal(network!.ssid, hex(SSID));
        assert.equal(network!.key_mgmt, KeyMgmt);
        if (KeyMgmt.includes("WPA-PSK")) assert.equal(quoted(network!.psk!), Password);
        if (KeyMgmt.includes("SAE")) assert.equal(network!.sae_password, hex(Password));
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("passwords and names that would end a line are refused", () => {
  for (const bad of ["line\nbreak", "carriage\rret", "null\0byte1", "delete\x7f12", "a\tb345678"]) {
    assert.equal(WpaNetwork.safeParse({ SSID: "x", Password: bad }).success, false, bad);
    assert.equal(WpaNetwork.safeParse({ SSID: bad, Password: "12345678" }).success, false, bad);
  }
  assert.equal(WpaNetwork.safeParse({ SSID: "😀".repeat(9) }).success, false);
  assert.equal(WpaNetwork.safeParse({ SSID: "x", KeyMgmt: "NONE SAE" }).success, false);
  assert.equal(WpaNetwork.safeParse({ SSID: "x", KeyMgmt: "WPA-EAP" }).success, false);
  assert.equal(WpaNetwork.safeParse({ SSID: "x", Priority: "1\n" }).success, true);
  assert.equal(WpaNetwork.safeParse({ SSID: "x", Priority: "one" }).success, false);
});

Deno.test("a network that stays is not touched when others come and go", () => {
  const before = plan(
    { SSID: "a", Password: "password a", Priority: 1 },
    { SSID: "b", Password: "password b", Priority: 2 },
  ).networks;
  const after = plan(
    { SSID: "c", KeyMgmt: "NONE" },
    { SSID: "a", Password: "password a", Priority: 9 },
    { SSID: "b", Password: "another b" },
  ).networks;
  const standing = before.map((network, id) => ({ id, network }));
  const change = networkChange(standing, after);
  assert.deepEqual(change.remove, [1]);
  assert.deepEqual(change.set, [{ id: 0, line: ["priority", "9"] }]);
  assert.deepEqual(change.add.map(({ name }) => name), ["c", "b"]);
  assert.deepEqual(networkChange(standing, before), {
    remove: [],
    set: [],
    add: [],
    kept: standing,
  });
});

Deno.test("what stands after a change is what is wanted, from any networks to any", () => {
  const one = fc.record({
    name: fc.constantFrom("a", "b", "c"),
    password: fc.constantFrom("password 1", "password 2"),
    priority: fc.integer({ min: 0, max: 2 }),
  }).map(({ name, password, priority }): JoinedNetwork => ({
    name,
    ssidHex: hex(name),
    keys: ["WPA-PSK"],
    password,
    priority,
    bssid: "",
  }));
  fc.assert(fc.property(fc.array(one), fc.array(one), (before, after) => {
    const standing = before.map((network, id) => ({ id, network }));
    const change = networkChange(standing, after);
    const left = standing.filter(({ id }) => !change.remove.includes(id)).map(({ id, network }) => {
      const set = change.set.find((other) => other.id === id);
      return set === undefined ? network : { ...network, priority: Number(set.line[1]) };
    });
    const order = (list: readonly JoinedNetwork[]) => list.map((n) => JSON.stringify(n)).sort();
    assert.deepEqual(order([...left, ...change.add]), order(after));
  }));
});
