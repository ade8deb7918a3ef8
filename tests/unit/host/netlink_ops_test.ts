import assert from "node:assert/strict";
import fc from "fast-check";
import type { IpOp } from "../../../system/core/kernel/plan.ts";
import type { IpRule } from "../../../system/core/kernel/policy_routing.ts";
import { ipLine, lineRefused } from "../../../system/host/netlink/route/ip_line.ts";
import { encodeMessage } from "../../../system/host/netlink/message.ts";
import { NoSuchLink, opRequest, type RtOp } from "../../../system/host/netlink/route/ops.ts";

const LINKS: Readonly<Record<string, number>> = { br0: 2, v0: 4 };
const indexOf = (link: string): number => LINKS[link] ?? 0;
const mark: IpRule = { kind: "mark", table: 200 };
const source: IpRule = { kind: "source", address: "10.5.0.1", table: 200 };
const route = (destination: string, via: string | null) => ({ destination, via, link: "v0" });
const far = { table: 200, metric: 5, via: "10.5.0.9", link: "v0" } as const;
const near = { table: "main", metric: 3, via: null, link: "v0" } as const;

const OPS: readonly RtOp[] = [
  { op: "add-address", link: "br0", address: "10.0.0.1/30" },
  { op: "add-address", link: "br0", address: "10.0.0.1/30", mayBeThere: true },
  { op: "delete-address", link: "br0", address: "10.0.0.1/30" },
  { op: "add-address", link: "br0", address: "127.0.0.5/32" },
  { op: "add-address", link: "br0", address: "fd00::5/64" },
  { op: "replace-route", route: route("10.9.0.0/24", null) },
  { op: "replace-route", route: route("default", "10.5.0.9") },
  { op: "replace-policy-route", policyRoute: far },
  { op: "replace-policy-route", policyRoute: near },
  { op: "delete-policy-route", policyRoute: near },
  { op: "replace-route", route: route("fd01::/64", null) },
  { op: "delete-route", route: route("fd01::/64", null) },
  { op: "delete-route", route: route("10.9.0.0/24", null) },
  { op: "delete-route", route: route("default", "10.5.0.9") },
  { op: "add-rule", rule: { kind: "local" } },
  { op: "add-rule", rule: { kind: "link", link: "v0", table: 200 } },
  { op: "add-rule", rule: source },
  { op: "add-rule", rule: mark },
  { op: "delete-rule", rule: mark },
  { op: "delete-rule", rule: source },
  {
    op: "replace-neighbour",
    neighbour: { address: "10.5.0.7", link: "v0", mac: "02:00:00:00:00:01" },
  },
  { op: "delete-neighbour", address: "10.5.0.7", link: "v0" },
  { op: "set-mtu", name: "v0", mtu: 1400 },
  { op: "set-link", name: "v0", up: false },
  { op: "set-link", name: "v0", up: true },
  { op: "set-mac", name: "v0", mac: "02:00:00:00:00:09" },
  { op: "add-link", name: "br9", kind: "bridge" },
  { op: "add-vlan", name: "v0.5", vlan: { parent: "v0", tag: 5 } },
  { op: "delete-link", name: "br0" },
];

/** What iproute2 6.1 sends for each line, recorded; the number of the message is taken out. */
async function recorded(): Promise<ReadonlyMap<string, string>> {
  const text = await Deno.readTextFile(new URL("../golden/ip_messages.txt", import.meta.url));
  return new Map(text.trim().split("\n").map((row) => row.split("\t") as [string, string]));
}

/** A message with one more attribute at its end: IFA_PROTO, by which an address is known as ours. */
function withOurs(message: string): string {
  const bytes = Uint8Array.fromHex(message);
  new DataView(bytes.buffer).setUint32(0, bytes.length + 8, true);
  return bytes.toHex() + "05000b0053000000";
}

Deno.test("each operation is encoded as ip encodes it, with our protocol mark", async () => {
  const golden = await recorded();
  assert.equal(golden.size, OPS.length);
  for (const op of OPS) {
    const line = ipLine(op);
    const plain = golden.get(line)!;
    const expected = op.op === "add-address" ? withOurs(plain) : plain;
    assert.equal(encodeMessage(opRequest(op, indexOf), 0).toHex(), expected, line);
  }
});

Deno.test("an operation on a missing link has no message", () => {
  assert.throws(
    () => opRequest({ op: "set-link", name: "nowhere", up: true }, indexOf),
    (error) => error instanceof NoSuchLink && error.message === 'Cannot find device "nowhere"',
  );
});

Deno.test("a gateway of another family than its network is refused", () => {
  assert.throws(
    () => opRequest({ op: "replace-route", route: route("10.9.0.0/24", "fd00::1") }, indexOf),
    { status: 400, message: /fd00::1 is no gateway for 10\.9\.0\.0\/24/ },
  );
});

Deno.test("an invalid name, address or MAC address has no message", () => {
  const text = fc.string({ maxLength: 40 });
  fc.assert(fc.property(text, text, text, (first, second, third) => {
    const ops: readonly IpOp[] = [
      { op: "add-address", link: first, address: second },
      { op: "delete-neighbour", link: first, address: second },
      { op: "set-mac", name: first, mac: second },
      { op: "replace-neighbour", neighbour: { link: first, address: second, mac: third } },
      { op: "replace-route", route: { destination: first, via: second, link: third } },
      { op: "add-rule", rule: { kind: "source", address: first, table: 200 } },
    ];
    for (const op of ops) {
      // Whatever the tool would refuse is refused here, in the same words.
      let refused: unknown = null;
      try {
        ipLine(op);
      } catch (error) {
        refused = (error as Error).message;
      }
      if (refused === null) continue;
      assert.throws(() => opRequest(op as RtOp, () => 3), {
        status: 400,
        message: refused as string,
      });
    }
  }));
});

Deno.test("the kernel and the model report a refusal with the same sentence", () => {
  const op = { op: "set-link", name: "v0", up: true } as const;
  for (const text of ["File exists", "File exists."]) {
    assert.equal(
      lineRefused(op, text).message,
      'The kernel refused "link set dev v0 up": File exists',
    );
  }
});
