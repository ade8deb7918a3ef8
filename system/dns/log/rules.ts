import type { Config } from "../../config.ts";
import { conflict, invalid } from "../../core/errors/problem.ts";
import { IgnoredDomain, LogConfig, MOST_ENTRIES } from "./schema.ts";

/** A name without its final dot, to compare by. */
export function bareName(name: string): string {
  return (name.endsWith(".") ? name.slice(0, -1) : name).toLowerCase();
}

/** Replaces what is named; what is not stays. */
export function setLog(
  config: Config,
  sent: { readonly [K in keyof LogConfig]?: LogConfig[K] | undefined },
): readonly [Config, LogConfig] {
  const named = Object.fromEntries(
    Object.entries(sent).filter(([, value]) => value !== undefined),
  );
  const next = tidy({ ...config.dnsLog, ...named });
  if (JSON.stringify(next) === JSON.stringify(config.dnsLog)) return [config, config.dnsLog];
  return [{ ...config, dnsLog: next }, next];
}

/**
 * Adds domains to those whose queries are not kept: one name, or a whole list joined by commas of
 * which only the new ones count. Throws Problem 400 when nothing is new or a name is none.
 */
export function ignoreDomains(config: Config, text: string): readonly [Config, readonly string[]] {
  const names = text.split(",").map((one) => one.trim()).filter((one) => one !== "").map(domain);
  if (names.length === 0) throw invalid("/domain", "Write a domain, such as example.com");
  const list = [...config.dnsLog.DomainIgnoreList];
  const known = new Set(list.map(bareName));
  for (const name of names) {
    if (known.has(bareName(name))) continue;
    known.add(bareName(name));
    list.push(name);
  }
  if (list.length === config.dnsLog.DomainIgnoreList.length) {
    throw invalid("/domain", `${names.join(", ")} stands in the list already`);
  }
  if (list.length > MOST_ENTRIES) {
    throw conflict(`There are ${MOST_ENTRIES} domains, as many as there may be`);
  }
  const [next, { DomainIgnoreList }] = setLog(config, { DomainIgnoreList: list });
  return [next, DomainIgnoreList];
}

/** Takes a domain from those whose queries are not kept; one that is not there changes nothing. */
export function heedDomain(config: Config, name: string): readonly [Config, readonly string[]] {
  const { data = name.trim() } = IgnoredDomain.safeParse(name);
  const gone = bareName(data);
  const list = config.dnsLog.DomainIgnoreList.filter((one) => bareName(one) !== gone);
  const [next, { DomainIgnoreList }] = setLog(config, { DomainIgnoreList: list });
  return [next, DomainIgnoreList];
}

/** The settings without the addresses of devices that are gone: who gets one next decides anew. */
export function withoutPrivateHosts(log: LogConfig, addresses: readonly string[]): LogConfig {
  const kept = log.HostPrivacyIPList.filter((one) => !addresses.includes(one));
  return kept.length === log.HostPrivacyIPList.length ? log : { ...log, HostPrivacyIPList: kept };
}

function domain(text: string): string {
  const parsed = IgnoredDomain.safeParse(text);
  if (parsed.success) return parsed.data;
  throw invalid("/domain", parsed.error.issues[0]!.message);
}

/** Each address and each domain once. */
function tidy(log: LogConfig): LogConfig {
  const known = new Set<string>();
  return {
    ...log,
    HostPrivacyIPList: [...new Set(log.HostPrivacyIPList)],
    DomainIgnoreList: log.DomainIgnoreList.filter((name) => {
      const bare = bareName(name);
      if (known.has(bare)) return false;
      known.add(bare);
      return true;
    }),
  };
}
