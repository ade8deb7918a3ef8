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

/** An interface that joins Wi-Fi networks as an uplink. */
export type WifiInterface = Schemas["WpaInterface"];

/** A network that an uplink joins. */
export type WifiJoin = Schemas["WpaNetwork"];

/** State of an uplink by Wi-Fi. */
export type WifiState = Schemas["WifiUplinkStatus"];

/** A network of a scan. */
export type Neighbour = Schemas["IwNeighbour"];

/** A radio of the machine. */
export type Radio = Schemas["Radio"];
