import assert from "node:assert/strict";
import { eventually } from "../../kit/eventually.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";
import { FILES, LEASE, send, status } from "../../kit/lab/two_uplinks.ts";

const SILENT = "No DHCP server responds";
const FIXED = { DisableDHCP: true, IP: "100.64.5.9/24", Router: "100.64.5.1" };
/** A lease from the network that home has. */
const AT_HOME = { ...LEASE, address: "192.168.2.77/24", router: "192.168.2.1" };

async function open(router: TestRouter): Promise<readonly string[]> {
  const { items } = await router.json<{ items: { kind: string }[] }>("GET", "/notices");
  return items.map(({ kind }) => kind).filter((kind) => /^uplink-(problem|lease|mtu)$/.test(kind))
    .sort();
}

async function nothingIsOpen(router: TestRouter): Promise<void> {
  await eventually("no notice is open", async () => assert.deepEqual(await open(router), []));
}

Deno.test("the notices of an uplink are resolved once it uses no DHCP", async () => {
  const cases = [
    ["a fixed address", "/uplink/ip", { Name: "lan1", ...FIXED }],
    ["disabled", "/link/config", { Name: "lan1", Enabled: false }],
    ["no uplink", "/link/config", { Name: "lan1", Type: "Other" }],
  ] as const;
  for (const [what, path, body] of cases) {
    await using router = await testRouter({ files: FILES });
    await send(router, "/problem", { name: "lan1", detail: SILENT });
    await send(router, "/lease", { name: "lan1", lease: AT_HOME });
    assert.deepEqual(await open(router), ["uplink-lease", "uplink-problem"], what);
    assert.equal(await status(router, path, body), 200);
    await nothingIsOpen(router);
    await send(router, "/problem", { name: "lan1", detail: SILENT });
    await send(router, "/lease", { name: "lan1", lease: AT_HOME });
    assert.deepEqual(await open(router), [], `${what}: a report that comes late opens nothing`);
  }
});

Deno.test("a PPPoE account that is removed or disabled leaves no notice behind", async () => {
  await using router = await testRouter({ files: FILES });
  const account = { Iface: "lan1", Username: "u", Secret: "s", Enabled: true };
  for (
    const [method, path, body] of [
      ["PUT", "/uplink/ppp", { Iface: "lan1", Enabled: false }],
      ["DELETE", "/uplink/ppp/lan1", undefined],
    ] as const
  ) {
    assert.equal(await status(router, "/uplink/ppp", account), 200);
    await send(router, "/problem", { name: "lan1", detail: "The provider refuses the secret" });
    assert.deepEqual(await open(router), ["uplink-problem"]);
    const answer = await router.ask(method, path, body === undefined ? {} : { body });
    assert.equal(answer.status, 200, await answer.text());
    await nothingIsOpen(router);
  }
});

Deno.test("the notice of an uplink that a file edit removed is resolved at the next start", async () => {
  await using router = await testRouter({ files: FILES });
  await send(router, "/problem", { name: "lan1", detail: SILENT });
  await router.close();
  const path = `${router.home}/configs/base/interfaces.json`;
  const links = JSON.parse(await Deno.readTextFile(path)) as { Name: string }[];
  const rest = links.map((one) => one.Name === "lan1" ? { ...one, Enabled: false } : one);
  await Deno.writeTextFile(path, JSON.stringify(rest));
  const again = await router.reopen();
  await nothingIsOpen(again);
  await again.close();
});

Deno.test("an MTU that is too small to be used is a notice until it is accepted, a default route on the link none", async () => {
  await using router = await testRouter({ files: FILES });
  const routes = [{ destination: "0.0.0.0/0", via: null }];
  await send(router, "/lease", { name: "lan1", lease: { ...LEASE, router: null, routes } });
  assert.deepEqual(await open(router), []);
  await send(router, "/lease", { name: "lan1", lease: { ...LEASE, mtu: 576 } });
  assert.deepEqual(await open(router), ["uplink-mtu"]);
  assert.equal(await status(router, "/wan/config", { AcceptSmallMTU: true }), 200);
  await nothingIsOpen(router);
  assert.equal(await status(router, "/wan/config", { FailThreshold: 5 }), 200);
  assert.deepEqual(await open(router), [], "a client that does not know the setting leaves it");
  assert.equal(await status(router, "/wan/config", { AcceptSmallMTU: false }), 200);
  await eventually(
    "it is reported again",
    async () => assert.deepEqual(await open(router), ["uplink-mtu"]),
  );
  await send(router, "/lease", { name: "lan1", lease: { ...LEASE, mtu: 1400 } });
  assert.deepEqual(await open(router), []);
});
