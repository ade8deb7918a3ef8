import assert from "node:assert/strict";
import type { MeshStatus } from "../../../system/mesh/status_schema.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { eventually } from "../../kit/eventually.ts";
import { type MeshRouter, meshRouter } from "../../kit/mesh/mesh_bed.ts";
import { patience } from "../../kit/pace.ts";

const PATH = "/plugins/mesh";

async function write(
  { router }: MeshRouter,
  method: "PUT" | "DELETE",
  path: string,
  body: unknown,
): Promise<void> {
  const answer = await router.ask(method, path, { body });
  assert.equal(answer.status, 200, await answer.text());
}

async function addDevice(router: MeshRouter, n: number): Promise<void> {
  const body = { PSKEntry: { Type: "sae", Psk: "password1234" }, Policies: ["wan", "dns"] };
  await write(router, "PUT", `/device?identity=${mac(n)}`, body);
}

async function leaves({ router }: MeshRouter): Promise<MeshStatus["Leaves"]> {
  return (await router.json<MeshStatus>("GET", `${PATH}/status`)).Leaves;
}

Deno.test("a leaf router that is removed during a contact is sent nothing more", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent, 1);
  const body = { IP: leaf.address, APIToken: await leaf.leafToken(), TLSCA: "" };
  await write(parent, "PUT", `${PATH}/leafRouter?force=true`, body);
  await eventually(
    "it is in step",
    async () => assert.equal((await leaves(parent))[0]?.Status, "synced"),
  );
  leaf.hold("GET /version");
  await addDevice(parent, 2);
  await eventually("it is met", () => assert.equal(leaf.requests.at(-1), "GET /version"));
  const seen = leaf.requests.length;
  const { polls } = parent;
  await write(parent, "DELETE", `${PATH}/leafRouter`, { ...body, APIToken: "**" });
  await eventually("the process mesh knows", () => assert.ok(parent.polls > polls));
  leaf.hold(null);
  await new Promise((resolve) => setTimeout(resolve, patience(1) * 1000));
  assert.deepEqual(leaf.requests.slice(seen), []);
  assert.deepEqual(await leaves(parent), []);
});
