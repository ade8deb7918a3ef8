import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** A multicast address and port that is repeated between links. */
export type MulticastAddress = Schemas["MulticastAddress"];

/** `GET /multicastSettings`. */
export type MulticastSettings = Schemas["MulticastSettings"];

/** Who spoke on an address, as `GET /multicast/heard` answers it. */
export type HeardItem = Schemas["HeardItem"];
