import * as z from "zod";
import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { pointer, Problem } from "../../core/errors/problem.ts";
import { Interface } from "./schema.ts";

type Interfaces = readonly Interface[];

function read(raw: unknown): Reading<Interfaces> {
  if (!Array.isArray(raw)) throw new Problem(400, "The interfaces file must hold one JSON array");
  const rejected: RejectedEntry[] = [];
  const value: Interface[] = [];
  const names = new Set<string>();
  raw.forEach((entry: unknown, i) => {
    const parsed = Interface.safeParse(entry);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const path = pointer([i, ...(issue?.path ?? [])]);
      rejected.push({ pointer: path, message: issue?.message ?? "Not an interface", raw: entry });
    } else if (names.has(parsed.data.Name)) {
      rejected.push({
        pointer: pointer([i, "Name"]),
        message: `Duplicate interface ${parsed.data.Name}; the first entry is used`,
        raw: entry,
      });
    } else {
      names.add(parsed.data.Name);
      value.push(parsed.data);
    }
  });
  return { value, rejected };
}

/** The router's interfaces and their roles. */
export const interfacesDocument: Document<Interfaces> = {
  path: "base/interfaces.json",
  topic: "interfaces",
  schema: z.array(Interface),
  fallback: [],
  read,
  secret: (path) => path.at(-1) === "GuestPassword",
  keyOf(element) {
    if (typeof element !== "object" || element === null) return JSON.stringify(element);
    if ("Name" in element) return String(element.Name);
    // An additional network; all of it would show its password.
    return "Ssid" in element ? String(element.Ssid) : JSON.stringify(element);
  },
};
