import assert from "node:assert/strict";
import { frameBytes } from "../../../system/host/netlink/wireless/frames.ts";
import {
  deauthenticationFrame,
  isDeafToHostapd,
  transitionFrame,
} from "../../../system/wifi/access_point/station_frames.ts";

const STATION = "02:00:00:00:02:00", ACCESS_POINT = "02:00:00:00:01:00";

/** What hostapd 2.10 gave to the kernel for such a request, as its debug log has it. */
const BY_HOSTAPD = "d0 00 00 00 02 00 00 00 02 00 02 00 00 00 01 00 02 00 00 00 01 00 00 00 " +
  "0a 07 01 03 00 00 1e 34 10 02 00 00 00 00 00 00 00 00 00 51 01 07 03 01 ff";

const hex = (bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");

Deno.test("the offer of another radio is the one that hostapd would send", () => {
  const to = { bssid: "02:00:00:00:00:00", operatingClass: 81, channel: 1, phyType: 7 };
  const frame = transitionFrame(STATION, to, { token: 1, validity: 30 });
  assert.equal(hex(frameBytes(ACCESS_POINT, frame)), BY_HOSTAPD);
});

Deno.test("a deauthentication gives the reason after the header", () => {
  assert.equal(
    hex(frameBytes(ACCESS_POINT, deauthenticationFrame(STATION))),
    "c0 00 00 00 02 00 00 00 02 00 02 00 00 00 01 00 02 00 00 00 01 00 00 00 02 00",
  );
});

Deno.test("hostapd does not reach stations with protected frames on interfaces of their own", () => {
  const flags = "[AUTH][ASSOC][AUTHORIZED][MFP]";
  assert.equal(isDeafToHostapd({ flags, vlan_id: "4096" }), true);
  assert.equal(isDeafToHostapd({ flags, vlan_id: "0" }), false);
  assert.equal(isDeafToHostapd({ flags }), false);
  assert.equal(isDeafToHostapd({ flags: "[AUTH][ASSOC][AUTHORIZED]", vlan_id: "4096" }), false);
  assert.equal(isDeafToHostapd({ vlan_id: "4096" }), false);
});
