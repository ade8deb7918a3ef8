import type { Action } from "../../actions/action.ts";
import type { components } from "../../generated/api.ts";
import { countryName } from "./countries.ts";
import { t } from "../../text/language.ts";

type Schemas = components["schemas"];

/** `GET /firewall/geo_block/config`. */
export type GeoBlockConfig = Schemas["GeoBlockConfig"];

/** `GET /firewall/geo_block/status`. */
export type GeoBlockStatus = Schemas["GeoBlockStatus"];

const PATH = "/firewall/geo_block";

/** Blocks a country, or blocks it no longer. */
export function flipCountry(code: string, block: boolean, after: () => void): Action {
  return {
    title: block ? t("Preview: block a country") : t("Preview: unblock a country"),
    subject: countryName(code),
    sentence: block
      ? t("can neither be reached nor reach this network. Running connections end.")
      : t("can be reached again."),
    button: block ? t("Block country") : t("Unblock country"),
    danger: block,
    done: block ? t("is blocked.") : t("is no longer blocked."),
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
    title: block ? t("Preview: block a network") : t("Preview: unblock a network"),
    subject: Name === "" ? `AS${ASN}` : t("AS{asn} {name}", { asn: ASN, name: Name }),
    sentence: block
      ? t("can neither be reached nor reach this network. Running connections end.")
      : t("can be reached again."),
    button: block ? t("Block network") : t("Unblock network"),
    danger: block,
    done: block ? t("is blocked.") : t("is no longer blocked."),
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
    title: text.on ? t("Preview: turn on") : t("Preview: turn off"),
    subject: text.subject,
    sentence: text.on ? t("is in force.") : t("is no longer in force."),
    button: text.on ? t("Turn on") : t("Turn off"),
    done: text.on ? t("is on.") : t("is off."),
    request: () => ({ method: "PUT", path: `${PATH}/config`, body: next }),
    after,
  };
}
