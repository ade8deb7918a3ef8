import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** How this router stands in a mesh. */
export type MeshStatus = Schemas["MeshStatus"];

/** A leaf router as the parent sees it. */
export type LeafState = Schemas["LeafState"];

/** What is shown of a router before it becomes a leaf. */
export type LeafProbe = Schemas["LeafProbe"];

/** Token by which a parent adds this router. */
export type LeafToken = Schemas["LeafToken"];
