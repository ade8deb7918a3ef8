import assert from "node:assert/strict";
import { apiTypesModule } from "../../../ui/build/api_types.ts";

Deno.test("the UI's generated types match the API document", async () => {
  const path = new URL("../../../ui/generated/api.ts", import.meta.url);
  const stale = await apiTypesModule(await Deno.readTextFile(path));
  assert.equal(stale, null, "ui/generated/api.ts is old; deno run -A ui/build.ts makes it anew");
});
