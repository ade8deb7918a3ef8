import * as z from "zod";
import type { Document, Reading } from "../../core/config/document.ts";
import { readList } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
import { Interface } from "./schema.ts";

type Interfaces = readonly Interface[];

function read(raw: unknown): Reading<Interfaces> {
  if (!Array.isArray(raw)) throw new Problem(400, "The interfaces file must hold one JSON array");
  return readList<Interface>(raw, {
    schema: Interface,
    fault: ({ Name }, before) =>
      before.some((one) => one.Name === Name)
        ? `Duplicate interface ${Name}; the first entry is used`
        : null,
  });
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
