import type { QueryRecord } from "../../system/dns/log/sink.ts";
import { nameBytes } from "../../system/dns/name.ts";

/** A record of an answer: type and data. */
export interface AnswerData {
  readonly type: number;
  readonly data: readonly number[];
}

/** An answer as it goes over the wire, made here by hand: header, question, records of its name. */
export function answerBytes(
  name: string,
  { rcode = 0, answers = [] }: { rcode?: number; answers?: readonly AnswerData[] } = {},
): Uint8Array<ArrayBuffer> {
  const word = (value: number): number[] => [value >> 8 & 255, value & 255];
  return new Uint8Array([
    ...word(7),
    ...word(0x8180 | rcode),
    ...word(1),
    ...word(answers.length),
    ...word(0),
    ...word(0),
    ...nameBytes(name)!,
    ...word(1),
    ...word(1),
    ...answers.flatMap(({ type, data }) => [
      ...word(0xc00c),
      ...word(type),
      ...word(1),
      ...word(0),
      ...word(60),
      ...word(data.length),
      ...data,
    ]),
  ]);
}

/** A query for the log: 192.168.2.6 asked for `www.example.com.` and was told 192.0.2.1. */
export function query(fields: Partial<QueryRecord> = {}): QueryRecord {
  const name = fields.name ?? "www.example.com.";
  return {
    at: Date.now(),
    client: "192.168.2.6",
    clientPort: 40000,
    identity: "02:00:00:00:0a:01",
    local: "192.168.2.1",
    localPort: 53,
    name,
    qtype: 1,
    qclass: 1,
    verdict: "pass",
    by: "",
    upstream: "9.9.9.9",
    ms: 12.345,
    message: answerBytes(name, { answers: [{ type: 1, data: [192, 0, 2, 1] }] }),
    ...fields,
  };
}
