import assert from "node:assert/strict";
import fc from "fast-check";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import type { IpOp } from "../../../system/core/kernel/plan.ts";
import { diffIp } from "../../../system/network/kernel/diff.ts";

type Address = Desired["addresses"][number];
type Neighbour = Desired["neighbours"][number];

function state(addresses: readonly Address[], neighbours: readonly Neighbour[]): Desired {
  return {
    ruleset: { tables: [] },
    links: [],
    addresses,
    routes: [],
    neighbours,
    forwarding: false,
  };
}

const pick = <const T extends readonly string[]>(...values: T) => fc.constantFrom(...values);
const link = pick("lan0", "lan1");
/** Short lists of few values: the same one may stand twice, at other places, and as another object. */
const addresses = fc.array(
  fc.record({ link, address: pick("10.0.0.1/30", "10.0.0.5/30", "10.0.0.9/30", "10.0.0.13/30") }),
  { maxLength: 14 },
);
const neighbours = fc.array(
  fc.record({
    link,
    address: pick("10.0.0.2", "10.0.0.6", "10.0.0.10"),
    mac: pick("02:00:00:00:00:01", "02:00:00:00:00:02"),
  }),
  { maxLength: 14 },
);

function opsOf(ops: readonly IpOp[], kind: IpOp["op"]): ReadonlySet<string> {
  return new Set(
    ops.filter(({ op }) => op === kind).map((op) => {
      if (op.op === "replace-neighbour") {
        const { address, link, mac } = op.neighbour;
        return `${address} ${link} ${mac}`;
      }
      return "address" in op ? `${op.address} ${op.link}` : "";
    }),
  );
}

const where = ({ address, link }: Address | Neighbour): string => `${address} ${link}`;
const who = (one: Neighbour): string => `${where(one)} ${one.mac}`;

function lacking<T>(a: readonly T[], b: readonly T[], key: (item: T) => string): Set<string> {
  return new Set(a.map(key)).difference(new Set(b.map(key)));
}

Deno.test("what goes and what comes is what one state has and the other lacks, wherever it stands", () => {
  fc.assert(
    fc.property(addresses, addresses, neighbours, neighbours, (a, b, m, n) => {
      const ops = diffIp(state(a, m), state(b, n));
      assert.deepEqual(opsOf(ops, "delete-address"), lacking(a, b, where));
      assert.deepEqual(opsOf(ops, "add-address"), lacking(b, a, where));
      assert.deepEqual(opsOf(ops, "delete-neighbour"), lacking(m, n, where));
      assert.deepEqual(opsOf(ops, "replace-neighbour"), lacking(n, m, who));
    }),
    { numRuns: 1500 },
  );
});

Deno.test("among a thousand addresses the one that comes, goes or moves is found", () => {
  const many = Array.from({ length: 1000 }, (_, i): Address => ({
    link: "lan0",
    address: `10.${i >> 6}.0.${4 * (i & 63) + 1}/30`,
  }));
  const extra = { link: "lan1", address: "10.99.0.1/30" };
  const ops = (before: readonly Address[], after: readonly Address[]): readonly IpOp[] =>
    diffIp(state(before, []), state(after, []));
  assert.deepEqual(ops(many, many.toSpliced(500, 0, extra)), [{ op: "add-address", ...extra }]);
  assert.deepEqual(ops([...many, extra], many), [{ op: "delete-address", ...extra }]);
  assert.deepEqual(ops(many, many.toReversed()), []);
  assert.equal(ops(many, many.with(7, extra)).length, 2);
});
