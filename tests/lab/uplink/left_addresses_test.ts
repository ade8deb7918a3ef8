import assert from "node:assert/strict";
import type { IpOp } from "../../../system/core/kernel/plan.ts";
import { sockets } from "../../../system/processes.ts";
import { type Bed, eventually, withBed } from "../../kit/lab/bed.ts";
import { pidsOf } from "../../kit/lab/pids.ts";

/** Addresses of the router's home links and its own, `<link> <address>`, sorted. */
async function atHome({ lab }: Bed): Promise<readonly string[]> {
  const shown = await lab.must("router", "ip", ["-o", "-4", "address", "show"]);
  return [...shown.matchAll(/^\d+: (cl-\w+|sluice0)\s+inet (\S+)/gm)]
    .map(([, link, address]) => `${link} ${address}`).sort();
}

async function fixed({ lab }: Bed): Promise<readonly string[]> {
  const shown = await lab.must("router", "ip", ["-4", "neighbour", "show", "nud", "permanent"]);
  return [...shown.matchAll(/^(\S+) dev (\S+)/gm)].map(([, host, link]) => `${link} ${host}`)
    .sort();
}

async function killNetd({ lab, router }: Bed): Promise<void> {
  const pids = await pidsOf(lab, "netd");
  for (const pid of pids) Deno.kill(pid, "SIGKILL");
  await eventually("netd runs anew", async () => {
    const now = await pidsOf(lab, "netd");
    return now.length === 1 && !pids.includes(now[0]!);
  });
  await eventually("the network is applied", async () => {
    const { state, drift } = (await router.api("GET", "/network")).json;
    return state === "applied" && drift.length === 0;
  });
}

Deno.test("netd killed during a renumbering removes the leftovers, and nothing foreign", () =>
  withBed({ name: "left", lab: { clients: 2 } }, async (bed) => {
    const { lab, router } = bed;
    const before = await atHome(bed);
    const known = await fixed(bed);
    // What netd had set and not yet taken away when it ended: nobody else knows of it.
    const client = Deno.createHttpClient({
      proxy: { transport: "unix", path: sockets(router.home).netd },
    });
    const ops: readonly IpOp[] = [
      { op: "add-address", link: "cl-a", address: "10.99.0.1/30" },
      { op: "add-address", link: "cl-b", address: "10.99.0.5/30" },
      {
        op: "replace-neighbour",
        neighbour: { address: "10.99.0.6", link: "cl-b", mac: "02:00:00:00:99:06" },
      },
    ];
    const set = await fetch("http://netd/apply", {
      ...{ method: "POST", body: JSON.stringify({ kind: "ip", ops }), client },
    });
    await set.body?.cancel();
    assert.equal(set.status, 200);
    client.close();
    await lab.must("router", "ip", ["address", "add", "10.98.0.1/30", "dev", "cl-a"]);
    const others = ["10.98.0.2", "lladdr", "02:00:00:00:98:02", "dev", "cl-a", "nud", "permanent"];
    await lab.must("router", "ip", ["neighbour", "add", ...others]);
    assert.equal((await atHome(bed)).length, before.length + 3);
    await killNetd(bed);
    const wanted = [...before, "cl-a 10.98.0.1/30"].sort();
    await eventually("what netd left is gone", async () => {
      return (await atHome(bed)).join() === wanted.join();
    });
    assert.deepEqual(await fixed(bed), [...known, "cl-a 10.98.0.2"].sort());
  }));

Deno.test("netd killed between two steps of a renumbering leaves nothing of the old network", () =>
  withBed({ name: "torn", lab: { clients: 12 } }, async (bed) => {
    const { router, lab } = bed;
    await lab.must("router", "ip", ["address", "add", "10.98.0.1/30", "dev", "cl-a"]);
    const nets = ["10.77.0.0/24", "10.78.0.0/24", "10.79.0.0/24"];
    for (const [at, net] of nets.entries()) {
      const body = { TinyNets: [net], LeaseTime: "1h0m0s" };
      assert.equal((await router.api("PUT", "/subnetConfig", { body })).status, 200);
      // Each device that follows takes an address along; the last one, the router's own.
      const moves = lab.clients.map((client) => router.lease(client).catch(() => null));
      await new Promise((resolve) => setTimeout(resolve, 10 + 25 * at));
      await killNetd(bed);
      await Promise.all(moves);
      for (const client of lab.clients) await router.lease(client);
      const prefix = net.split(".").slice(0, 2).join(".");
      await eventually(`only ${net} is left`, async () => {
        const left = (await atHome(bed)).filter((one) => !one.includes(` ${prefix}.`));
        return left.length === 1 && left[0] === "cl-a 10.98.0.1/30";
      });
      assert.equal((await atHome(bed)).length, lab.clients.length + 2);
    }
  }));
