import type { Config } from "../../config.ts";
import { memberIndex } from "../../core/config/member_index.ts";
import { onceEach } from "../../core/config/memo.ts";
import { parseIpv4 } from "../../core/net/net.ts";
import {
  byList,
  contentOf,
  RULE_KINDS,
  type RuleList,
  type RuleLists,
  type RuleOf,
} from "../../firewall/rule_kinds.ts";

/** An address or network that an entry of the configuration names. */
export interface Reference {
  /** As it is written: an address, or a network with its prefix. */
  readonly text: string;
  /** What names it, for people: `Port forward Web`. */
  readonly subject: () => string;
  /** The entry, or the text itself where it stands alone in a list. */
  readonly entry: unknown;
  /** True for one that stays as it is where its device is deleted: the address is given to no other. */
  readonly stays?: true;
}

/** What is written instead; null ends the entry. */
export type Rewrite = (reference: Reference) => string | null;

/**
 * The configuration with each address and network rewritten that an entry about clients names: port
 * forwards, blocks, endpoints, custom DNS rules, exclusions, local DNS records, servers on the LAN,
 * access tests, resolvers on the LAN, servers of dynamic DNS and of alert channels. Parts in which nothing changes stay the same objects.
 */
export function rewriteReferences(config: Config, rewrite: Rewrite): Config {
  const next: Config = { ...config };
  const put = <N extends Naming>(name: N): void => {
    next[name] = (REWRITERS as Rewriters)[name](config[name], rewrite);
  };
  for (const name of NAMING) put(name);
  return NAMING.every((name) => next[name] === config[name]) ? config : next;
}

/** Each address and network that an entry about clients names. */
export function references(config: Config): readonly Reference[] {
  const found: Reference[] = [];
  rewriteReferences(config, (reference) => {
    found.push(reference);
    return reference.text;
  });
  return found;
}

/** Single addresses named by an entry, which no unknown device may be given. */
export function namedAddresses(config: Config): ReadonlySet<string> {
  const texts = <N extends Naming>(name: N): readonly string[] => textsIn[name](config[name]);
  return new Set(NAMING.flatMap(texts).filter((text) => !text.includes("/")));
}

/** The documents that name addresses, and how those of each are rewritten. */
const REWRITERS = {
  firewall,
  dnsBlock,
  dns,
  dnsLog: (part: Config["dnsLog"], rewrite: Rewrite) =>
    inPart(part, {
      HostPrivacyIPList: (list) => texts(list, "Query log exclusion", rewrite),
    }),
  hostnames: (part: Config["hostnames"], rewrite: Rewrite) =>
    entries(part, ["IPAddress"], {
      subject: ({ Hostname }) => `Local DNS record ${Hostname}`,
      rewrite,
    }),
  devices,
  dyndns,
  alertChannels,
  dhcp: (part: Config["dhcp"], rewrite: Rewrite) =>
    inPart(part, {
      NTPServers: (list) => list ? texts(list, "Time server for clients", rewrite) : list,
    }),
  reachTests: (part: Config["reachTests"], rewrite: Rewrite) =>
    entries(part, ["From", "To"], {
      subject: ({ Name }) => `Access test ${Name}`,
      // It fails visibly then.
      rewrite: staying(rewrite),
    }),
} satisfies { readonly [N in keyof Config]?: (part: Config[N], rewrite: Rewrite) => Config[N] };

type Naming = keyof typeof REWRITERS;
type Rewriters = { readonly [N in Naming]: (part: Config[N], rewrite: Rewrite) => Config[N] };

const NAMING = Object.keys(REWRITERS) as readonly Naming[];

/** What each document names, found out once for each of its versions. */
const textsIn = Object.fromEntries(NAMING.map((name) => [
  name,
  name === "devices"
    ? (devices: Config["devices"]) => [...textsOfDevices(devices).values()].flat()
    : onceEach((part: object) => textsOf(name, part)),
])) as { readonly [N in Naming]: (part: Config[N]) => readonly string[] };

function textsOf(name: Naming, part: object): readonly string[] {
  const found: string[] = [];
  (REWRITERS as Rewriters)[name](part as never, ({ text }) => {
    found.push(text);
    return text;
  });
  return found;
}

/** What each device names, of those that name anything. */
const textsOfDevices = memberIndex<Config["devices"][string], Map<string, readonly string[]>>({
  empty: () => new Map(),
  add: (texts, identity, device) => {
    const found = textsOf("devices", { [identity]: device });
    if (found.length > 0) texts.set(identity, found);
  },
  remove: (texts, identity) => void texts.delete(identity),
});

function firewall(part: Config["firewall"], rewrite: Rewrite): Config["firewall"] {
  const change = byList<{ [L in RuleList]: (rules: RuleLists[L]) => unknown }>(
    <L extends RuleList>(list: L) => (rules: RuleLists[L]) => ruleList(list, rules, rewrite),
  );
  return inPart<RuleLists>(part, change) as Config["firewall"];
}

function ruleList<L extends RuleList>(
  list: L,
  rules: readonly RuleOf<L>[],
  rewrite: Rewrite,
): readonly RuleOf<L>[] {
  const { noun, clients } = RULE_KINDS[list];
  const subject = (rule: RuleOf<L>) => {
    const name = "RuleName" in rule ? rule.RuleName : "";
    return `${noun[0]!.toUpperCase()}${noun.slice(1)} ${name || contentOf(list, rule)}`;
  };
  const next = entries(rules, clients, { subject, rewrite });
  // Two rules that have become equal are one.
  return next === rules ? rules : distinct(next, (rule) => contentOf(list, rule));
}

function dnsBlock(part: Config["dnsBlock"], rewrite: Rewrite): Config["dnsBlock"] {
  const subject = ({ Domain }: { readonly Domain: string }) => `Custom DNS rule for ${Domain}`;
  const options = { subject, rewrite };
  const overrides = <T extends { readonly Domain: string }>(list: readonly T[]): T[] =>
    distinct(
      entries(list, ["ClientIP", "ResultIP"], options),
      (one) => JSON.stringify(one),
    );
  return inPart(part, {
    OverrideLists: (lists) =>
      same(
        lists,
        lists.map((list) =>
          inPart(list, {
            PermitDomains: (domains) => same(domains, overrides(domains)),
            BlockDomains: (domains) => same(domains, overrides(domains)),
          })
        ),
      ),
    ClientIPExclusions: (list) => texts(list, "DNS blocking exclusion", rewrite),
    QuarantineHostIP: (text) =>
      text === ""
        ? text
        : rewrite({ text, subject: () => "Quarantine redirect", entry: text }) ?? "",
  });
}

/** Resolvers stay: without them nothing would be resolved, or by others than people chose. */
function dns(part: Config["dns"], rewrite: Rewrite): Config["dns"] {
  const stays = staying(rewrite);
  const label = (text: string) => `Upstream DNS server ${text}`;
  const single = (text: string) =>
    text === "" ? text : stays({ text, subject: () => label(text), entry: text });
  const list = (providers: readonly { readonly IPAddress: string }[]) =>
    entries(providers, ["IPAddress"], {
      subject: ({ IPAddress }) => label(IPAddress),
      rewrite: stays,
    });
  return inPart(part, {
    UpstreamProviders: list,
    FamilyProviders: list,
    UpstreamIPAddress: single,
    UpstreamFamilyIPAddress: single,
  });
}

/** Where credentials go ends with its device, and dynamic DNS with it where there is no other. */
function dyndns(part: Config["dyndns"], rewrite: Rewrite): Config["dyndns"] {
  const next = inPart(part, {
    ip_urls: (list) =>
      same(list, list.flatMap((url) => inUrl(url, `Dynamic DNS page ${url}`, rewrite) ?? [])),
    update_url: (url) => inUrl(url, "Dynamic DNS update address", rewrite) ?? "",
  });
  const ends = next.provider === "Custom" && next.update_url === "" && part.update_url !== "";
  return ends ? { ...next, provider: "" } : next;
}

/** A channel ends with its server: what it is sent, and its credentials, are for nobody else. */
function alertChannels(
  list: Config["alertChannels"],
  rewrite: Rewrite,
): Config["alertChannels"] {
  return same(
    list,
    list.flatMap((channel) => {
      const text = `Alert channel ${channel.name}`;
      const url = inUrl(
        channel.url,
        text,
        (reference) => rewrite({ ...reference, entry: channel }),
      );
      const host = parseIpv4(channel.host) === null
        ? channel.host
        : rewrite({ text: channel.host, subject: () => text, entry: channel });
      if (url === null || host === null) return [];
      return url === channel.url && host === channel.host ? channel : { ...channel, url, host };
    }),
  );
}

/** The web address with its host rewritten where that is an IPv4 address, in whatever form. */
function inUrl(url: string, label: string, rewrite: Rewrite): string | null {
  const text = URL.parse(url.replace(/[{}]/g, "x"))?.hostname ?? "";
  if (parseIpv4(text) === null) return url;
  const host = rewrite({ text, subject: () => label, entry: url });
  return host === null || host === text ? host && url : url.replace(URL_HOST, `$1${host}`);
}

const URL_HOST = /^(https?:[/]*)[^/:?#]+/i;

function staying(rewrite: Rewrite): Rewrite {
  return (reference) => rewrite({ ...reference, stays: true }) ?? reference.text;
}

function devices(part: Config["devices"], rewrite: Rewrite): Config["devices"] {
  const changed = Object.entries(part).flatMap(([identity, device]) => {
    const { DNSCustom: text, Name } = device;
    if (text === "") return [];
    const subject = () => `DNS server of ${Name || identity}`;
    const DNSCustom = rewrite({ text, subject, entry: { identity, text } }) ?? "";
    return DNSCustom === text ? [] : [[identity, { ...device, DNSCustom }] as const];
  });
  return changed.length === 0 ? part : { ...part, ...Object.fromEntries(changed) };
}

/**
 * A list of entries with these fields rewritten, each an address or a list of them. An entry ends
 * with any of its addresses, and with the last of a list: a forward without sources is open to all.
 */
function entries<T extends object>(
  list: readonly T[],
  fields: readonly (keyof T | string)[],
  { subject, rewrite }: { readonly subject: (entry: T) => string; readonly rewrite: Rewrite },
): readonly T[] {
  const oneEntry = (entry: T): readonly T[] => {
    const at = (text: string) => rewrite({ text, subject: () => subject(entry), entry });
    let result = entry;
    for (const field of fields) {
      const value: unknown = entry[field as keyof T];
      if (Array.isArray(value) && value.length > 0) {
        const next = same(value, value.flatMap((text) => at(text) ?? []));
        if (next.length === 0) return [];
        if (next !== value) result = { ...result, [field]: next };
      } else if (typeof value === "string" && value !== "") {
        const next = at(value);
        if (next === null) return [];
        if (next !== value) result = { ...result, [field]: next };
      }
    }
    return [result];
  };
  return same(list, list.flatMap(oneEntry));
}

function texts(list: string[], label: string, rewrite: Rewrite): string[] {
  const next = list.flatMap((text) =>
    rewrite({ text, subject: () => `${label} ${text}`, entry: text }) ?? []
  );
  return same(list, distinct(next, (text) => text));
}

function distinct<T>(list: readonly T[], key: (entry: T) => string): T[] {
  const seen = new Set<string>();
  return list.filter((entry) => !seen.has(key(entry)) && seen.add(key(entry)));
}

/** The list as it was where nothing differs. */
function same<L extends readonly unknown[]>(before: L, after: readonly unknown[]): L {
  return before.length === after.length && before.every((entry, at) => entry === after[at])
    ? before
    : after as L;
}

/** A record with some of its members computed anew; the same record where nothing differs. */
function inPart<T extends object>(
  part: T,
  change: { readonly [K in keyof T]?: (value: T[K]) => unknown },
): T {
  const changed = (Object.keys(change) as (keyof T)[])
    .map((name) => [name, change[name]!(part[name])] as const)
    .filter(([name, value]) => value !== part[name]);
  return changed.length === 0 ? part : { ...part, ...Object.fromEntries(changed) };
}
