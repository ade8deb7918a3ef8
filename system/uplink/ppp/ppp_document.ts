import type { Document, Reading } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { readList } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
import { PppEntry, PppFile } from "../schema.ts";

type Entries = readonly PppEntry[];

/** The PPPoE accounts. */
export const pppDocument: Document<Entries> = {
  path: "ppp/ppp.json",
  topic: "ppp",
  schema: PppFile.shape.PPPs,
  fallback: [],
  read,
  write: (PPPs) => ({ PPPs }),
  secret: (path) => path.length === 2 && path[1] === "Secret",
  keyOf: (element) => isRecord(element) ? String(element.Iface) : JSON.stringify(element),
};

/** Reads the file; an invalid account, or a second one of an interface, is rejected. */
function read(raw: unknown): Reading<Entries> {
  const list = isRecord(raw) ? raw.PPPs ?? [] : null;
  if (!Array.isArray(list)) throw new Problem(400, "The file of PPPoE accounts is {PPPs: [...]}");
  return readList<PppEntry>(list, {
    schema: PppEntry,
    at: ["PPPs"],
    fault: ({ Iface }, before) =>
      before.some((one) => one.Iface === Iface)
        ? `${Iface} has two accounts; the first is used`
        : null,
  });
}
