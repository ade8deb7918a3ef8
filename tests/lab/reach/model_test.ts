import assert from "node:assert/strict";
import type { Host } from "../../../system/core/kernel/host.ts";
import type { IpOp, RulesetOp } from "../../../system/core/kernel/plan.ts";
import type { Action, Chain } from "../../../system/core/kernel/ruleset.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { inLabWithNetd } from "../../kit/lab/netd.ts";
import { pass, smallRuleset } from "../../kit/builders/small_ruleset.ts";

const A = "192.168.2.6";
const B = "192.168.2.10";
const IN = { family: "inet", table: "small" } as const;

const apply = (host: Host, ...ops: readonly RulesetOp[]): Promise<void> =>
  host.apply({ kind: "ruleset", ops });
const ip = (host: Host, ...ops: readonly IpOp[]): Promise<void> => host.apply({ kind: "ip", ops });

Deno.test("the model of the kernel behaves as the kernel does", () =>
  inLabWithNetd(async (lab, { host }) => {
    await lab.must("router", "ip", ["address", "flush", "dev", "cl-a"]);
    await lab.must("router", "ip", ["link", "set", "cl-a", "down"]);
    const model = memoryHost({ links: ["cl-a"], capabilities: { dummy: false } });
    const on = { link: "cl-a" };
    const neighbour = { address: A, ...on, mac: "02:00:00:00:0a:01" };
    const far = { destination: "10.9.0.0/16", via: A, ...on };
    const script: readonly IpOp[] = [
      { op: "replace-route", route: far },
      { op: "add-address", ...on, address: "192.168.2.5/30" },
      { op: "add-address", ...on, address: "192.168.2.5/30" },
      { op: "replace-neighbour", neighbour },
      { op: "set-link", name: "cl-a", up: true },
      { op: "replace-route", route: far },
      { op: "replace-route", route: { ...far, via: "10.77.0.1" } },
      { op: "replace-route", route: { ...far, destination: "10.9.0.1/16" } },
      { op: "replace-neighbour", neighbour },
      { op: "delete-neighbour", address: "192.168.2.7", ...on },
      { op: "add-address", ...on, address: "192.168.2.9/30" },
      { op: "delete-address", ...on, address: "192.168.2.9/30" },
      { op: "delete-address", ...on, address: "192.168.2.9/30" },
      { op: "add-link", name: "sluice0", kind: "bridge" },
      { op: "add-link", name: "sluice0", kind: "bridge" },
      { op: "add-address", link: "sluice0", address: "192.168.3.1/24" },
      { op: "set-link", name: "sluice0", up: true },
      { op: "delete-route", route: { ...far, via: null } },
      { op: "delete-route", route: far },
      { op: "replace-route", route: far },
      { op: "delete-address", ...on, address: "192.168.2.5/30" },
      { op: "add-address", ...on, address: "192.168.2.5/30" },
      { op: "replace-neighbour", neighbour },
      { op: "delete-neighbour", ...neighbour },
      { op: "delete-neighbour", ...neighbour },
      { op: "set-link", name: "cl-a", up: false },
      { op: "delete-link", name: "sluice0" },
      { op: "delete-link", name: "sluice0" },
    ];
    for (const [position, op] of script.entries()) {
      const [real, modelled] = await Promise.all(
        [host, model].map((one) => ip(one, op).then(() => "done", (error: Error) => error.message)),
      );
      assert.equal(modelled, real, `step ${position}`);
      assert.deepEqual(await seen(model), await seen(host), `after step ${position}: ${op.op}`);
    }
  }));

Deno.test("the model refuses the transactions that the kernel refuses", () =>
  inLabWithNetd(async (_lab, { host }) => {
    const model = memoryHost();
    const set = "passes";
    const nets = {
      name: "nets",
      key: ["ipv4_addr"],
      interval: true,
      elements: new Map([["10.0.0.0/8", { key: ["10.0.0.0/8"] }]]),
    } as const;
    const jump = { kind: "jump", chain: "LATER" } as const;
    const chain = (name: string, action: Action): Chain => ({
      name,
      rules: [{ matches: [], action, comment: "test" }],
    });
    const drop = { ...pass(A, "cl-a"), value: { kind: "drop" } } as const;
    const steps: readonly (readonly RulesetOp[])[] = [
      [{ op: "add-elements", ...IN, set, elements: [pass(A, "cl-a")] }],
      [{ op: "add-elements", ...IN, set, elements: [drop] }],
      [{ op: "delete-elements", ...IN, set, elements: [pass(B, "cl-b")] }],
      [
        { op: "delete-elements", ...IN, set, elements: [pass(A, "cl-a")] },
        { op: "add-elements", ...IN, set, elements: [drop] },
      ],
      [{ op: "add-elements", ...IN, set: "nowhere", elements: [pass(A, "cl-a")] }],
      [{ op: "delete-set", ...IN, set }],
      [{ op: "delete-set", ...IN, set: "nowhere" }],
      [{ op: "add-chain", ...IN, chain: chain("FIRST", jump) }],
      [
        { op: "add-chain", ...IN, chain: chain("LATER", { kind: "drop" }) },
        { op: "add-chain", ...IN, chain: chain("FIRST", jump) },
      ],
      [{ op: "delete-chain", ...IN, chain: "LATER" }],
      [{ op: "replace-rules", ...IN, chain: { name: "nowhere", rules: [] } }],
      [
        { op: "replace-rules", ...IN, chain: { name: "FIRST", rules: [] } },
        { op: "delete-chain", ...IN, chain: "LATER" },
      ],
      [{
        op: "add-elements",
        ...IN,
        set,
        elements: [{ ...pass(B, "cl-b"), value: { kind: "goto", chain: "FIRST" } }],
      }],
      [{ op: "delete-chain", ...IN, chain: "FIRST" }],
      [{
        op: "add-elements",
        ...IN,
        set,
        elements: [{ ...pass(B, "cl-a"), value: { kind: "goto", chain: "NOWHERE" } }],
      }],
      [{ op: "add-set", ...IN, set: nets }],
      [{ op: "add-elements", ...IN, set: "nets", elements: [{ key: ["10.1.0.0/16"] }] }],
      [{ op: "add-elements", ...IN, set: "nets", elements: [{ key: ["10.0.0.0/8"] }] }],
      [{ op: "delete-elements", ...IN, set: "nets", elements: [{ key: ["10.1.0.0/16"] }] }],
      [
        { op: "replace-rules", ...IN, chain: { name: "FORWARD", rules: [] } },
        { op: "delete-set", ...IN, set },
      ],
      [{ op: "delete-table", family: "inet", table: "nowhere" }],
      [{ op: "delete-table", ...IN }],
      [{ op: "delete-set", ...IN, set: "nets" }],
    ];
    for (const one of [host, model]) {
      await one.apply({ kind: "load", ruleset: smallRuleset([A, "cl-a"]) });
    }
    for (const [position, ops] of steps.entries()) {
      const [real, modelled] = await Promise.all(
        [host, model].map((one) =>
          apply(one, ...ops).then(
            () => "done",
            (error: Error) =>
              /Error: (?:Could not process rule: )?([A-Za-z][a-z ]+)/.exec(error.message)?.[1] ??
                error.message,
          )
        ),
      );
      assert.equal(modelled?.trim(), real?.trim(), `step ${position}`);
    }
  }));

/** What a host says of IPv4 on the links of the comparison. */
async function seen(host: Host): Promise<unknown> {
  const facts = await host.facts();
  const ours = (link: string | null): boolean => link === "cl-a" || link === "sluice0";
  const v4 = (text: string): boolean => !text.includes(":");
  const sorted = (list: readonly unknown[]): readonly string[] =>
    list.map((item) => JSON.stringify(item, Object.keys(item as object).sort())).sort();
  return {
    links: sorted(
      facts.links.filter((one) => ours(one.name)).map(({ name, up }) => ({ name, up })),
    ),
    addresses: sorted(facts.addresses.filter((one) => ours(one.link) && v4(one.address))),
    routes: sorted(facts.routes.filter((one) => ours(one.link) && v4(one.destination))),
    neighbours: sorted(
      facts.neighbours.filter((one) => ours(one.link) && v4(one.address) && one.permanent),
    ),
  };
}
