import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { pointer, Problem } from "../../core/errors/problem.ts";
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
  const rejected: RejectedEntry[] = [];
  const value: PppEntry[] = [];
  list.forEach((entry: unknown, i) => {
    const parsed = PppEntry.safeParse(entry);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const at = pointer(["PPPs", i, ...(issue?.path ?? [])]);
      rejected.push({ pointer: at, message: issue?.message ?? "Not an account", raw: entry });
    } else if (value.some(({ Iface }) => Iface === parsed.data.Iface)) {
      const at = pointer(["PPPs", i, "Iface"]);
      const message = `${parsed.data.Iface} has two accounts; the first is used`;
      rejected.push({ pointer: at, message, raw: entry });
    } else value.push(parsed.data);
  });
  return { value, rejected };
}
