import type { Action } from "../../actions/action.ts";
import type { components } from "../../generated/api.ts";
import { countryName } from "./countries.ts";

type Schemas = components["schemas"];

/** `GET /firewall/geo_block/config`. */
export type GeoBlockConfig = Schemas["GeoBlockConfig"];

/** `GET /firewall/geo_block/status`. */
export type GeoBlockStatus = Schemas["GeoBlockStatus"];

const PATH = "/firewall/geo_block";

/** Blocks a country, or blocks it no longer. */
export function flipCountry(code: string, block: boolean, after: () => void): Action {
  return {
    title: `Preview: ${block ? "block" : "unblock"} a country`,
    subject: countryName(code),
    sentence: block
      ? "can neither be reached nor reach this network. Running connections end."
      : "can be reached again.",
    button: block ? "Block country" : "Unblock country",
    danger: block,
    done: block ? "is blocked." : "is no longer blocked.",
    request: () => ({ method: block ? "PUT" : "DELETE", path: `${PATH}/country/${code}` }),
    after,
  };
}

/** Blocks a network, or blocks it no longer. */
export function flipNetwork(
  { ASN, Name }: { readonly ASN: number; readonly Name: string },
  block: boolean,
  after: () => void,
): Action {
  return {
    title: `Preview: ${block ? "block" : "unblock"} a network`,
    subject: Name === "" ? `AS${ASN}` : `AS${ASN} ${Name}`,
    sentence: block
      ? "can neither be reached nor reach this network. Running connections end."
      : "can be reached again.",
    button: block ? "Block network" : "Unblock network",
    danger: block,
    done: block ? "is blocked." : "is no longer blocked.",
    request: () => ({ method: block ? "PUT" : "DELETE", path: `${PATH}/asn/${ASN}` }),
    after,
  };
}

/** Turns blocking on or off, or a list of it. */
export function changeSettings(
  next: GeoBlockConfig,
  text: { readonly subject: string; readonly on: boolean },
  after: () => void,
): Action {
  return {
    title: `Preview: ${text.on ? "turn on" : "turn off"}`,
    subject: text.subject,
    sentence: text.on ? "is in force." : "is no longer in force.",
    button: text.on ? "Turn on" : "Turn off",
    done: text.on ? "is on." : "is off.",
    request: () => ({ method: "PUT", path: `${PATH}/config`, body: next }),
    after,
  };
}
