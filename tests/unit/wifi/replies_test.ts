import assert from "node:assert/strict";
import fc from "fast-check";
import {
  channelSwitchCommand,
  stationEvent,
  stationReply,
  statusLines,
  usedSae,
} from "../../../system/wifi/hostapd/replies.ts";

const A = "02:00:00:00:0a:01";

Deno.test("a status line ends its key at the first equals sign", () => {
  assert.deepEqual(statusLines("state=ENABLED\nssid[0]=a=b=\n\nno line\n=x\nkey=\n"), {
    state: "ENABLED",
    "ssid[0]": "a=b=",
    key: "",
  });
});

Deno.test("a key that objects have already is a line like any other", () => {
  const lines = statusLines("__proto__=x\nconstructor=y\nstate=ENABLED");
  assert.deepEqual(Object.entries(lines), [
    ["__proto__", "x"],
    ["constructor", "y"],
    ["state", "ENABLED"],
  ]);
  assert.equal(Object.getPrototypeOf(lines), Object.prototype);
});

Deno.test("a station is its address and its lines; there is none in an empty or failed reply", () => {
  assert.deepEqual(stationReply(`${A.toUpperCase()}\nflags=[AUTH]\nvlan_id=4096`), {
    mac: A,
    lines: { flags: "[AUTH]", vlan_id: "4096" },
  });
  assert.deepEqual(stationReply(A), { mac: A, lines: {} });
  for (const reply of ["", "FAIL", "UNKNOWN COMMAND", "flags=[AUTH]", `${A}0\nflags=`]) {
    assert.equal(stationReply(reply), null, reply);
  }
});

Deno.test("events of stations are distinguished from all others", () => {
  const of = (text: string) => stationEvent(text);
  assert.deepEqual(of(`AP-STA-CONNECTED ${A}`), { kind: "connected", mac: A, keyId: "" });
  assert.deepEqual(of(`AP-STA-CONNECTED ${A} keyid=pending-2`), {
    kind: "connected",
    mac: A,
    keyId: "pending-2",
  });
  assert.deepEqual(of(`AP-STA-CONNECTED ${A} auth_alg=sae keyid=x y=z`), {
    kind: "connected",
    mac: A,
    keyId: "x",
  });
  assert.deepEqual(of(`AP-STA-DISCONNECTED ${A}`), { kind: "disconnected", mac: A });
  assert.deepEqual(of(`AP-STA-POSSIBLE-PSK-MISMATCH ${A}`), { kind: "mismatch", mac: A });
  for (
    const text of [
      "AP-ENABLED ",
      "AP-STA-CONNECTED",
      "AP-STA-CONNECTED 02:00",
      `AP-STA-CONNECTED-X ${A}`,
      `x AP-STA-CONNECTED ${A}`,
      "AP-STA-CONNECTED 02:00:00:00:0a:zz",
      `AP-STA-POLL-OK ${A}`,
    ]
  ) assert.equal(of(text), null, text);
});

Deno.test("whatever hostapd writes is read without an error", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    statusLines(text);
    stationReply(text);
    stationEvent(text);
    stationEvent(`AP-STA-CONNECTED ${text}`);
  }));
});

Deno.test("WPA3 is known by its suite", () => {
  assert.equal(usedSae({ AKMSuiteSelector: "00-0f-ac-8" }), true);
  assert.equal(usedSae({ AKMSuiteSelector: "00-0f-ac-2" }), false);
  assert.equal(usedSae({}), false);
});

Deno.test("a channel switch names centre and offset of wider channels only", () => {
  const to = { frequency: 2437, bandwidth: 20, centre: 0, offset: 0 } as const;
  assert.equal(
    channelSwitchCommand({ ...to, ht: true, vht: false, he: false }),
    "CHAN_SWITCH 5 2437 bandwidth=20 ht",
  );
  assert.equal(
    channelSwitchCommand({
      frequency: 5220,
      bandwidth: 80,
      centre: 5210,
      offset: 1,
      ht: true,
      vht: true,
      he: true,
    }),
    "CHAN_SWITCH 5 5220 sec_channel_offset=1 center_freq1=5210 bandwidth=80 ht vht he",
  );
});
