import type { Config } from "../../config.ts";
import { conflict, invalid, notFound, Problem } from "../../core/errors/problem.ts";
import {
  type BlockConfig,
  type BlockList,
  DEFAULT_LIST,
  type DomainOverride,
  MOST_LISTS,
  MOST_OVERRIDE_LISTS,
  MOST_OVERRIDES,
  type OverrideList,
} from "./schema.ts";
import { expirationOf, type OverrideListBody, type OverrideName } from "./api_schema.ts";

/** Adds a block list, or puts it in the place of the one with its URI. Throws Problem 409. */
export function putBlockList(
  config: Config,
  list: BlockList,
): readonly [Config, readonly BlockList[]] {
  const lists = config.dnsBlock.BlockLists;
  const at = lists.findIndex(({ URI }) => URI === list.URI);
  if (at < 0 && lists.length >= MOST_LISTS) {
    throw conflict(`There are ${MOST_LISTS} block lists, as many as there may be`);
  }
  const next = at < 0 ? [...lists, list] : lists.with(at, list);
  return [set(config, { BlockLists: next }), next];
}

/** Takes a block list away. Throws Problem 404. */
export function deleteBlockList(
  config: Config,
  uri: string,
): readonly [Config, readonly BlockList[]] {
  const kept = config.dnsBlock.BlockLists.filter(({ URI }) => URI !== uri);
  if (kept.length === config.dnsBlock.BlockLists.length) throw notFound("There is no such list");
  return [set(config, { BlockLists: kept }), kept];
}

type Domains = "PermitDomains" | "BlockDomains";

function domainsOf(type: string): Domains {
  return type.toLowerCase() === "permit" ? "PermitDomains" : "BlockDomains";
}

/**
 * Adds an override, or puts it in the place of the one for the same domain and client; the opposite
 * one goes when both last as long: for good, or for a while. `now`: unix milliseconds. Throws Problem
 * 400 for an end that has passed, 409.
 */
export function putOverride(
  config: Config,
  name: string,
  { override: sent, now }: { readonly override: DomainOverride; readonly now: number },
): readonly [Config, void] {
  const override = { ...sent, Expiration: expirationOf(sent.Expiration, now) };
  if (override.Expiration !== 0 && override.Expiration * 1000 <= now) {
    throw invalid("/Expiration", "This time has passed; 0 means never");
  }
  const { OverrideLists } = config.dnsBlock;
  const list = OverrideLists.find(({ Name }) => Name === name) ?? emptyList(name);
  const into = domainsOf(override.Type);
  const other: Domains = into === "PermitDomains" ? "BlockDomains" : "PermitDomains";
  const same = (one: DomainOverride): boolean =>
    one.Domain === override.Domain && one.ClientIP === override.ClientIP;
  const at = list[into].findIndex(same);
  if (at < 0 && list[into].length >= MOST_OVERRIDES) {
    throw conflict(`There are ${MOST_OVERRIDES} domains in this list, as many as there may be`);
  }
  const lasts = (one: DomainOverride): boolean => one.Expiration === 0;
  const next = {
    ...list,
    [into]: at < 0 ? [...list[into], override] : list[into].with(at, override),
    [other]: list[other].filter((one) => !same(one) || lasts(one) !== lasts(override)),
  };
  return [withList(config, next), undefined];
}

/** Takes one override away. Throws Problem 404, or 409 when it is not clear which is meant. */
export function deleteOverride(
  config: Config,
  name: string,
  { Type, Domain, ClientIP }: OverrideName,
): readonly [Config, void] {
  const from = domainsOf(Type);
  const list = config.dnsBlock.OverrideLists.find(({ Name }) => Name === name);
  const ofDomain = (list?.[from] ?? []).filter((one) => one.Domain === Domain);
  const wanted = ofDomain.find((one) => one.ClientIP === (ClientIP ?? "*")) ??
    (ClientIP === undefined ? ofDomain[0] : undefined);
  if (list === undefined || wanted === undefined) throw notFound("There is no such override");
  if (ClientIP === undefined && wanted.ClientIP !== "*" && ofDomain.length > 1) {
    throw conflict("There are several overrides of this domain; name the ClientIP of one", {
      clients: ofDomain.map((one) => one.ClientIP),
    });
  }
  const next = { ...list, [from]: list[from].filter((one) => one !== wanted) };
  return [withList(config, next), undefined];
}

/** Adds a list of overrides, or switches and tags the one that is there. Throws Problem 400, 409. */
export function putOverrideList(
  config: Config,
  name: string,
  { body, now }: { readonly body: OverrideListBody; readonly now: number },
): readonly [Config, void] {
  const { OverrideLists } = config.dnsBlock;
  const known = OverrideLists.find(({ Name }) => Name === name);
  // A file may have it switched off, where whoever decides something in it could never tell why.
  const wakes = name === DEFAULT_LIST && known?.Enabled === false && body.Enabled;
  requireName(name, body.Name, wakes);
  if (known !== undefined) {
    const next = { ...known, Enabled: body.Enabled, Tags: body.Tags };
    return [withList(config, next), undefined];
  }
  const absolute = (override: DomainOverride): DomainOverride => ({
    ...override,
    Expiration: expirationOf(override.Expiration, now),
  });
  return [
    withList(config, {
      PermitDomains: unique(body.PermitDomains.map(absolute)),
      BlockDomains: unique(body.BlockDomains.map(absolute)),
      Enabled: body.Enabled,
      Tags: body.Tags,
      Name: name,
    }),
    undefined,
  ];
}

/** Of several for one domain and client the last stands. */
function unique(overrides: readonly DomainOverride[]): DomainOverride[] {
  return [
    ...new Map(overrides.map((one) => [`${one.Domain} ${one.ClientIP}`, one] as const)).values(),
  ];
}

/** Gives a list of overrides another name. Throws Problem 400, 404, and 409 where one has it. */
export function renameOverrideList(
  config: Config,
  name: string,
  to: string,
): readonly [Config, void] {
  for (const one of [name, to]) requireName(one, one);
  const { OverrideLists } = config.dnsBlock;
  const at = OverrideLists.findIndex(({ Name }) => Name === name);
  if (at < 0) throw notFound("There is no such list of overrides");
  if (name === to) return [config, undefined];
  if (OverrideLists.some(({ Name }) => Name === to)) {
    throw conflict(`There is a list of overrides with the name ${to} already`);
  }
  const renamed = { ...OverrideLists[at]!, Name: to };
  return [set(config, { OverrideLists: OverrideLists.with(at, renamed) }), undefined];
}

/** Takes a list of overrides away with all that is in it. Throws Problem 400, 404. */
export function deleteOverrideList(
  config: Config,
  name: string,
  said: string | undefined,
): readonly [Config, void] {
  requireName(name, said ?? name);
  const { OverrideLists } = config.dnsBlock;
  const kept = OverrideLists.filter(({ Name }) => Name !== name);
  if (kept.length === OverrideLists.length) throw notFound("There is no such list of overrides");
  return [set(config, { OverrideLists: kept }), undefined];
}

function requireName(path: string, body: string, wakes = false): void {
  if (path === DEFAULT_LIST && !wakes) {
    throw new Problem(400, `The list ${DEFAULT_LIST} is always there; change what is in it`);
  }
  if (path !== body) throw invalid("/Name", `Write the name that stands in the path: ${path}`);
}

/** Sets the seconds between fetches of a list; 0 is a week. */
export function setRefresh(config: Config, seconds: number): readonly [Config, void] {
  return [set(config, { RefreshSeconds: seconds }), undefined];
}

/** Switches the check for answers that lead home off or on. */
export function disableRebinding(config: Config, disabled: boolean): readonly [Config, void] {
  return [set(config, { RebindingCheckDisable: disabled }), undefined];
}

/** Sets the address that devices in quarantine get for every name; "" for none. */
export function setQuarantineHost(config: Config, address: string): readonly [Config, void] {
  return [set(config, { QuarantineHostIP: address }), undefined];
}

/** Blocks nothing for a client from now on. */
export function addExclusion(config: Config, address: string): readonly [Config, void] {
  const { ClientIPExclusions } = config.dnsBlock;
  if (ClientIPExclusions.includes(address)) return [config, undefined];
  return [set(config, { ClientIPExclusions: [...ClientIPExclusions, address] }), undefined];
}

/** Blocks for a client as for the others again. Throws Problem 404. */
export function deleteExclusion(config: Config, address: string): readonly [Config, void] {
  const { ClientIPExclusions } = config.dnsBlock;
  if (!ClientIPExclusions.includes(address)) throw notFound("This client is not excluded");
  const kept = ClientIPExclusions.filter((one) => one !== address);
  return [set(config, { ClientIPExclusions: kept }), undefined];
}

function emptyList(name: string): OverrideList {
  return { PermitDomains: [], BlockDomains: [], Enabled: true, Tags: [], Name: name };
}

function withList(config: Config, list: OverrideList): Config {
  const { OverrideLists } = config.dnsBlock;
  const at = OverrideLists.findIndex(({ Name }) => Name === list.Name);
  if (at < 0 && OverrideLists.length >= MOST_OVERRIDE_LISTS) {
    throw conflict(`There are ${MOST_OVERRIDE_LISTS} lists of overrides, as many as there may be`);
  }
  return set(config, {
    OverrideLists: at < 0 ? [...OverrideLists, list] : OverrideLists.with(at, list),
  });
}

/** The same configuration when nothing changes. */
function set(config: Config, change: Partial<BlockConfig>): Config {
  const next = { ...config.dnsBlock, ...change };
  const same = JSON.stringify(next) === JSON.stringify(config.dnsBlock);
  return same ? config : { ...config, dnsBlock: next };
}
