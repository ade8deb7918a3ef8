import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** A peer with its device. */
export type Peer = Schemas["WireguardListedPeer"];

/** Settings of the VPN, and how it runs. */
export type Server = Schemas["WireguardServer"];

/** Another router whose networks are joined with ours. */
export type Site = Schemas["WireguardSite"];

/** A site that was set, with the file for the other router. */
export type SiteOutcome = Schemas["WireguardSiteOutcome"];

/** What was taken over of another server, and what was not. */
export type Imported = Schemas["WireguardImport"];

/** The configuration of a client. */
export type ClientConfig = Schemas["WireguardClientConfig"];

/** Whether peers can reach the router. */
export type Reachable = Schemas["WireguardReachable"];

/** A key pair. */
export type KeyPair = Schemas["WireguardKeyPair"];

/** Settings of dynamic DNS. */
export type Dyndns = Schemas["DyndnsConfig"];

/** How names stand at their provider. */
export type DyndnsStatus = Schemas["DyndnsStatus"];
