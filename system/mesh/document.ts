import type { Document, Reading, RejectedEntry } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
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
  const given = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
  const rejected: RejectedEntry[] = [];
  const leaves: LeafRouter[] = [];
  const sent = Array.isArray(given["LeafRouters"]) ? given["LeafRouters"] : [];
  for (const [index, entry] of sent.entries()) {
    const parsed = LeafRouter.safeParse(entry);
    const issue = parsed.success
      ? leaves.some(({ IP }) => IP === parsed.data.IP)
        ? { path: [], message: "It stands twice; the first is used" }
        : null
      : parsed.error.issues[0]!;
    if (issue === null) leaves.push(parsed.data!);
    else {
      rejected.push({
        pointer: pointer(["LeafRouters", index, ...issue.path]),
        message: issue.message,
        raw: entry,
      });
    }
  }
  const value = Mesh.safeParse({ ...given, LeafRouters: leaves });
  if (value.success) return { value: value.data, rejected };
  const [issue] = value.error.issues;
  throw new Problem(400, `${pointer(issue!.path)}: ${issue!.message}`);
}
