import type { components } from "../../../generated/api.ts";

type Schemas = components["schemas"];

/** Devices with identical access, the Internet, or the router. */
export type MatrixClass = Schemas["MatrixClass"];

/** The access matrix; a cell is an index of `answers`, -1 where there is none. */
export type ReachMatrix = Schemas["ReachMatrix"];

export type AccessLevel = ReachMatrix["answers"][number]["access"];
