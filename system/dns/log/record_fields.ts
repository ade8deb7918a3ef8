import { RECORD } from "./layout.ts";

/** Where the record after the one at `start` begins. */
export function afterRecord(view: DataView, start: number): number {
  return messageStart(view, start) + view.getUint16(start + RECORD.length, true);
}

/** Where the answer of a record begins, without its id. */
export function messageStart(view: DataView, start: number): number {
  return start + RECORD.bytes + 2 * view.getUint8(start + RECORD.categories);
}

const TEXT_FIELDS = [
  RECORD.client,
  RECORD.identity,
  RECORD.local,
  RECORD.by,
  RECORD.upstream,
  RECORD.rebound,
] as const;

/** Where the numbers of a record's texts lie. */
export function textFields(view: DataView, start: number): readonly number[] {
  const fields: number[] = TEXT_FIELDS.map((field) => start + field);
  const categories = view.getUint8(start + RECORD.categories);
  for (let i = 0; i < categories; i++) fields.push(start + RECORD.bytes + 2 * i);
  return fields;
}
