import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import { blankDevice } from "../../../system/devices/device.ts";
import { updateSummary } from "../../../system/devices/summary.ts";
import type { DeviceUpdate } from "../../../system/devices/wire.ts";

const MAC = "02:00:00:00:00:01";
const before = {
  ...blankDevice(MAC),
  Name: "Tablet",
  Policies: ["dns" as const],
  Groups: ["kids"],
  DeviceTags: ["school"],
};

function text(update: Partial<DeviceUpdate>, identity = MAC): string {
  const config = { devices: { [MAC]: before } } as unknown as Config;
  return updateSummary(config, identity, update as DeviceUpdate);
}

Deno.test("the summary of an update names the one thing that it changes", () => {
  assert.equal(text({ Policies: ["dns", "wan"] }), "Turned on Internet for Tablet");
  assert.equal(text({ Policies: [] }), "Turned off DNS for Tablet");
  assert.equal(text({ Policies: ["dns", "noapi"] }), "Turned off Admin access for Tablet");
  assert.equal(text({ Policies: ["dns", "disabled"] }), "Blocked Tablet");
  assert.equal(text({ Groups: ["kids", "media"] }), "Added Tablet to group media");
  assert.equal(text({ Groups: [] }), "Removed Tablet from group kids");
  assert.equal(text({ Name: "Pad" }), "Renamed Tablet to Pad");
  assert.equal(text({ Name: "" }), "Removed the name of Tablet");
  assert.equal(text({ DeviceTags: [] }), "Changed the tags of Tablet");
  assert.equal(text({ DeviceDisabled: true }), "Blocked Tablet");
  assert.equal(
    text({ DeviceDisabled: true, Policies: ["dns", "disabled"] }),
    "Blocked Tablet",
  );
});

Deno.test("the summary of an update stays short where it is several things, or none", () => {
  assert.equal(text({ Policies: ["wan", "lan"] }), "Changed the policies of Tablet");
  assert.equal(text({ Groups: ["media"] }), "Changed the groups of Tablet");
  assert.equal(text({ Name: "Pad", Policies: [] }), "Changed Pad");
  assert.equal(text({ Name: "Tablet", Policies: ["dns"] }), "Changed Tablet");
  assert.equal(text({ VLANTag: "7", Policies: [] }), "Changed Tablet");
  assert.equal(text({}), "Changed Tablet");
});

Deno.test("the summary of a new device is its name, or its identity", () => {
  assert.equal(text({ Name: "Phone" }, "02:00:00:00:00:02"), "Added Phone");
  assert.equal(text({}, "02:00:00:00:00:02"), "Added 02:00:00:00:00:02");
});
