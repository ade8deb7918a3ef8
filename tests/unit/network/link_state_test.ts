import assert from "node:assert/strict";
import { setLink } from "../../../system/network/interfaces/link_rules.ts";
import { setLinkState, setTrunk } from "../../../system/network/interfaces/state_rules.ts";
import { configWith } from "../../kit/builders/device_config.ts";

Deno.test("a link that was down for nothing in particular is not down again after it was a trunk", () => {
  const [down] = setLinkState(configWith({ interfaces: [] }), "eth9", false);
  assert.equal(down.interfaces[0]!.State, "down");
  const [trunk] = setTrunk(down, "eth9", true);
  assert.equal(trunk.interfaces[0]!.State, "");
  const [other] = setLink(trunk, { Name: "eth9", Type: "Other" });
  assert.deepEqual(
    [other.interfaces[0]!.Type, other.interfaces[0]!.Subtype, other.interfaces[0]!.State],
    ["Other", "", ""],
  );
});
