import type { ApiProblem } from "../../api/problem.ts";
import { clock, day } from "../../text/time.ts";
import { listText } from "../firewall/text.ts";
import type { Subnets } from "./wire.ts";
import { t, tn } from "../../text/language.ts";

const COMMON = ["1h0m0s", "12h0m0s", "24h0m0s", "48h0m0s", "72h0m0s"] as const;

/** `24h0m0s` as people say it: `1 day`, `1 hour 30 minutes`. */
export function lastsText(text: string): string {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(/[hms]/).map(Number);
  const all = hours * 3600 + minutes * 60 + seconds;
  if (all > 0 && all % 86_400 === 0) return tn("{count} day", "{count} days", all / 86_400);
  const [h, m, s] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  return [
    h > 0 ? [tn("{count} hour", "{count} hours", h)] : [],
    m > 0 ? [tn("{count} minute", "{count} minutes", m)] : [],
    s > 0 ? [tn("{count} second", "{count} seconds", s)] : [],
  ].flat().join(" ") || text;
}

/** Times that are offered for a lease, the present one among them. */
export function lastsChoices(now: string): readonly (readonly [string, string])[] {
  const known = COMMON.some((text) => lastsText(text) === lastsText(now));
  const all = known
    ? COMMON.map((text) => lastsText(text) === lastsText(now) ? now : text)
    : [now, ...COMMON];
  return all.map((text) => [text, lastsText(text)]);
}

/** The entries of a list that was written in one field. */
export function listOf(text: string): readonly string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== "");
}

/** `20:58` of today, else with its date: `12 Sep 2025, 20:58`. */
export function momentText(at: number, now: number): string {
  return day(at) === day(now) ? clock(at) : `${day(at)}, ${clock(at)}`;
}

/** When a lease ends, or that it has. */
export function untilText(until: number | null, now: number): string {
  if (until === null) return t("unknown");
  return until > now ? momentText(until, now) : t("expired");
}

/** Time servers that devices get by DHCP. */
export function serversOf({ NTPServers }: Subnets): readonly string[] {
  return NTPServers ?? [];
}

/** Who it is about, and what changes for them. */
export interface ChangeText {
  readonly subject: string;
  readonly sentence: string;
  readonly done: string;
}

/** What changes between two settings, each in a sentence; empty where nothing does. */
export function changeText(now: Subnets, next: Subnets): readonly ChangeText[] {
  const all: ChangeText[] = [];
  if (now.TinyNets.join() !== next.TinyNets.join()) {
    const sentence = t("get their address from {tinyNets}.", { tinyNets: listText(next.TinyNets) });
    all.push({ subject: t("Devices"), sentence, done: sentence });
  }
  if (now.LeaseTime !== next.LeaseTime) {
    const sentence = t("are leased for {lasts}.", { lasts: lastsText(next.LeaseTime) });
    all.push({ subject: t("Addresses"), sentence, done: t("have a new lease time.") });
  }
  const servers = serversOf(next);
  if (serversOf(now).join() !== servers.join()) {
    const sentence = servers.length === 0
      ? t("get no NTP server.")
      : servers.length > 1
      ? t("get the NTP servers {servers}.", { servers: listText(servers) })
      : t("get the NTP server {servers}.", { servers: listText(servers) });
    all.push({ subject: t("Devices"), sentence, done: sentence });
  }
  return all;
}

/** The router’s own LAN address: the first of the first pool. */
export function routerAddress(nets: readonly string[]): string {
  return (nets[0] ?? "").replace(/\.0\/\d+$/, ".1");
}

/** A free network that the API proposes, and the place of the one that is taken. */
export function proposalOf(
  problem: ApiProblem | null,
): { readonly net: string; readonly index: number } | null {
  const net = problem?.members["proposal"];
  if (typeof net !== "string") return null;
  const [, index] = /^\/TinyNets\/(\d+)$/.exec(problem?.errors[0]?.pointer ?? "") ?? [];
  return { net, index: Number(index ?? 0) };
}
