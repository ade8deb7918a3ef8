import assert from "node:assert/strict";
import { testRouter } from "../../kit/router.ts";

Deno.test("the console's socket, which has no peer, responds to a client that takes gzip", async () => {
  await using router = await testRouter();
  for (const path of ["/network", "/changes"]) {
    const response = await router.internal.console.request(path, {
      headers: { "accept-encoding": "gzip", host: "localhost" },
    });
    assert.equal(response.status, 200, await response.clone().text());
    assert.equal(response.headers.get("content-encoding"), null);
    await response.body?.cancel();
  }
});
