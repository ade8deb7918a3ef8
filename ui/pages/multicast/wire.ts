import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** A multicast group that is reflected between interfaces. */
export type MulticastAddress = Schemas["MulticastAddress"];

/** `GET /multicastSettings`. */
export type MulticastSettings = Schemas["MulticastSettings"];

/** A discovered sender. */
export type DiscoveredSender = Schemas["DiscoveredSender"];
