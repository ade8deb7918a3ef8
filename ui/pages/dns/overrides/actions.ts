import type { Action } from "../../../actions/action.ts";
import { readable } from "../log/idn.ts";
import type { DomainOverride } from "../wire.ts";
import { bare, forHow } from "../text.ts";

/** A custom rule for a domain, for one device or for all. */
export interface Decision {
  readonly type: "permit" | "block";
  readonly domain: string;
  /** Address of the device; `*` for everyone. */
  readonly client: string;
  /** How that device is called; empty for everyone. */
  readonly who: string;
  /** Seconds; `0` for ever. */
  readonly seconds: string;
  /** An address or a name that is answered instead; empty for none. */
  readonly instead?: string;
  readonly tags?: readonly string[];
}

/** True for text that is an address rather than a name. */
function isAddress(text: string): boolean {
  return /^[\d.]+$/.test(text) || text.includes(":");
}

/** Blocks, permits or answers a name and everything below it. */
export function decideName(decision: Decision, after: () => void, list = "Default"): Action {
  const { type, domain, client, who, seconds, instead = "", tags = [] } = decision;
  const one = client === "*" ? "all devices" : who || client;
  const whom = tags.length === 0 ? one : `${one} with the tag ${tags.join(" or ")}`;
  const block = type === "block";
  const verb = instead !== "" ? `is rewritten to ${instead}` : block ? "is blocked" : "is allowed";
  const sentence = `${verb} for ${whom}${forHow(seconds)}, including subdomains.`;
  return {
    title: `Preview: ${instead !== "" ? "rewrite" : block ? "block" : "allow"} domain`,
    subject: readable(bare(domain)),
    sentence,
    button: instead !== "" ? "Rewrite" : block ? "Block" : "Allow",
    danger: block && instead === "",
    done: sentence,
    request: () => ({
      method: "PUT",
      path: `/plugins/dns/block/override/${encodeURIComponent(list)}`,
      body: {
        Type: type,
        Domain: domain,
        ClientIP: client,
        Expiration: Number(seconds),
        ResultIP: instead !== "" && isAddress(instead) ? instead : "",
        ResultCNAME: instead !== "" && !isAddress(instead) ? instead : "",
        Tags: tags,
      },
    }),
    after,
  };
}

/** Deletes an override. */
export function dropOverride(one: DomainOverride, list: string, after: () => void): Action {
  const { Type, Domain, ClientIP } = one;
  return {
    title: "Preview: delete rule",
    subject: readable(bare(Domain)),
    sentence: "no longer has this rule.",
    button: "Delete rule",
    done: "no longer has this rule.",
    request: () => ({
      method: "DELETE",
      path: `/plugins/dns/block/override/${encodeURIComponent(list)}`,
      body: { Type, Domain, ClientIP },
    }),
    after,
  };
}
