import type { Action } from "../../../actions/action.ts";
import { readable } from "../log/idn.ts";
import type { Schedule } from "../../../wire.ts";
import type { DomainOverride } from "../wire.ts";
import { bare } from "../text.ts";
import { durationText } from "./duration.ts";
import { scheduleText } from "../../../text/schedule.ts";
import { t } from "../../../text/language.ts";
import { orList } from "../../../text/format.ts";

/** A custom rule for a domain, for one device, for groups or for all. */
export interface Decision {
  readonly type: "permit" | "block";
  readonly domain: string;
  /** Address of the device; `*` for everyone. */
  readonly client: string;
  /** How that device is called; empty for everyone and for groups. */
  readonly who: string;
  /** Groups whose members it applies to; none for all. */
  readonly groups?: readonly string[];
  /** Seconds from now, or the unix seconds of its end; `0` for ever. */
  readonly seconds: string;
  /** Its times of the week; without it, always. */
  readonly schedule?: Schedule | undefined;
  /** An address or a name that is answered instead; empty for none. */
  readonly instead?: string;
  readonly tags?: readonly string[];
  /** The rule of the same list that it takes the place of. */
  readonly replaces?: DomainOverride | undefined;
}

/** True for text that is an address rather than a name. */
function isAddress(text: string): boolean {
  return /^[\d.]+$/.test(text) || text.includes(":");
}

/** Blocks, permits or answers a name and everything below it. */
export function decideName(decision: Decision, after: () => void, list = "Default"): Action {
  const { type, domain, client, who, seconds, schedule, replaces } = decision;
  const { instead = "", tags = [], groups = [] } = decision;
  const one = groups.length > 0
    ? t("the group {groups}", { groups: orList(groups) })
    : client === "*"
    ? t("all devices")
    : who || client;
  const whom = tags.length === 0
    ? one
    : t("{one} with the tag {tags}", { one, tags: orList(tags) });
  const block = type === "block";
  const sentence = instead !== ""
    ? t("is rewritten to {instead} for {whom}, including subdomains.", { instead, whom })
    : block
    ? t("is blocked for {whom}, including subdomains.", { whom })
    : t("is allowed for {whom}, including subdomains.", { whom });
  const times = schedule === undefined
    ? durationText(seconds)
    : t("The rule applies {times}.", { times: scheduleText(schedule) });
  return {
    title: replaces !== undefined
      ? t("Preview: edit rule")
      : instead !== ""
      ? t("Preview: rewrite domain")
      : block
      ? t("Preview: block domain")
      : t("Preview: allow domain"),
    subject: readable(bare(domain)),
    sentence,
    ...(times === "" ? {} : { details: [times] }),
    button: replaces !== undefined
      ? t("Save rule")
      : instead !== ""
      ? t("Rewrite")
      : block
      ? t("Block")
      : t("Allow"),
    danger: block && instead === "",
    done: `${sentence} ${times}`.trim(),
    request: () => ({
      method: "PUT",
      path: `/plugins/dns/block/override/${encodeURIComponent(list)}`,
      body: {
        Type: type,
        Domain: domain,
        ClientIP: client,
        Expiration: schedule === undefined ? Number(seconds) : 0,
        ResultIP: instead !== "" && isAddress(instead) ? instead : "",
        ResultCNAME: instead !== "" && !isAddress(instead) ? instead : "",
        Tags: tags,
        ...(groups.length > 0 ? { Groups: groups } : {}),
        ...(schedule === undefined ? {} : { Schedule: schedule }),
        ...(replaces === undefined ? {} : { Replaces: nameOfRule(replaces) }),
      },
    }),
    after,
  };
}

/** What the API knows a rule by within its list. */
function nameOfRule({ Type, Domain, ClientIP, Groups }: DomainOverride): object {
  return { Type, Domain, ClientIP, ...(Groups === undefined ? {} : { Groups }) };
}

/** Deletes an override. */
export function dropOverride(one: DomainOverride, list: string, after: () => void): Action {
  return {
    title: t("Preview: delete rule"),
    subject: readable(bare(one.Domain)),
    sentence: t("no longer has this rule."),
    button: t("Delete rule"),
    done: t("no longer has this rule."),
    request: () => ({
      method: "DELETE",
      path: `/plugins/dns/block/override/${encodeURIComponent(list)}`,
      body: nameOfRule(one),
    }),
    after,
  };
}
