import type { Config } from "../../config.ts";
import { conflict, invalid, sentence } from "../../core/errors/problem.ts";
import { IgnoredDomain, LogConfig, MAX_LIST_ENTRIES } from "./schema.ts";

/** A name in lower case without its final dot, for comparison. */
export function bareName(name: string): string {
  return (name.endsWith(".") ? name.slice(0, -1) : name).toLowerCase();
}

/** Replaces the settings that are sent and keeps the others. */
export function setLogConfig(
  config: Config,
  sent: { readonly [K in keyof LogConfig]?: LogConfig[K] | undefined },
): readonly [Config, LogConfig] {
  const named = Object.fromEntries(
    Object.entries(sent).filter(([, value]) => value !== undefined),
  );
  const next = withoutDuplicates({ ...config.dnsLog, ...named });
  if (JSON.stringify(next) === JSON.stringify(config.dnsLog)) return [config, config.dnsLog];
  return [{ ...config, dnsLog: next }, next];
}

/**
 * Adds ignored domains: one, or a comma-separated list of which only new ones are added. Throws
 * Problem 400 when a domain is invalid or none is new.
 */
export function ignoreDomains(config: Config, text: string): readonly [Config, readonly string[]] {
  const names = text.split(",").map((one) => one.trim()).filter((one) => one !== "").map(domain);
  if (names.length === 0) throw invalid("/domain", "Enter a domain such as example.com");
  const list = [...config.dnsLog.DomainIgnoreList];
  const known = new Set(list.map(bareName));
  for (const name of names) {
    if (known.has(bareName(name))) continue;
    known.add(bareName(name));
    list.push(name);
  }
  if (list.length === config.dnsLog.DomainIgnoreList.length) {
    throw invalid("/domain", `${names.join(", ")} is already in the list`);
  }
  if (list.length > MAX_LIST_ENTRIES) {
    throw conflict(
      sentence("The list is full: at most {limit} domains are allowed", {
        limit: MAX_LIST_ENTRIES,
      }),
    );
  }
  const [next, { DomainIgnoreList }] = setLogConfig(config, { DomainIgnoreList: list });
  return [next, DomainIgnoreList];
}

/** Removes an ignored domain; one that is not in the list changes nothing. */
export function unignoreDomain(config: Config, name: string): readonly [Config, readonly string[]] {
  const { data = name.trim() } = IgnoredDomain.safeParse(name);
  const removed = bareName(data);
  const list = config.dnsLog.DomainIgnoreList.filter((one) => bareName(one) !== removed);
  const [next, { DomainIgnoreList }] = setLogConfig(config, { DomainIgnoreList: list });
  return [next, DomainIgnoreList];
}

/** The settings without the addresses of deleted devices, since another device may get the address. */
export function withoutPrivateHosts(log: LogConfig, addresses: readonly string[]): LogConfig {
  const HostPrivacyIPList = log.HostPrivacyIPList.filter((one) => !addresses.includes(one));
  return HostPrivacyIPList.length === log.HostPrivacyIPList.length
    ? log
    : { ...log, HostPrivacyIPList };
}

function domain(text: string): string {
  const parsed = IgnoredDomain.safeParse(text);
  if (parsed.success) return parsed.data;
  throw invalid("/domain", parsed.error.issues[0]!.message);
}

function withoutDuplicates(log: LogConfig): LogConfig {
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
