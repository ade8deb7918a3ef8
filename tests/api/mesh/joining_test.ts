import assert from "node:assert/strict";
import { eventually } from "../../kit/eventually.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { addDevice, join, PATH, put, refused, stands } from "../../kit/mesh/joining.ts";
import { type MeshRouter, meshRouter } from "../../kit/mesh/mesh_bed.ts";

const DAY = 86_400_000;

Deno.test("what cannot join is refused in words, before anything is sent to it", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2, {
    files: { "base/dhcp.json": { TinyNets: ["192.168.101.0/24"] } },
  });
  const APIToken = await leaf.leafToken();
  const probe = (IP: string) =>
    parent.router.ask("PUT", `${PATH}/probe`, { body: { IP, APIToken } });
  const own = (await parent.router.host.facts()).addresses
    .find(({ link }) => link !== "lo")!.address.split("/")[0]!;
  await refused(await probe(own), 400, /address of this router/);

  const found = await (await probe(leaf.address)).json();
  assert.deepEqual(found.Overlaps, ["192.168.101.0/24"]);
  await refused(await put(parent, leaf, APIToken), 409, /192\.168\.101\.0\/24, which overlaps/);
  assert.equal(leaf.requests.some((request) => request.startsWith("PUT ")), false);

  await leaf.cut();
  await refused(await probe(leaf.address), 502, /port 443.*Turn HTTPS on there/);
});

Deno.test("a router without HTTPS says that it needs it before it asks for a leaf", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  const APIToken = await leaf.leafToken();
  const off = await parent.router.ask("DELETE", "/firewall/enableTLS");
  assert.equal(off.status, 200, await off.text());
  await refused(await put(parent, leaf, APIToken), 409, /Turn HTTPS on first/);
  assert.deepEqual(leaf.requests, []);
});

/** The leaf has the devices of its parent, and its reports arrive there. */
async function works(parent: MeshRouter, leaf: MeshRouter, device: number): Promise<void> {
  await stands(parent, leaf, "synced");
  await eventually("it has the devices", () => {
    assert.ok(Object.hasOwn(leaf.router.engine.config.devices, mac(device)));
  });
  await leaf.router.inside("wifi", "PUT", "/reportPSKAuthSuccess", {
    ...{ Iface: "wlan0.9", Event: "AP-STA-CONNECTED", MAC: mac(device) },
  });
  await eventually("its report arrives", () => {
    assert.equal(parent.router.engine.observed.devices[mac(device)]?.link, "mesh-leaf1");
  });
}

// What checks certificates has the right time, so that each router is a day off from it.
for (const wrong of ["ahead", "behind"] as const) {
  Deno.test(`a leaf whose clock is a day ${wrong} of a parent that is a day off joins, and again once both are right`, async () => {
    let offset = wrong === "ahead" ? DAY : -DAY;
    const steady = () => performance.now();
    await using parent = await meshRouter(1, { now: () => Date.now() - offset, steady });
    await using leaf = await meshRouter(2, { now: () => Date.now() + offset, steady });
    await addDevice(parent.router, 1, "Phone");
    await join(parent, leaf);
    await works(parent, leaf, 1);
    offset = 0;
    await parent.restartMesh();
    await leaf.restartMesh();
    await addDevice(parent.router, 2, "Laptop");
    await works(parent, leaf, 2);
    const again = await put(parent, leaf, "**");
    assert.equal(again.status, 200, await again.text());
    await stands(parent, leaf, "synced");
  });
}
