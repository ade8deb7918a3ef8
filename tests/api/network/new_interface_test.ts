import assert from "node:assert/strict";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { eventually } from "../../kit/eventually.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

async function start() {
  const host = memoryHost({ links: ["lo", "wan0", "lan0"] });
  const clock = { now: 1000 };
  const router = await testRouter({ host, engine: { bootClock: () => clock.now } });
  const plug = () =>
    host.applyForeign({
      kind: "ip",
      ops: [
        { op: "add-link", name: "lan1", kind: "bridge" },
        { op: "set-link", name: "lan1", up: true },
      ],
    });
  const notices = async () =>
    (await host.facts()).neighbours.filter(({ permanent }) => permanent)
      .map(({ address, link }) => `${address} ${link}`);
  const tick = async (): Promise<void> => {
    clock.now += 5;
    await router.engine.tick();
  };
  await tick();
  return { host, router, plug, notices, tick };
}

async function lease(router: TestRouter, card: number, link: string): Promise<string> {
  const body = { MAC: mac(card), Iface: link };
  return (await (await router.inside("dhcp", "PUT", "/dhcpRequest", body)).json()).IP;
}

Deno.test("a lease on a link that appeared a moment ago is in force when it is answered", async () => {
  const { router, plug, notices } = await start();
  await using _ = router;
  plug();
  const address = await lease(router, 1, "lan1");
  assert.deepEqual(await notices(), [`${address} lan1`]);
});

Deno.test("a device that moves to a link that appeared a moment ago is there at once", async () => {
  const { router, plug, notices } = await start();
  await using _ = router;
  const address = await lease(router, 1, "lan0");
  plug();
  assert.equal(await lease(router, 1, "lan1"), address);
  assert.deepEqual(await notices(), [`${address} lan1`]);
});

Deno.test("a link that appears is followed, and nobody is notified of a difference", async () => {
  const { host, router, plug, notices, tick } = await start();
  await using _ = router;
  const address = await lease(router, 1, "lan1");
  assert.deepEqual(await notices(), [], "there is no such link yet");
  plug();
  host.emit({ kind: "link", name: "lan1" });
  await tick();
  await tick();
  assert.deepEqual(await notices(), [`${address} lan1`]);
  // The notice of a new device is stored after the device has its address.
  await eventually("nothing but the notice of the device", async () => {
    const { items } = await router.json<{ items: { kind: string }[] }>("GET", "/notices");
    assert.deepEqual(items.map(({ kind }) => kind), ["new-device"]);
  });
});
