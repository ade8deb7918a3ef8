import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** How an uplink is (`GET /wan/status`); times are unix seconds. */
export type Uplink = Schemas["UplinkStatus"];

/** What was chosen for one uplink. */
export type Share = Schemas["UplinkShare"];

/** A minute or hour of an uplink (`GET /wan/history/…`). */
export type Sample = Schemas["UplinkSample"];

/** A time in which an uplink led nowhere (`GET /wan/outages`); `End` 0 while it lasts. */
export type Outage = Schemas["UplinkOutage"];

/** What a speed test came to (`GET /wan/speedtest`). */
export type Speed = Schemas["SpeedTestResult"];

/** How uplinks are watched (`GET /wan/config`). */
export type Watch = Schemas["UplinkSettings"];
