import type { Document, Reading } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { issueMessage, readList, withoutNulls } from "../core/config/read_list.ts";
import { Problem } from "../core/errors/problem.ts";
import { LeafRouter, Mesh, NO_MESH } from "./schema.ts";

/** The mesh: leaf routers of a parent, or the parent of a leaf. */
export const meshDocument: Document<Mesh> = {
  path: "mesh/mesh.json",
  topic: "mesh",
  schema: Mesh,
  fallback: NO_MESH,
  read,
  secret: (path) => ["APIToken", "ParentAPIToken", "TunnelKey"].includes(path.at(-1) ?? ""),
  keyOf: (element) => isRecord(element) ? String(element.IP) : String(element),
};

/** Reads the file; a leaf router that is none, or stands twice, is rejected. */
function read(raw: unknown): Reading<Mesh> {
  if (!isRecord(raw)) {
    throw new Problem(400, "The file of the mesh is {LeafMode, LeafRouters: […], …}");
  }
  const given = withoutNulls(raw);
  const sent = Array.isArray(given["LeafRouters"]) ? given["LeafRouters"] : [];
  const { value: LeafRouters, rejected } = readList<LeafRouter>(sent, {
    schema: LeafRouter,
    at: ["LeafRouters"],
    fault: ({ IP }, before) =>
      before.some((one) => one.IP === IP) ? "It stands twice; the first is used" : null,
  });
  const value = Mesh.safeParse({ ...given, LeafRouters });
  if (value.success) return { value: value.data, rejected };
  throw new Problem(400, issueMessage(value.error));
}
