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

function words(update: Partial<DeviceUpdate>, identity = MAC): string {
  const config = { devices: { [MAC]: before } } as unknown as Config;
  return updateSummary(config, identity, update as DeviceUpdate);
}

Deno.test("the summary of an update names the one thing that is given or taken", () => {
  assert.equal(words({ Policies: ["dns", "wan"] }), "Give Tablet the policy wan");
  assert.equal(words({ Policies: [] }), "Take the policy dns from Tablet");
  assert.equal(words({ Groups: ["kids", "media"] }), "Put Tablet in the group media");
  assert.equal(words({ Groups: [] }), "Take Tablet out of the group kids");
  assert.equal(words({ Name: "Pad" }), "Rename Tablet to Pad");
  assert.equal(words({ Name: "" }), "Take the name off Tablet");
  assert.equal(words({ DeviceTags: [] }), "Change the tags of Tablet");
  assert.equal(words({ DeviceDisabled: true }), "Disable Tablet");
  assert.equal(
    words({ DeviceDisabled: true, Policies: ["dns", "disabled"] }),
    "Disable Tablet",
  );
});

Deno.test("the summary of an update stays short where it is several things, or none", () => {
  assert.equal(words({ Policies: ["wan", "lan"] }), "Change the policies of Tablet");
  assert.equal(words({ Groups: ["media"] }), "Change the groups of Tablet");
  assert.equal(words({ Name: "Pad", Policies: [] }), "Change Pad");
  assert.equal(words({ Name: "Tablet", Policies: ["dns"] }), "Change Tablet");
  assert.equal(words({ VLANTag: "7", Policies: [] }), "Change Tablet");
  assert.equal(words({}), "Change Tablet");
});

Deno.test("the summary of a new device is its name, or its identity", () => {
  assert.equal(words({ Name: "Phone" }, "02:00:00:00:00:02"), "Add Phone");
  assert.equal(words({}, "02:00:00:00:00:02"), "Add 02:00:00:00:00:02");
});
