import assert from "node:assert/strict";
import { testRouter } from "../../kit/router.ts";

Deno.test("an unknown path of an internal socket is a problem document", async () => {
  await using router = await testRouter();
  for (const socket of ["wifi", "dhcp", "wireguard"] as const) {
    const answer = await router.inside(socket, "PUT", "/devices", {});
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get("content-type"), "application/problem+json");
    assert.equal((await answer.json()).status, 404);
  }
});
