import assert from "node:assert/strict";
import fc from "fast-check";
import { decidedPolicies, hasAdminAccess } from "../../../system/devices/admin_access.ts";
import { type Policy, POLICY_NAMES } from "../../../system/devices/policies.ts";
import { syncSummary, updateSummary } from "../../../system/devices/summary.ts";
import { updateDevice } from "../../../system/devices/update.ts";
import { DeviceSync, DeviceUpdate } from "../../../system/devices/wire.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";

const CARD = mac(1), OTHER = mac(2);

function after(before: readonly Policy[], sent: unknown, copy: string | null = null): Policy[] {
  const config = configWith({
    devices: {
      [CARD]: device(CARD, { Name: "Tablet", Policies: [...before] }),
      [OTHER]: device(OTHER, { Policies: ["wan", "dns"] }),
    },
  });
  const update = DeviceUpdate.parse(sent);
  const request = { identity: CARD, update, copy, generated: "", now: 1000 };
  return updateDevice(config, request)[1].device.Policies;
}

Deno.test("a list that gives something gives no admin access by the way", () => {
  assert.deepEqual(after(["noapi"], { Policies: ["wan"] }), ["wan", "noapi"]);
  assert.deepEqual(after(["wan", "noapi"], { Policies: [] }), ["noapi"]);
  assert.deepEqual(after(["wan", "noapi"], { Policies: ["dns", "wan"] }), ["dns", "wan", "noapi"]);
  assert.deepEqual(after(["wan"], { Policies: ["dns"] }), ["dns"]);
});

Deno.test("admin access is given by its own word, or by a list that says nothing else", () => {
  assert.deepEqual(after(["noapi"], { AdminAccess: true }), []);
  assert.deepEqual(after(["noapi"], { AdminAccess: true, Policies: ["wan", "noapi"] }), ["wan"]);
  assert.deepEqual(after(["wan"], { AdminAccess: false }), ["wan", "noapi"]);
  assert.deepEqual(after(["wan", "dns", "noapi"], { Policies: ["dns", "wan"] }), ["dns", "wan"]);
  assert.deepEqual(after(["noapi"], { Policies: [] }), []);
  assert.deepEqual(
    after(["wan", "noapi", "disabled"], { Policies: ["wan"], DeviceDisabled: false }),
    ["wan"],
  );
});

Deno.test("policies of another device are no word about admin access", () => {
  assert.deepEqual(after(["noapi"], {}, OTHER), ["wan", "dns", "noapi"]);
  assert.deepEqual(after(["wan", "dns", "noapi"], {}, OTHER), ["wan", "dns", "noapi"]);
});

Deno.test("nobody gains admin access by a list that changes anything else, whatever is in it", () => {
  const policies = fc.subarray([...POLICY_NAMES]);
  fc.assert(fc.property(policies, policies, (before, sent) => {
    const next = decidedPolicies(before, { Policies: sent });
    const others = (list: readonly Policy[]) =>
      list.filter((one) => one !== "noapi" && one !== "disabled").sort();
    assert.deepEqual(others(next), others(sent));
    const gains = hasAdminAccess({ Policies: next }) && !hasAdminAccess({ Policies: before });
    if (gains) assert.deepEqual(others(before), others(sent));
    if (hasAdminAccess({ Policies: before })) assert.deepEqual(next, sent);
  }));
});

Deno.test("the history says who got admin access", () => {
  const config = configWith({
    devices: { [CARD]: device(CARD, { Name: "Tablet", Policies: ["wan", "noapi"] }) },
  });
  const text = (sent: unknown) => updateSummary(config, CARD, DeviceUpdate.parse(sent));
  assert.equal(text({ AdminAccess: true }), "Turned on Admin access for Tablet");
  assert.equal(text({ Policies: ["wan"] }), "Turned on Admin access for Tablet");
  assert.equal(text({ Policies: ["dns"] }), "Changed the policies of Tablet");
  assert.equal(
    text({ AdminAccess: true, Policies: ["dns"] }),
    "Changed the policies of Tablet, with admin access to this router",
  );
  const sync = (sent: unknown) => syncSummary(config, DeviceSync.parse(sent));
  assert.equal(sync({ [CARD]: { Policies: ["noapi"] } }), "Replaced all devices by 1");
  assert.equal(
    sync({ [CARD]: { Policies: ["wan"] } }),
    "Replaced all devices by 1, with admin access for Tablet",
  );
});
