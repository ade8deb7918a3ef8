import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** Status of an uplink; times are unix seconds. */
export type Uplink = Schemas["UplinkStatus"];

/** Weight of one uplink. */
export type Share = Schemas["UplinkShare"];

/** A minute or hour of an uplink. */
export type Sample = Schemas["UplinkSample"];

/** An outage of an uplink; `End` 0 while it lasts. */
export type Outage = Schemas["UplinkOutage"];

/** Result of a speed test. */
export type Speed = Schemas["SpeedTestResult"];

/** Settings of health checks and balancing. */
export type Watch = Schemas["UplinkSettings"];
