import type { RulesetOp } from "../../core/kernel/plan.ts";
import type { Element, KeyType, NftSet } from "../../core/kernel/ruleset.ts";
import { family, identifier, keyText } from "../../core/kernel/nft/grammar.ts";
import { parseIpv4 } from "../../core/net/net.ts";
import { attribute, encodeMessage, nestedAttribute, textAttribute } from "../netlink/message.ts";
import { FLAG } from "../netlink/route/constants.ts";

/*
 * Changes of plain elements as messages of nfnetlink (linux/netfilter/nfnetlink.h, nf_tables.h). The
 * library reads every table of the kernel before each transaction, those of other programs included;
 * these messages need none of it.
 */

const BATCH_BEGIN = 16, BATCH_END = 17;
/** The subsystem of nftables, and its messages. */
const NFTABLES = 10, NEW_ELEMENTS = NFTABLES << 8 | 12, DELETE_ELEMENTS = NFTABLES << 8 | 14;
const FAMILIES = { inet: 1, ip: 2 } as const;
const NESTED = 0x8000;
/** Attributes of a message, of an element, of data and of a verdict. */
const LIST = { table: 1, set: 2, elements: 3 } as const;
const ELEMENT = { item: 1, key: 1, data: 2 } as const;
const DATA = { value: 1, verdict: 2 } as const;
const VERDICT_CODE = 1;
/** Verdicts that lead to no chain (NF_DROP, NF_ACCEPT, NFT_CONTINUE, NFT_RETURN). */
const VERDICTS: Readonly<Record<string, number>> = { drop: 0, accept: 1, continue: -1, return: -5 };
const PROTOCOLS: Readonly<Record<string, number>> = {
  ...{ tcp: 6, udp: 17, icmp: 1, "ipv6-icmp": 58 },
};
/** Bytes of the longest name of an interface with its zero (IFNAMSIZ). */
const IFNAMSIZ = 16;
/** Elements of a message, whose list has a length of 16 bits; more of them are left to the library. */
const MAX_ELEMENTS = 256;

/** Messages that the kernel takes as one transaction. */
export interface ElementBatch {
  /** The bytes; all messages have the same number. */
  readonly bytes: (sequence: number) => Uint8Array<ArrayBuffer>;
  /** How many of the messages are acknowledged. */
  readonly acknowledged: number;
}

type ElementOp = Extract<RulesetOp, { readonly op: "add-elements" | "delete-elements" }>;
type Shape = NonNullable<ElementOp["shape"]>;

/**
 * The messages for changes of plain elements, null where one of them is something else: ranges, which
 * nft joins and splits, data, and verdicts that lead to a chain. Throws RangeError for what does not fit
 * its set.
 */
export function elementBatch(ops: readonly RulesetOp[]): ElementBatch | null {
  const changes = ops.filter((op) => !isEmpty(op));
  if (changes.length === 0 || !changes.every(isPlain)) return null;
  const requests = changes.map(requestOf);
  const limits = [BATCH_BEGIN, BATCH_END].map((type) => ({
    type,
    flags: 0,
    body: header(0, NFTABLES),
  }));
  const [begin, end] = [limits[0]!, limits[1]!];
  return {
    bytes: (sequence) =>
      joined([begin, ...requests, end].map((request) => encodeMessage(request, sequence))),
    acknowledged: requests.length,
  };
}

function isEmpty(op: RulesetOp): boolean {
  return (op.op === "add-elements" || op.op === "delete-elements") && op.elements.length === 0;
}

function isPlain(op: RulesetOp): op is ElementOp & { readonly shape: Shape } {
  if (op.op !== "add-elements" && op.op !== "delete-elements") return false;
  const { shape, elements } = op;
  if (shape === undefined || shape.interval === true || elements.length > MAX_ELEMENTS) {
    return false;
  }
  if (shape.value === undefined) return elements.every(({ value }) => value === undefined);
  return shape.value === "verdict" &&
    elements.every(({ value }) => value !== undefined && "kind" in value && value.kind in VERDICTS);
}

function requestOf(op: ElementOp & { readonly shape: Shape }) {
  const adds = op.op === "add-elements";
  const items = op.elements.map((element) =>
    nested(ELEMENT.item, [
      nested(ELEMENT.key, [attribute(DATA.value, keyBytes(element.key, op.shape))]),
      ...(adds && op.shape.value !== undefined ? [verdict(element)] : []),
    ])
  );
  return {
    type: adds ? NEW_ELEMENTS : DELETE_ELEMENTS,
    flags: FLAG.ack | (adds ? FLAG.create : 0),
    body: header(FAMILIES[family(op.family) as keyof typeof FAMILIES], 0),
    attributes: [
      textAttribute(LIST.table, identifier(op.table)),
      textAttribute(LIST.set, identifier(op.set)),
      nested(LIST.elements, items),
    ],
  };
}

function verdict({ value }: Element): readonly number[] {
  const kind = value !== undefined && "kind" in value ? value.kind : "";
  const code = VERDICTS[kind];
  if (code === undefined) throw new RangeError(`A verdict that leads nowhere is needed: ${kind}`);
  return nested(ELEMENT.data, [
    nested(DATA.verdict, [attribute(VERDICT_CODE, bigEndian(code >>> 0, 4))]),
  ]);
}

/** The bytes of a key: joined parts begin at multiples of four bytes. */
function keyBytes(key: readonly string[], { key: types }: Pick<NftSet, "key">): readonly number[] {
  if (key.length !== types.length) {
    throw new RangeError(`A key needs ${types.length} parts: ${key.join(" . ")}`);
  }
  const parts = key.map((part, at) => partBytes(types[at]!, part));
  if (parts.length === 1) return parts[0]!;
  return parts.flatMap((part) => [...part, ...zeros((4 - part.length % 4) % 4)]);
}

function partBytes(type: KeyType, part: string): readonly number[] {
  // The same grammar as that of scripts: throws for what is no such part.
  keyText(type, part, false);
  switch (type) {
    case "ipv4_addr":
      return bigEndian(parseIpv4(part)!, 4);
    case "ifname": {
      const name = [...new TextEncoder().encode(part)];
      return [...name, ...zeros(IFNAMSIZ - name.length)];
    }
    case "ether_addr":
      return part.split(":").map((byte) => parseInt(byte, 16));
    case "inet_proto":
      return [PROTOCOLS[part]!];
    case "inet_service":
      return bigEndian(Number(part), 2);
  }
}

/** The header of nfnetlink: family, version, and the subsystem of a batch. */
function header(of: number, subsystem: number): Uint8Array {
  return Uint8Array.of(of, 0, subsystem >> 8, subsystem & 255);
}

function nested(type: number, attributes: readonly (readonly number[])[]): readonly number[] {
  return nestedAttribute(NESTED | type, attributes);
}

function bigEndian(value: number, size: number): readonly number[] {
  return Array.from({ length: size }, (_, at) => value >>> 8 * (size - 1 - at) & 255);
}

function zeros(count: number): readonly number[] {
  return Array<number>(count).fill(0);
}

function joined(messages: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(messages.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const message of messages) {
    all.set(message, at);
    at += message.length;
  }
  return all;
}
