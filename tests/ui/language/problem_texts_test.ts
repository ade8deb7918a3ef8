import assert from "node:assert/strict";
import { call } from "../../../ui/api/client.ts";
import { ApiProblem, failureText } from "../../../ui/api/problem.ts";
import { pageModules } from "../../../ui/build/texts.ts";

const UI = new URL("../../../ui/", import.meta.url);

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
    const brokenOff = new ReadableStream({ start: (body) => body.error(new TypeError("lost")) });
    const headers = { "Content-Type": "application/json" };
    globalThis.fetch = () => Promise.resolve(new Response(brokenOff, { headers }));
    assert.equal(await lost({ method: "PUT", path: "/x" }), true);
  } finally {
    globalThis.fetch = fetch;
  }
});

Deno.test("a failure says that nothing was made only where that is known", () => {
  const failed = (text: string): string => `Not saved. ${text}`;
  assert.equal(failureText(new ApiProblem(409, "In use."), failed), "Not saved. In use.");
  assert.equal(failureText(new Error("No file."), failed), "Not saved. No file.");
  const lost = new ApiProblem(0, "It may have been made.", { isUnknown: true });
  assert.equal(failureText(lost, failed), "It may have been made.");
});

Deno.test("every page leaves it to these two to say what a failed write did not do", async () => {
  const wrong =
    /[.}] ?\{text\}", \{[^}]*text: textOf\(|<Fault[^>]*title=\{t\("(?:(?:No|Nothing) [^"]*(?:was|were)|[^"]*(?:was|were) not) /g;
  const found: string[] = [];
  for (const [path, source] of await pageModules(UI.pathname)) {
    for (const [place] of source.matchAll(wrong)) found.push(`${path}: ${place}`);
  }
  assert.deepEqual(found, []);
});
