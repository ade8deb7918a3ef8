// @ts-types="@types/dns-packet"
import packet from "dns-packet";
import { Buffer } from "node:buffer";

/** Numbers that only look random: the same for the same seed. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to below `limit` (Tommy Ettinger's mulberry32). */
  below(limit: number): number {
    this.#state = this.#state + 0x6d2b79f5 | 0;
    let t = Math.imul(this.#state ^ this.#state >>> 15, 1 | this.#state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) % limit;
  }

  /** True once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  bytes(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}

/** A question that some program may well ask, and the answer that it must get when that is certain. */
export interface FuzzQuery {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** False for what was made to be broken: it may be left unanswered. */
  readonly valid: boolean;
}

const TYPES: readonly string[] = [
  ...[
    "A",
    "AAAA",
    "CNAME",
    "MX",
    "NS",
    "PTR",
    "SOA",
    "SRV",
    "TXT",
    "DS",
    "DNSKEY",
    "RRSIG",
    "NSEC",
  ],
  ...["HINFO", "NAPTR", "CAA", "TLSA", "SSHFP", "ANY", "AXFR", "IXFR", "TKEY", "SVCB", "HTTPS"],
  ...["UNKNOWN_1000", "UNKNOWN_65280", "UNKNOWN_65535", "UNKNOWN_254"],
];

/** A name below these, or one of them; home, reverse and outside. */
const ZONES: readonly string[] = [
  ...[
    "test",
    "lan",
    "local",
    "localhost",
    "printer.lan",
    "mem.test",
    "blocked.test",
    "ttl1.x.test",
  ],
  ...["2.168.192.in-addr.arpa", "in-addr.arpa", "ip6.arpa", "version.bind", "large.test", "onion"],
];

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_*";

function randomName(random: SeededRandom): string {
  if (random.once(30)) return ".";
  const label = (): string =>
    Array.from(
      { length: 1 + random.below(random.once(10) ? 63 : 8) },
      () => random.of([...LETTERS]),
    )
      .join("");
  const labels = Array.from({ length: random.below(random.once(20) ? 30 : 4) }, label);
  const name = [...labels, random.of(ZONES)].join(".");
  return name.length <= 253 ? name : random.of(ZONES);
}

/** The options of EDNS that are met in practice, and one that nobody knows. */
function randomOption(random: SeededRandom): { code: number; data: Buffer } {
  const code = random.of([3, 5, 8, 9, 10, 11, 12, 14, 15, 100, 65001]);
  const size = code === 10 ? random.of([8, 16, 24, 40]) : random.below(random.once(10) ? 400 : 24);
  return { code, data: Buffer.from(random.bytes(size)) };
}

/** A question as the codec writes it, with all that a question may have. */
export function validQuery(random: SeededRandom, id: number): Uint8Array<ArrayBuffer> {
  const flags = (random.once(8) ? 0 : packet.RECURSION_DESIRED) |
    (random.once(4) ? packet.CHECKING_DISABLED : 0) |
    (random.once(4) ? packet.AUTHENTIC_DATA : 0);
  const edns: packet.OptAnswer = {
    type: "OPT",
    name: ".",
    udpPayloadSize: random.of([0, 1, 512, 1232, 4096, 65535]),
    extendedRcode: 0,
    ednsVersion: random.once(10) ? 1 + random.below(255) : 0,
    flags: random.once(2) ? 0x8000 : random.below(0x1_0000),
    flag_do: false,
    options: Array.from(
      { length: random.below(4) },
      () => randomOption(random),
    ) as packet.PacketOpt[],
  };
  const encoded = packet.encode({
    type: "query",
    id,
    flags,
    questions: [{
      type: random.of(TYPES) as packet.RecordType,
      class: random.once(12) ? random.of(["CH", "HS", "ANY"] as const) as packet.RecordClass : "IN",
      name: randomName(random),
    }],
    additionals: random.once(3) ? [] : [edns],
  });
  return Uint8Array.from(encoded);
}

/** An answer from outside as the codec writes it, with records of many types and names that repeat. */
export function upstreamResponse(random: SeededRandom, query: Uint8Array): Uint8Array<ArrayBuffer> {
  const { id, questions = [] } = packet.decode(Buffer.from(query));
  const name = questions[0]?.name ?? ".";
  const other = `${random.of(["a", "www", "cdn"])}.${name}`;
  const ttl = random.of([0, 1, 60, 3600, 0x7fffffff]);
  const records: readonly (() => packet.Answer)[] = [
    () => ({ type: "A", name, ttl, data: `192.0.2.${random.below(256)}` }),
    () => ({ type: "AAAA", name, ttl, data: "2001:db8::7" }),
    () => ({ type: "CNAME", name, ttl, data: other }),
    () => ({ type: "MX", name, ttl, data: { preference: 10, exchange: other } }),
    () => ({ type: "TXT", name, ttl, data: "x".repeat(random.below(255)) }),
    () => ({
      type: "SOA",
      name,
      ttl,
      data: { mname: other, rname: other, serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 },
    }),
    () => ({ type: "SRV", name, ttl, data: { port: 1, target: other, priority: 1, weight: 1 } }),
  ];
  const some = (most: number): packet.Answer[] =>
    Array.from({ length: random.below(most) }, () => random.of(records)());
  return Uint8Array.from(packet.encode({
    type: "response",
    id: id ?? 0,
    flags: packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | (random.once(4) ? 3 : 0),
    questions,
    answers: some(random.once(10) ? 30 : 5),
    authorities: some(3),
    additionals: some(3),
  }));
}

/** The bytes with some of them changed, cut out, put in, or with more behind them. */
export function mutate(
  random: SeededRandom,
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  let result = bytes;
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = 2 + random.below(Math.max(1, result.length - 2));
    switch (random.below(6)) {
      case 0:
        result = result.with(at, random.below(256)) as Uint8Array<ArrayBuffer>;
        break;
      case 1:
        result = result.with(at, result[at]! ^ 1 << random.below(8)) as Uint8Array<ArrayBuffer>;
        break;
      case 2:
        result = result.slice(0, at);
        break;
      case 3:
        result = Uint8Array.from([
          ...result.subarray(0, at),
          ...random.bytes(1 + random.below(8)),
          ...result.subarray(at),
        ]);
        break;
      case 4:
        result = Uint8Array.from([...result, ...random.bytes(random.below(300))]);
        break;
      default: {
        // A number of records that is not so.
        const count = random.of([4, 6, 8, 10]);
        if (count + 1 < result.length) {
          result = result.with(count, random.of([0, 0, 255])).with(
            count + 1,
            random.below(256),
          ) as Uint8Array<ArrayBuffer>;
        }
      }
    }
    if (result.length <= 3) break;
  }
  return result;
}

/** A question of either kind; its first two bytes are the id. */
export function fuzzQuery(random: SeededRandom, id: number): FuzzQuery {
  const bytes = validQuery(random, id);
  return random.once(2) ? { bytes, valid: true } : { bytes: mutate(random, bytes), valid: false };
}
