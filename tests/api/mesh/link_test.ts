import assert from "node:assert/strict";
import { publicKeyOf } from "../../../system/wireguard/keys.ts";
import { eventually } from "../../kit/eventually.ts";
import { addDevice, join, PATH, put, refused, status } from "../../kit/mesh/joining.ts";
import { type MeshRouter, meshRouter } from "../../kit/mesh/mesh_bed.ts";

const ofParent = ({ router }: MeshRouter) => router.engine.config.mesh.LeafRouters[0]!;
const ofLeaf = ({ router }: MeshRouter) => router.engine.config.mesh.ParentCredentials;

/** Both ends have each other's public key. */
async function keyed(parent: MeshRouter, leaf: MeshRouter): Promise<void> {
  await eventually("the keys are exchanged", () => {
    const [here, there] = [ofParent(parent), ofLeaf(leaf)];
    assert.notEqual(here.TunnelKey, "");
    assert.equal(here.PeerKey, publicKeyOf(there.TunnelKey));
    assert.equal(there.PeerKey, publicKeyOf(here.TunnelKey));
  });
}

Deno.test("each side of a link draws its key, and no private one leaves its router", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  await keyed(parent, leaf);
  const [here, there] = [ofParent(parent), ofLeaf(leaf)];
  assert.deepEqual([here.Link, there.Link], [
    { Kind: "wireguard", Number: 1 },
    { Kind: "wireguard", Number: 1 },
  ]);
  const secrets = [here.TunnelKey, there.TunnelKey];
  for (const { router } of [parent, leaf]) {
    for (
      const path of [`${PATH}/config`, `${PATH}/leafRouters`, `${PATH}/status`, "/changes"]
    ) {
      const text = await (await router.ask("GET", path)).text();
      for (const secret of secrets) assert.equal(text.includes(secret), false, path);
    }
    const { items } = await router.json<{ items: { id: string }[] }>("GET", "/changes");
    for (const { id } of items) {
      const text = await (await router.ask("GET", `/changes/${id}`)).text();
      for (const secret of secrets) assert.equal(text.includes(secret), false, text);
    }
    const plan = await (await router.inside("mesh", "GET", "/plan")).text();
    for (const secret of secrets) assert.equal(plan.includes(secret), false, "the plan");
  }
  const { ParentCredentials } = await leaf.router.json<{
    ParentCredentials: { PublicKey: string; PeerKey: string };
  }>("GET", `${PATH}/config`);
  assert.deepEqual([ParentCredentials.PublicKey, ParentCredentials.PeerKey], [
    here.PeerKey,
    there.PeerKey,
  ]);
});

Deno.test("a leaf that joins again gets new keys on both sides; contacts alone change none", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  await keyed(parent, leaf);
  const before = [ofParent(parent).TunnelKey, ofLeaf(leaf).TunnelKey];
  // The process that was killed sends all of it again.
  await parent.restartMesh();
  const met = leaf.requests.length;
  await eventually("it is met again", () => {
    const since = leaf.requests.slice(met);
    assert.ok(since.filter((one) => one === "GET /notices").length > 0);
  });
  assert.deepEqual([ofParent(parent).TunnelKey, ofLeaf(leaf).TunnelKey], before);
  const again = await put(parent, leaf, "**");
  assert.equal(again.status, 200, await again.text());
  await keyed(parent, leaf);
  const after = [ofParent(parent).TunnelKey, ofLeaf(leaf).TunnelKey];
  assert.equal([...before, ...after].length, new Set([...before, ...after]).size);
});

Deno.test("a router without the process wireguard makes no unencrypted link unless the request asks for one", async () => {
  await using parent = await meshRouter(1, { hasTunnels: false });
  await using leaf = await meshRouter(2, { hasTunnels: false });
  await addDevice(parent.router, 1, "Phone");
  const APIToken = await leaf.leafToken();
  await refused(await put(parent, leaf, APIToken), 409, /process wireguard/);
  const body = { IP: leaf.address, APIToken, Link: "vxlan" };
  const added = await parent.router.ask("PUT", `${PATH}/leafRouter`, { body });
  assert.equal(added.status, 200, await added.text());
  assert.equal(ofParent(parent).TunnelKey, "");
  await eventually("the leaf has its end", () => {
    assert.deepEqual(ofLeaf(leaf).Link, { Kind: "vxlan", Number: 1 });
  });
  assert.equal(ofLeaf(leaf).TunnelKey, "");
});

Deno.test("a leaf that cannot encrypt keeps a network of its own, and a notice says so", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2, { hasTunnels: false });
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  await eventually("the parent knows", async () => {
    const [state] = (await status(parent.router)).Leaves;
    assert.equal(state!.Link, null);
  });
  assert.deepEqual([ofLeaf(leaf).Link, ofParent(parent).TunnelKey], [null, ""]);
  const notices = await (await parent.router.ask("GET", "/notices")).text();
  assert.match(notices, /process wireguard does not run/);
});

Deno.test("a leaf of a version without encrypted links keeps the link that it has", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  const body = { IP: leaf.address, APIToken: "**", Link: "vxlan" };
  const open = await parent.router.ask("PUT", `${PATH}/leafRouter`, { body });
  assert.equal(open.status, 200, await open.text());
  leaf.beEarlier();
  const { mesh } = parent.router.engine.config;
  await refused(
    await put(parent, leaf, "**", "?force=true"),
    409,
    /Update it first, or send Link vxlan/,
  );
  assert.equal(parent.router.engine.config.mesh, mesh);
  const again = await parent.router.ask("PUT", `${PATH}/leafRouter`, { body });
  assert.equal(again.status, 200, await again.text());
});

Deno.test("a client may send a leaf router back as it was shown, to update and to remove it", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  const update = (body: unknown) => parent.router.ask("PUT", `${PATH}/leafRouter`, { body });
  for (const Link of ["vxlan", "wireguard"] as const) {
    const updated = await update({ IP: leaf.address, APIToken: "**", Link });
    assert.equal(updated.status, 200, await updated.text());
    const [shown] = await parent.router.json<object[]>("GET", `${PATH}/leafRouters`);
    const back = await update({ ...shown, TLSCA: "", status: "online" });
    assert.equal(back.status, 200, await back.text());
    assert.deepEqual(ofParent(parent).Link, { Kind: Link, Number: 1 });
  }
  // A network of the leaf's own is null in responses, and stays so; without the field it has the default.
  assert.equal((await update({ IP: leaf.address, APIToken: "**", Link: "none" })).status, 200);
  const [apart] = await parent.router.json<{ Link: unknown }[]>("GET", `${PATH}/leafRouters`);
  assert.equal(apart!.Link, null);
  assert.equal((await update({ ...apart, TLSCA: "" })).status, 200);
  assert.equal(ofParent(parent).Link, null);
  assert.equal((await update({ ...apart, TLSCA: "", Link: undefined })).status, 200);
  assert.equal(ofParent(parent).Link?.Kind, "wireguard");
  const [shown] = await parent.router.json<object[]>("GET", `${PATH}/leafRouters`);
  for (const code of [200, 404]) {
    const body = { ...shown, TLSCA: "", status: "online" };
    const removed = await parent.router.ask("DELETE", `${PATH}/leafRouter`, { body });
    assert.equal(removed.status, code, await removed.text());
  }
});
