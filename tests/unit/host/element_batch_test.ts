import assert from "node:assert/strict";
import type { RulesetOp } from "../../../system/core/kernel/plan.ts";
import type { Element, NftSet } from "../../../system/core/kernel/ruleset.ts";
import { eachMessage, type Message } from "../../../system/host/netlink/message.ts";
import { elementBatch } from "../../../system/host/nft/element_batch.ts";

type Op = Extract<RulesetOp, { readonly op: "add-elements" | "delete-elements" }>;

/**
 * Recorded of `nft add element inet filter internet_access { 192.168.2.6 . "lan0" : accept }` by strace,
 * without the number of the set within the transaction (NFTA_SET_ELEM_LIST_SET_ID), which only new sets need.
 */
const RECORDED = [
  "01000000",
  "0b00010066696c7465720000",
  "14000200696e7465726e65745f61636365737300",
  "3400038030000180",
  "1c00018018000100c0a802066c616e30000000000000000000000000",
  "100002800c0002800800010000000001",
].join("");

const AT = { key: ["ipv4_addr", "ifname"], value: "verdict" } as const;
const ACCEPT: Element = { key: ["192.168.2.6", "lan0"], value: { kind: "accept" } };

function op(
  shape: Pick<NftSet, "key" | "value" | "interval">,
  elements: readonly Element[],
  fields: Partial<Op> = {},
): Op {
  return {
    ...{ op: "add-elements", family: "inet", table: "filter", set: "internet_access" } as const,
    ...fields,
    ...{ shape, elements },
  };
}

function messagesOf(bytes: Uint8Array): readonly Message[] {
  const messages: Message[] = [];
  assert.ok(eachMessage(bytes, (message) => void messages.push(message)), "whole messages");
  return messages;
}

Deno.test("changes of elements are one transaction of nfnetlink, each of them acknowledged", () => {
  const gone = op(AT, [ACCEPT], { op: "delete-elements", set: "dns_access" });
  const batch = elementBatch([op(AT, [ACCEPT]), gone])!;
  assert.equal(batch.acknowledged, 2);
  const messages = messagesOf(batch.bytes(7));
  assert.deepEqual(messages.map(({ type }) => type), [16, 0xa0c, 0xa0e, 17]);
  assert.deepEqual(messages.map(({ flags }) => flags), [1, 0x405, 5, 1]);
  assert.ok(messages.every(({ sequence }) => sequence === 7));
  assert.equal(messages[1]!.payload.toHex(), RECORDED);
});

Deno.test("what nft joins, splits or has to look up is left to nft", () => {
  const left: Readonly<Record<string, Op>> = {
    "ranges": op({ key: ["ipv4_addr"], interval: true }, [{ key: ["192.168.2.0/24"] }]),
    "data": op({ key: ["ipv4_addr"], value: ["ipv4_addr"] }, [
      { key: ["192.0.2.1"], value: ["192.168.2.6"] },
    ]),
    "a chain": op(AT, [{ ...ACCEPT, value: { kind: "jump", chain: "RESTRICTED" } }]),
    "too many": op(AT, Array.from({ length: 257 }, () => ACCEPT)),
  };
  for (const [what, one] of Object.entries(left)) {
    assert.equal(elementBatch([one]), null, what);
    assert.equal(elementBatch([op(AT, [ACCEPT]), one]), null, `${what}, beside others`);
  }
  const { shape: _, ...unknown } = op(AT, [ACCEPT]);
  assert.equal(elementBatch([unknown]), null, "a set of which nothing is known");
  assert.equal(elementBatch([{ op: "delete-table", family: "inet", table: "filter" }]), null);
  assert.equal(elementBatch([op(AT, [])]), null, "nothing to do");
});

Deno.test("no name or address reaches the kernel that a script would not take", () => {
  const at = (...key: readonly string[]): Op => op(AT, [{ ...ACCEPT, key }]);
  for (
    const wrong of [
      at("192.168.2.0/24", "lan0"),
      at("192.168.2.6", "lan0\0lan1"),
      at("192.168.2.6", "an-interface-too-long"),
      at("192.168.2.6"),
      op(AT, [ACCEPT], { table: "filter;" }),
      op(AT, [ACCEPT], { set: "" }),
      op(AT, [ACCEPT], { family: "bridge" }),
    ]
  ) assert.throws(() => elementBatch([wrong]), RangeError, JSON.stringify(wrong));
});
