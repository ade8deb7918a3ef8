import assert from "node:assert/strict";
import { testRouter } from "../../kit/router.ts";

const DEVICE = "02:00:00:00:0a:01";

Deno.test("a change is applied although a link went away a moment ago", async () => {
  await using router = await testRouter();
  const leased = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC: DEVICE, Iface: "lan1" });
  const { IP, RouterIP } = await leased.json() as { IP: string; RouterIP: string };
  const address = `${RouterIP}/30`;
  const addresses = async () =>
    (await router.host.facts()).addresses.map((one) => `${one.address} ${one.link}`);
  assert.ok((await addresses()).includes(`${address} lan1`));
  // The kernel's own news of it are on their way when the change comes.
  await router.host.apply({ kind: "ip", ops: [{ op: "delete-link", name: "lan1" }] });
  const answer = await router.ask("DELETE", `/device?identity=${DEVICE}`);
  assert.equal(answer.status, 200, await answer.text());
  assert.equal(router.engine.network.state, "model");
  assert.ok(!(await addresses()).includes(`${address} lan1`));
  const again = await router.ask("PUT", `/device?identity=${DEVICE}`, { body: { RecentIP: IP } });
  assert.equal(again.status, 200, await again.text());
});

Deno.test("a lease on a link that came back is granted once its address is there again", async () => {
  await using router = await testRouter();
  const message = (kind: string, wanted = "") =>
    router.inside("dhcp", "PUT", "/decide", { kind, mac: DEVICE, link: "lan1", wanted });
  const { decision: { IP, RouterIP } } = await (await message("discover")).json();
  const granted = await message("request", IP);
  assert.equal(granted.status, 200, await granted.text());
  const has = async () =>
    (await router.host.facts()).addresses.some(({ address, link }) =>
      address === `${RouterIP}/30` && link === "lan1"
    );
  assert.ok(await has());
  await router.host.apply({
    kind: "ip",
    ops: [
      { op: "delete-link", name: "lan1" },
      { op: "add-link", name: "lan1", kind: "bridge" },
      { op: "set-link", name: "lan1", up: true },
    ],
  });
  assert.equal(await has(), false);
  router.host.emit({ kind: "link", name: "lan1", gone: true });
  router.host.emit({ kind: "link", name: "lan1" });
  // The device asks for the address that it has: nothing is decided anew.
  const again = await message("request", IP);
  assert.equal(again.status, 200, await again.text());
  assert.ok(await has());
});
