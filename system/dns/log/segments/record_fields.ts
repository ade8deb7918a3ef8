import { RECORD } from "./format.ts";

/** Where the record after the one at `start` begins. */
export function afterRecord(view: DataView, start: number): number {
  return messageStart(view, start) + view.getUint16(start + RECORD.length, true);
}

/** Where the answer of a record begins, without its id. */
export function messageStart(view: DataView, start: number): number {
  return start + RECORD.bytes + 2 * view.getUint8(start + RECORD.categories);
}
