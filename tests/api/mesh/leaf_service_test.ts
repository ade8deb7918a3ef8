import assert from "node:assert/strict";
import { LEAF_TOKEN_NAME } from "../../../system/mesh/rules.ts";
import { addDevice, join, PATH, refused, status } from "../../kit/mesh/joining.ts";
import { meshRouter } from "../../kit/mesh/mesh_bed.ts";

Deno.test("the parent reads the logs of its leaf and asks it to update", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  const lines = await parent.router.json<{ CONTAINER_NAME: string }[]>(
    "GET",
    `${PATH}/leafLogs?IP=${leaf.address}&limit=5&level=info&text=a%26b`,
  );
  assert.ok(Array.isArray(lines) && lines.length <= 5);
  assert.ok(leaf.requests.includes("GET /logs"));
  const nobody = await parent.router.ask("GET", `${PATH}/leafLogs?IP=192.0.2.9`);
  await refused(nobody, 404, /No leaf router/);

  const body = { IP: leaf.address };
  const preview = await parent.router.ask("PUT", `${PATH}/updateLeaf?dryRun=true`, { body });
  assert.match(await preview.text(), /is asked to run the release/);
  assert.equal(leaf.requests.includes("PUT /update"), false);
  const answer = await parent.router.json<{ IP: string; Text: string }>(
    "PUT",
    `${PATH}/updateLeaf`,
    { body },
  );
  assert.equal(answer.IP, leaf.address);
  assert.ok(leaf.requests.includes("PUT /update"));
  const [state] = (await status(parent.router)).Leaves;
  assert.deepEqual([state!.Version, state!.Relation], ["v0.0.0", "same"]);
});

Deno.test("a token that covers less says how it is replaced, and the new one covers it", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  // As an earlier version made it.
  const headers = leaf.otp;
  const ScopedPaths = ["/devices", "/plugins/mesh", "/topology:r", "/version:r", "/notices:r"];
  const made = await leaf.router.json<{ Token: string }>("PUT", "/tokens", {
    headers,
    body: { Name: LEAF_TOKEN_NAME, Expire: 0, ScopedPaths },
  });
  const update = { IP: leaf.address, APIToken: made.Token };
  const put = await parent.router.ask("PUT", `${PATH}/leafRouter`, { body: update });
  assert.equal(put.status, 200, await put.text());
  const logs = () => parent.router.ask("GET", `${PATH}/leafLogs?IP=${leaf.address}&limit=1`);
  await refused(await logs(), 502, /rotateToken/);
  const body = { IP: leaf.address };
  await parent.router.ask("PUT", `${PATH}/rotateToken`, { body });
  assert.equal((await logs()).status, 200);
});
