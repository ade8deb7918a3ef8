import { RecordSegment } from "../../../system/dns/log/segments/record_segment.ts";
import { SegmentWriter } from "../../../system/dns/log/segments/segment_writer.ts";
import type { LoggedQuery } from "../../../system/dns/log/segments/entry.ts";
import type { QueryRecord } from "../../../system/dns/log/writer/sink.ts";
import { nameBytes } from "../../../system/dns/codec/name.ts";

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

/** A query of which the name is text. */
export interface QueryFields extends Omit<QueryRecord, "name" | "length"> {
  readonly name: string;
}

/** A query for the log: 192.168.2.6 queried `www.example.com.` and got 192.0.2.1. */
export function query(fields: Partial<QueryFields> = {}): QueryRecord {
  const name = fields.name ?? "www.example.com.";
  const message = fields.message ??
    answerBytes(name, { answers: [{ type: 1, data: [192, 0, 2, 1] }] });
  return {
    at: Date.now(),
    client: "192.168.2.6",
    clientPort: 40000,
    identity: "02:00:00:00:0a:01",
    local: "192.168.2.1",
    verdict: "pass",
    by: "",
    categories: [],
    upstream: "9.9.9.9",
    ms: 12.345,
    rebindAddress: "",
    ...fields,
    name: nameBytes(name.toLowerCase())!,
    message,
    length: message.length,
  };
}

/** Queries as the resolver hands them to the thread of the log; ids are above `last`. */
export function blockOf(queries: readonly QueryRecord[], last = 0): RecordSegment {
  const writer = new SegmentWriter(last);
  for (const one of queries) if (!writer.add(one)) throw new RangeError("They are no one block");
  return RecordSegment.read(writer.take()!)!;
}

/** A query as it was written down. */
export function logged(fields: Partial<QueryFields> = {}): LoggedQuery {
  return blockOf([query(fields)]).query(0);
}
