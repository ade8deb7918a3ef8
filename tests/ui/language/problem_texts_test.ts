import assert from "node:assert/strict";
import { call } from "../../../ui/api/client.ts";
import { ApiProblem } from "../../../ui/api/problem.ts";

/** An error whose sentence another language has, and one that it lacks. */
const known = (pointer: string) => ({
  pointer,
  message: "Use 9",
  sentence: { id: "Höchstens {most}", values: { most: 9 } },
});
const unknown = { pointer: "/Name", message: "Choose another name" };

function said(detail: string, ...errors: readonly unknown[]): string {
  return new ApiProblem(400, detail, { errors }).message;
}

Deno.test("a summary of a body names each place in the language of the page", () => {
  assert.equal(said("/Mtu: Use 9", known("/Mtu")), "/Mtu: Höchstens 9");
  assert.equal(said("The body: Use 9", known("")), "Höchstens 9");
  assert.equal(
    said("/Mtu: Use 9 (and 1 more)", known("/Mtu"), unknown),
    "/Mtu: Höchstens 9; /Name: Choose another name",
  );
  assert.equal(
    said("/Mtu: Use 9 (and 4 more)", known("/Mtu"), unknown),
    "/Mtu: Höchstens 9; /Name: Choose another name (and 3 more)",
  );
});

Deno.test("a detail that repeats an error is that error, and any other stays", () => {
  assert.equal(said("Use 9", known("/Mtu")), "Höchstens 9");
  assert.equal(said("Use 9. The clock says noon", known("/Mtu")), "Use 9. The clock says noon");
  assert.equal(said("/Mtu: Use 9 or so", known("/Mtu")), "/Mtu: Use 9 or so");
  const own = { errors: [known("/Mtu")], sentence: { id: "Zu viel", values: {} } };
  assert.equal(new ApiProblem(400, "Too much", own).message, "Zu viel");
  assert.equal(said("/Name: Choose another name", unknown), "/Name: Choose another name");
  assert.equal(said("Too much", null, { pointer: 1 }, known("/Mtu")), "Too much");
});

Deno.test("after a lost answer only reads and previews say that nothing was changed", async () => {
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new TypeError("lost"));
  const lost = (request: Parameters<typeof call>[0]): Promise<unknown> =>
    call(request).then(() => null, ({ members }: ApiProblem) => members["isUnknown"] ?? false);
  try {
    assert.equal(await lost({ path: "/x" }), false);
    assert.equal(await lost({ method: "PUT", path: "/x", query: { dryRun: "true" } }), false);
    assert.equal(await lost({ method: "PUT", path: "/x" }), true);
  } finally {
    globalThis.fetch = fetch;
  }
});
