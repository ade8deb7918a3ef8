import * as z from "zod";
import type { Document } from "../core/config/document.ts";
import { readList } from "../core/config/read_list.ts";
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
    return readList(raw, { schema: HostName });
  },
};
