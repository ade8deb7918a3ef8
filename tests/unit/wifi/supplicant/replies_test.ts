import assert from "node:assert/strict";
import { problemIn, signalOf, stateOf } from "../../../../system/wifi/supplicant/replies.ts";

const nameOf = (id: number): string | null => id === 3 ? "home" : null;

Deno.test("events of a supplicant say why there is no connection", () => {
  const says = (event: string): string | null => problemIn(event, nameOf);
  const wrong =
    'CTRL-EVENT-SSID-TEMP-DISABLED id=3 ssid="home" auth_failures=1 duration=10 reason=WRONG_KEY';
  assert.equal(says(wrong), "home does not accept the password");
  assert.match(says(wrong.replace("WRONG_KEY", "CONN_FAILED"))!, /^home does not let it in/);
  assert.equal(says("CTRL-EVENT-NETWORK-NOT-FOUND "), "None of its networks is in range");
  assert.match(says("CTRL-EVENT-ASSOC-REJECT bssid=02:00:00:00:00:01 status_code=17")!, /17/);
  assert.equal(says("CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:00:01 completed"), "");
  assert.equal(says("CTRL-EVENT-SCAN-STARTED "), null);
});

Deno.test("the name of a network in an event is not believed", () => {
  const event =
    'CTRL-EVENT-SSID-TEMP-DISABLED id=9 ssid="<b>\\n reason=WRONG_KEY" reason=CONN_FAILED';
  const text = problemIn(event, nameOf)!;
  assert.ok(text.startsWith("The network "), text);
  assert.ok(!text.includes("<b>"));
});

Deno.test("state and signal of a supplicant's replies", () => {
  assert.equal(stateOf("COMPLETED"), "connected");
  assert.equal(stateOf("4WAY_HANDSHAKE"), "connecting");
  for (const word of ["SCANNING", "INACTIVE", "whatever", undefined]) {
    assert.equal(stateOf(word), "searching");
  }
  assert.equal(signalOf("RSSI=-58\nLINKSPEED=54\nNOISE=9999\nFREQUENCY=5180"), -58);
  for (const reply of ["", "FAIL", "RSSI=-9999", "RSSI=5", "RSSI=-1e9", "x\nRSSI=abc"]) {
    assert.equal(signalOf(reply), 0, reply);
  }
});
