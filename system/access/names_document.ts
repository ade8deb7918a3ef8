import * as z from "zod";
import type { Document, RejectedEntry } from "../core/config/document.ts";
import { Problem } from "../core/errors/problem.ts";

/** A DNS name (RFC 1123 2.1), or `*.` and one: what a browser may have in its address bar. */
const HostName = z.string().trim().toLowerCase().max(253)
  .regex(/^(\*\.)?[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/, {
    error: "Write a host name, such as router.example.org",
  });

/** Additional host names of the router. */
export const Names = z.array(HostName);
export type Names = readonly string[];

/** The router's additional host names: `base/names.json`. */
export const namesDocument: Document<Names> = {
  path: "base/names.json",
  topic: "names",
  schema: Names,
  fallback: [],
  read(raw) {
    if (!Array.isArray(raw)) {
      throw new Problem(400, "The router's names are an array of host names");
    }
    const value: string[] = [], rejected: RejectedEntry[] = [];
    raw.forEach((entry, index) => {
      const name = HostName.safeParse(entry);
      if (name.success) value.push(name.data);
      else {rejected.push({
          pointer: `/${index}`,
          message: name.error.issues[0]!.message,
          raw: entry,
        });}
    });
    return { value, rejected };
  },
};
