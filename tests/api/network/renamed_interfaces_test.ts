import assert from "node:assert/strict";
import { isRestrictive } from "../../../system/firewall/sets/transition.ts";
import { type MemoryHost, memoryHost } from "../../../system/host/memory/host.ts";
import { type TestRouter, testRouter, WIRED } from "../../kit/router.ts";

const mac = (last: number) => `02:00:5e:00:53:0${last}`;

/** A machine with these interfaces, each with the MAC address of its number. */
function machine(adapters: Readonly<Record<string, number>>): MemoryHost {
  return memoryHost({
    isRestrictive,
    links: Object.entries(adapters).map(([name, number], at) => ({
      name,
      index: at + 2,
      mac: mac(number),
      up: true,
      running: true,
      kind: null,
    })),
  });
}

const FILES = {
  "base/interfaces.json": [
    ...WIRED,
    { Name: "wlan0", Type: "AP", Enabled: true },
    { Name: "wlan1", Type: "AP", Enabled: false },
  ],
  "base/firewall.json": {
    CustomInterfaceRules: [{ Interface: "lan1.7", SrcIP: "10.0.0.2", Policies: ["wan"] }],
  },
};
const BEFORE = { wan0: 2, lan0: 3, lan1: 4, wlan0: 5, wlan1: 6 };

Deno.test("settings follow radios and LAN interfaces that were renamed at a boot, with a notice", async () => {
  await using router = await testRouter({ files: FILES });
  await router.adapters.follow(machine(BEFORE));
  const first = router.engine.config;
  assert.deepEqual(await notices(router), []);

  await router.adapters.follow(machine({ wan0: 4, lan0: 3, lan1: 2, wlan0: 6, wlan1: 5 }));
  const { interfaces, firewall } = router.engine.config;
  assert.deepEqual(interfaces.map(({ Name, Type, Enabled }) => [Name, Type, Enabled]), [
    ["lan1", "Uplink", true],
    ["lan0", "Downlink", true],
    ["wan0", "Downlink", true],
    ["wlan1", "AP", true],
    ["wlan0", "AP", false],
  ]);
  assert.deepEqual(firewall.CustomInterfaceRules.map(({ Interface }) => Interface), ["wan0.7"]);
  const [notice] = await notices(router);
  assert.match(notice?.detail ?? "", /lan1 is wan0 now, wan0 is lan1 now, wlan0 is wlan1 now/);
  assert.match(notice?.detail ?? "", /settings went along/);
  const { items: [change] } = await router.json<{ items: { summary: string; by: string }[] }>(
    "GET",
    "/changes",
  );
  assert.match(change?.summary ?? "", /^Automatic: settings followed renamed interfaces/);

  // Renamed back at the next boot, after a restart of the api in between.
  const again = await router.reopen();
  await again.adapters.follow(machine(BEFORE));
  assert.deepEqual(again.engine.config, first);
  await again.close();
});

Deno.test("roles that a person gives to other interfaces are no renaming", async () => {
  await using router = await testRouter({ files: FILES });
  const host = machine(BEFORE);
  await router.adapters.follow(host);
  const swap = { Name: "wlan0", Type: "AP", Enabled: false };
  assert.equal((await router.ask("PUT", "/link/config", { body: swap })).status, 200);
  await router.adapters.remember(host);
  const then = router.engine.config;
  await router.adapters.follow(host);
  assert.equal(router.engine.config, then);
  assert.deepEqual(await notices(router), []);
});

Deno.test("a name that another interface has already is not taken, and a notice says so", async () => {
  await using router = await testRouter({ files: FILES });
  await router.adapters.follow(machine(BEFORE));
  const before = router.engine.config;
  // The adapter of wan0 is gone, and that of lan1 has its name.
  await router.adapters.follow(machine({ wan0: 4, lan0: 3, wlan0: 5, wlan1: 6 }));
  assert.equal(router.engine.config, before);
  const [notice] = await notices(router);
  assert.match(notice?.detail ?? "", /lan1 is wan0 now/);
  assert.match(notice?.detail ?? "", /could not go along/);
  assert.equal(router.adapters.known().get("wan0"), mac(2), "it is known by what it was");
  // Told again at each start, until somebody looks at the roles.
  const host = machine({ wan0: 4, lan0: 3, wlan0: 5, wlan1: 6 });
  const body = { Name: "lan1", Type: "Other", Enabled: false };
  assert.equal((await router.ask("PUT", "/link/config?force=true", { body })).status, 200);
  await router.adapters.remember(host);
  assert.equal(router.adapters.known().get("wan0"), mac(4));
});

Deno.test("an interface that was configured since, and one that is unplugged, are recognised as well", async () => {
  await using router = await testRouter({ files: FILES });
  await router.adapters.follow(machine(BEFORE));
  const usb = { Name: "usb0", Type: "Downlink", Enabled: true };
  assert.equal((await router.ask("PUT", "/link/config", { body: usb })).status, 200);
  await router.adapters.remember(machine({ ...BEFORE, usb0: 7 }));
  const { usb0, ...unplugged } = { ...BEFORE, usb0: 7 };
  await router.adapters.follow(machine(unplugged));
  await router.adapters.follow(machine({ ...unplugged, usb1: usb0 }));
  assert.ok(router.engine.config.interfaces.some(({ Name }) => Name === "usb1"));
  assert.ok(!router.engine.config.interfaces.some(({ Name }) => Name === "usb0"));
});

Deno.test("a record that cannot be read is made anew, and nothing is renamed by it", async () => {
  await using first = await testRouter({ files: FILES });
  const before = first.engine.config;
  await first.close();
  for (const text of ["{", "7", '{"wan0": "x"}', '{"../x": "02:00:5e:00:53:02"}']) {
    await Deno.writeTextFile(`${first.home}/state/api/adapters.json`, text);
    const router = await first.reopen();
    await router.adapters.follow(machine({ ...BEFORE, wan0: 9 }));
    assert.deepEqual(router.engine.config, before);
    assert.equal(router.adapters.known().get("wan0"), mac(9));
    await router.close();
  }
});

Deno.test("a record that cannot be written is tried once for each change of the interfaces", async () => {
  await using router = await testRouter({ files: FILES });
  await Deno.mkdir(`${router.home}/state/api/adapters.json/x`, { recursive: true });
  const host = machine(BEFORE);
  await assert.rejects(router.adapters.follow(host));
  await router.adapters.remember(host);
  const body = { Name: "lan1", Type: "Other", Enabled: false };
  assert.equal((await router.ask("PUT", "/link/config", { body })).status, 200);
  await assert.rejects(router.adapters.remember(host));
  await router.adapters.remember(host);
});

async function notices(
  router: TestRouter,
): Promise<readonly { readonly detail: string }[]> {
  const { items } = await router.json<{ items: { kind: string; detail: string }[] }>(
    "GET",
    "/notices",
  );
  return items.filter(({ kind }) => kind === "interfaces-renamed");
}
