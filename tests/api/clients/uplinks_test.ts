import assert from "node:assert/strict";
import type { InterfaceEntry } from "../../../system/network/interfaces/update_schema.ts";
import { type TestRouter, testRouter, WIRED } from "../../kit/router.ts";

async function addressOf(router: TestRouter, name: string): Promise<string | undefined> {
  const entries = await router.json<InterfaceEntry[]>("GET", "/interfacesConfiguration");
  return entries.find(({ Name }) => Name === name)?.IP;
}

/** Addresses of a link in the kernel. */
async function kernelAddresses(router: TestRouter, link: string): Promise<readonly string[]> {
  const { addresses } = await router.host.facts();
  return addresses.filter((one) => one.link === link).map(({ address }) => address);
}

Deno.test("an uplink gets a fixed address without a prefix, and its gateway beside it", async () => {
  await using router = await testRouter();
  const fixed = { Name: "wan0", DisableDHCP: true, Router: "198.51.100.1", VLAN: null };
  const put = async (path: string, body: unknown) =>
    (await router.ask("PUT", path, { body })).status;
  assert.equal(await put("/uplink/ip", { ...fixed, IP: "198.51.100.9" }), 200);
  assert.equal(await addressOf(router, "wan0"), "198.51.100.9/32");
  assert.deepEqual(await kernelAddresses(router, "wan0"), ["198.51.100.9/32"]);
  const { routes } = await router.host.facts();
  assert.ok(
    routes.some(({ destination, via, link }) =>
      destination === "default" && via === "198.51.100.1" && link === "wan0"
    ),
  );
  assert.equal(await put("/uplink/ip", { ...fixed, IP: "198.51.100.9/24" }), 200);
  assert.equal(await put("/uplink/ip", { ...fixed, IP: "198.51.100.9" }), 200);
  assert.equal(await addressOf(router, "wan0"), "198.51.100.9/24", "the prefix that it has stays");
  assert.equal(await put("/link/ip", { Name: "lan1", IP: "10.9.0.1" }), 200);
  assert.equal(await addressOf(router, "lan1"), "10.9.0.1/32");
});

Deno.test("a file of an existing router has an uplink's address without a prefix", async () => {
  const interfaces = [{ ...WIRED[0], IP: "203.0.113.2" }, ...WIRED.slice(1)];
  await using router = await testRouter({ files: { "base/interfaces.json": interfaces } });
  assert.equal(await addressOf(router, "wan0"), "203.0.113.2/32");
  assert.deepEqual(await kernelAddresses(router, "wan0"), ["203.0.113.2/32"]);
});
