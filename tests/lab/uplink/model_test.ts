import assert from "node:assert/strict";
import type { Host } from "../../../system/core/kernel/host.ts";
import type { IpOp } from "../../../system/core/kernel/plan.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { inLabWithNetd } from "../../kit/lab/netd.ts";

const ip = (host: Host, ...ops: readonly IpOp[]): Promise<void> => host.apply({ kind: "ip", ops });

async function seen(host: Host): Promise<unknown> {
  const { policyRouting, links, addresses } = await host.facts();
  const sorted = (list: readonly unknown[] = []) => list.map((one) => JSON.stringify(one)).sort();
  const link = links.find(({ name }) => name === "cl-a");
  return {
    routes: sorted(policyRouting?.routes),
    rules: sorted(policyRouting?.rules),
    card: [link?.mac, link?.mtu],
    addresses: sorted(addresses.filter((one) => one.link === "cl-a" && !one.address.includes(":"))),
  };
}

Deno.test("the model treats routes, rules and MAC addresses of uplinks as the kernel does", () =>
  inLabWithNetd(async (lab, { host }) => {
    await lab.must("router", "ip", ["address", "flush", "dev", "cl-a"]);
    await lab.must("router", "ip", ["link", "set", "cl-a", "down"]);
    const model = memoryHost({ links: ["cl-a"], capabilities: { dummy: false } });
    const on = { link: "cl-a" };
    const policyRoute = { table: 200, metric: 0, via: "203.0.113.1", ...on };
    const spare = { table: "main", metric: 100, via: "203.0.113.1", ...on } as const;
    const rule = { kind: "link", link: "cl-a", table: 200 } as const;
    const source = { kind: "source", address: "203.0.113.2", table: 200 } as const;
    const script: readonly IpOp[] = [
      { op: "set-mac", name: "cl-a", mac: "02:00:00:00:0a:77" },
      { op: "set-mtu", name: "cl-a", mtu: 1400 },
      { op: "replace-policy-route", policyRoute },
      { op: "set-link", name: "cl-a", up: true },
      { op: "replace-policy-route", policyRoute },
      { op: "add-address", ...on, address: "203.0.113.2/24", mayBeThere: true },
      { op: "add-address", ...on, address: "203.0.113.2/24", mayBeThere: true },
      { op: "replace-policy-route", policyRoute },
      { op: "replace-policy-route", policyRoute: spare },
      { op: "replace-policy-route", policyRoute: { ...policyRoute, via: "198.51.100.1" } },
      { op: "replace-policy-route", policyRoute: { ...policyRoute, via: "203.0.113.255" } },
      { op: "replace-route", route: { destination: "198.51.100.1/32", via: null, ...on } },
      { op: "replace-policy-route", policyRoute: { ...policyRoute, via: "198.51.100.1" } },
      { op: "replace-policy-route", policyRoute },
      { op: "add-rule", rule: { kind: "local" } },
      { op: "add-rule", rule },
      { op: "add-rule", rule },
      { op: "add-rule", rule: source },
      { op: "add-rule", rule: { kind: "mark", table: 200 } },
      { op: "delete-rule", rule: { kind: "mark", table: 201 } },
      { op: "delete-rule", rule: source },
      { op: "delete-rule", rule: source },
      { op: "add-rule", rule: { kind: "link", link: "cl-z", table: 201 } },
      { op: "delete-policy-route", policyRoute: { ...policyRoute, via: "203.0.113.9" } },
      { op: "delete-policy-route", policyRoute: spare },
      { op: "delete-policy-route", policyRoute: spare },
      { op: "delete-address", ...on, address: "203.0.113.2/24" },
      { op: "add-address", ...on, address: "203.0.113.2/24" },
      { op: "replace-policy-route", policyRoute },
      { op: "set-link", name: "cl-a", up: false },
      { op: "delete-rule", rule },
      { op: "delete-rule", rule: { kind: "local" } },
      { op: "set-mtu", name: "cl-z", mtu: 1400 },
      { op: "set-mac", name: "cl-z", mac: "02:00:00:00:0a:77" },
    ];
    // The model does not know the size of packets of a link that nobody set.
    await lab.must("router", "ip", ["link", "set", "cl-a", "mtu", "1400"]);
    await ip(model, { op: "set-mtu", name: "cl-a", mtu: 1400 });
    for (const [position, op] of script.entries()) {
      const [real, modelled] = await Promise.all(
        [host, model].map((one) => ip(one, op).then(() => "done", (error: Error) => error.message)),
      );
      assert.equal(modelled, real, `step ${position}`);
      if (position > 1) assert.deepEqual(await seen(model), await seen(host), `after ${position}`);
    }
    await ip(host, { op: "set-loose-rp-filter", name: "cl-a" });
    const path = ["-n", "net/ipv4/conf/cl-a/rp_filter"];
    assert.equal((await lab.must("router", "sysctl", path)).trim(), "2");
  }));
