import assert from "node:assert/strict";
import { wantedRelease } from "../../../system/machine/wanted_release.ts";

Deno.test("the wanted release is the selected one, else the newest of the channel", () => {
  const tags = ["v0.1.0", "v0.2.0", "v0.3.0-dev.1"];
  const wanted = (current: string, CustomVersion = "", CustomChannel = "") =>
    wantedRelease({ current, tags, selected: { CustomChannel, CustomVersion } });
  assert.equal(wanted("v0.1.0"), "v0.2.0");
  assert.equal(wanted("v0.2.0"), null);
  assert.equal(wanted("v0.9.0"), null, "newer than all that are known");
  assert.equal(wanted("v0.2.0", "", "-dev"), "v0.3.0-dev.1");
  assert.equal(wanted("v0.3.0-dev.1", "", "-dev"), null);
  assert.equal(wanted("v0.2.0", "v0.1.0"), "v0.1.0", "an older one only by its name");
  assert.equal(wanted("v0.1.0", "v0.1.0"), null);
  assert.equal(wanted("v0.1.0", "0.1.0"), null);
});
