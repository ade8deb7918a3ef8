import assert from "node:assert/strict";
import type * as z from "zod";
import type { Reachable } from "../../../system/wireguard/reachable.ts";
import type { ServerAnswer } from "../../../system/wireguard/wire.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";
import { type TestRouter, testRouter, WIRED } from "../../kit/router.ts";

const PATH = "/plugins/wireguard";
type Server = z.output<typeof ServerAnswer>;

const settings = (router: TestRouter) => router.json<Server>("GET", `${PATH}/settings`);

async function status(answer: Response): Promise<number> {
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("GET /reachable says what stands in the way of peers from outside", async () => {
  const at = (IP: string) =>
    WIRED.map((one) => one.Name === "wan0" ? { ...one, IP, Router: "" } : one);
  const ask = async (IP: string, on = true) => {
    await using router = await testRouter({ files: { "base/interfaces.json": at(IP) } });
    if (on) {
      await router.json("PUT", `${PATH}/up`);
      const items = [{
        name: "wg0",
        backend: "kernel" as const,
        problem: "",
        listenPort: 51280,
        publicKey: KEY,
        peers: [],
      }];
      await router.inside("tunnels", "PUT", "/report", { items });
    }
    return await router.json<z.output<typeof Reachable>>("GET", `${PATH}/reachable`);
  };
  assert.equal((await ask("203.0.113.2/24", false)).Verdict, "off");
  assert.equal((await ask("203.0.113.2/24")).Verdict, "reachable");
  const behind = await ask("192.168.1.7/24");
  assert.equal(behind.Verdict, "behind-router");
  assert.match(behind.Message, /forward UDP port 51280 to 192\.168\.1\.7/);
  assert.equal((await ask("100.66.0.7/24")).Verdict, "provider-nat");
});

Deno.test("a tunnel that is reported shows in status, settings and list, its peers as online", async () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  await using router = await testRouter({ now: () => now });
  await router.json("PUT", `${PATH}/peer`, { body: { PublicKey: KEY, Name: "Phone" } });
  const topics: string[] = [];
  const off = router.bus.subscribe(({ topic }) => topics.push(topic));
  const { PublicKey } = await settings(router);
  const report = (latestHandshake: number) =>
    router.inside("tunnels", "PUT", "/report", {
      items: [{
        name: "wg0",
        backend: "wireguard-go",
        problem: "",
        listenPort: 51280,
        publicKey: PublicKey,
        peers: [{
          publicKey: KEY,
          endpoint: "198.51.100.7:4321",
          latestHandshake,
          rx: 12,
          tx: 34,
        }],
      }],
    });
  assert.equal(await status(await report(now / 1000 - 5)), 200);
  const answer = await settings(router);
  assert.deepEqual([answer.Running, answer.Backend], [true, "wireguard-go"]);
  assert.deepEqual(await router.json("GET", `${PATH}/status`), {
    wg0: {
      publicKey: PublicKey,
      listenPort: 51280,
      peers: {
        [KEY]: {
          presharedKey: "**",
          endpoint: "198.51.100.7:4321",
          latestHandshake: now / 1000 - 5,
          transferRx: 12,
          transferTx: 34,
          allowedIps: ["192.168.2.2/32"],
        },
      },
    },
  });
  const [listed] = await router.json<{ Online: boolean; TransferTx: number }[]>(
    "GET",
    `${PATH}/peers`,
  );
  assert.deepEqual([listed!.Online, listed!.TransferTx], [true, 34]);
  assert.equal(router.engine.observed.devices[KEY]?.link, "wg0");
  assert.equal(router.engine.observed.devices[KEY]?.online, true);
  assert.equal(await status(await report(now / 1000 - 500)), 200);
  assert.equal(router.engine.observed.devices[KEY]?.online, false);
  assert.deepEqual(topics.filter((topic) => topic.startsWith("device:vpn")), [
    "device:vpn:online",
    "device:vpn:offline",
  ]);
  off();
});

Deno.test("the plan of the tunnels leaves out peers whose device is blocked or gone", async () => {
  const links = ["lo", "wan0", "lan0", "lan1"];
  const host = Object.defineProperty(memoryHost({ links }), "kind", { value: "linux" });
  await using router = await testRouter({ host });
  for (const PublicKey of [KEY, OTHER_KEY]) {
    await router.json("PUT", `${PATH}/peer`, { body: { PublicKey } });
  }
  const plan = async () => {
    const answer = await router.inside("tunnels", "GET", "/plan");
    const { tunnels } = await answer.json() as {
      tunnels: { name: string; peers: { publicKey: string; allowedIps: string[] }[] }[];
    };
    return tunnels.flatMap(({ peers }) => peers.map(({ publicKey }) => publicKey));
  };
  assert.deepEqual(await plan(), [KEY, OTHER_KEY]);
  await router.json("PUT", `/device?identity=${encodeURIComponent(KEY)}`, {
    body: { DeviceDisabled: true },
  });
  assert.deepEqual(await plan(), [OTHER_KEY]);
  await (await router.ask("DELETE", `/device?identity=${encodeURIComponent(OTHER_KEY)}`)).body
    ?.cancel();
  assert.deepEqual(await plan(), []);
});

Deno.test("an address goes to no other peer while the tunnel takes it from a revoked key", async () => {
  await using router = await testRouter();
  const add = async (PublicKey: string): Promise<string> => {
    const body = { PublicKey };
    const client = await router.json<{ Interface: { Address: string } }>("PUT", `${PATH}/peer`, {
      body,
    });
    return client.Interface.Address;
  };
  const revoke = async (PublicKey: string): Promise<void> =>
    void await router.json("DELETE", `${PATH}/peer`, { body: { PublicKey } });
  const report = async (...keys: readonly string[]): Promise<void> => {
    const peers = keys.map((publicKey) => ({
      ...{ publicKey, endpoint: "", latestHandshake: 0, rx: 0, tx: 0 },
      allowedIps: ["192.168.2.2/32"],
    }));
    const state = { name: "wg0", backend: "kernel", problem: "", listenPort: 1, publicKey: KEY };
    assert.equal(
      await status(
        await router.inside("tunnels", "PUT", "/report", { items: [{ ...state, peers }] }),
      ),
      200,
    );
  };
  assert.equal(await add(KEY), "192.168.2.2");
  await report(KEY);
  await revoke(KEY);
  assert.equal(await add(OTHER_KEY), "192.168.2.6");
  await revoke(OTHER_KEY);
  await report();
  assert.equal(await add(OTHER_KEY), "192.168.2.2", "it is cut off by now");
});

Deno.test("a site whose network an uplink is in by now says so", async () => {
  const links = ["lo", "wan0", "lan0", "lan1", "site0"];
  const host = Object.defineProperty(memoryHost({ links }), "kind", { value: "linux" });
  await using router = await testRouter({ host });
  const body = { Name: "Cabin", Networks: ["10.7.0.0/16", "10.8.0.0/16"] };
  await router.json("PUT", `${PATH}/site`, { body });
  const state = { name: "site0", backend: "kernel", problem: "", listenPort: 1, publicKey: KEY };
  const report = { items: [{ ...state, peers: [] }] };
  await (await router.inside("tunnels", "PUT", "/report", report)).body?.cancel();
  const problem = async () =>
    (await router.json<{ Problem: string }[]>("GET", `${PATH}/sites`))[0]!.Problem;
  assert.equal(await problem(), "");
  const other = await router.ask("PUT", "/link/config", { body: { Name: "lan1", Type: "Other" } });
  assert.equal(other.status, 200, await other.text());
  const address = { op: "add-address", link: "lan1", address: "10.7.3.2/24" } as const;
  await router.host.apply({ kind: "ip", ops: [address] });
  await router.engine.tick();
  assert.match(await problem(), /^10\.7\.0\.0\/16: not reached/);
});
