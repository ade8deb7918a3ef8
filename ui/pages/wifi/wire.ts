import type { components } from "../../generated/api.ts";

type Schemas = components["schemas"];

/** A radio: what it can do, and what it does. */
export type Radio = Schemas["Radio"];

/** `GET /wifi/radios`. */
export type Radios = Schemas["Radios"];

/** A network of a radio. */
export type WifiNetwork = Schemas["WifiNetwork"];

/** Channels of a country. */
export type CountryRules = Schemas["CountryRules"];

/** Settings of a radio by hostapd's keys. */
export type Settings = Schemas["FlatSettings"];

/** A device that has joined a network. */
export type WifiClient = Schemas["WifiClient"];

/** The guest network. */
export type Guests = Schemas["GuestStatus"];

/** A password for one guest. */
export type GuestPass = Schemas["GuestPass"];

/** Who uses which channel around a radio. */
export type RadioAir = Schemas["RadioAir"];

/** A network in range. */
export type AirNetwork = Schemas["AirNetwork"];

/** Settings of client steering. */
export type RoamingConfig = Schemas["RoamingConfig"];

/** State of client steering. */
export type RoamingStatus = Schemas["RoamingStatus"];

/** A request to a client, or the recommendation of one. */
export type RoamingRecord = Schemas["RoamingRecord"];
