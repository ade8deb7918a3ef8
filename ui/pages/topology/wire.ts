import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** What is connected where, and who may reach whom. */
export type Topology = Schemas["Topology"];

/** The router, an interface, a device or an endpoint. */
export type TopologyNode = Schemas["TopologyNode"];
