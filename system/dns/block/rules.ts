import type { Config } from "../../config.ts";
import { sameJson } from "../../core/config/same_json.ts";
import { conflict, invalid, notFound, Problem, sentence } from "../../core/errors/problem.ts";
import {
  type BlockConfig,
  type BlockList,
  DEFAULT_OVERRIDE_LIST,
  type DomainOverride,
  isPermanent,
  MAX_LISTS,
  MAX_OVERRIDE_LISTS,
  MAX_OVERRIDES,
  type OverrideList,
} from "./schema.ts";
import {
  expirationOf,
  type OverrideBody,
  type OverrideListBody,
  type OverrideName,
} from "./api_schema.ts";

/** Adds a block list or replaces the one with its URI. Throws Problem 409. */
export function putBlockList(
  config: Config,
  list: BlockList,
): readonly [Config, readonly BlockList[]] {
  const lists = config.dnsBlock.BlockLists;
  const at = lists.findIndex(({ URI }) => URI === list.URI);
  if (at < 0 && lists.length >= MAX_LISTS) {
    throw conflict(sentence("At most {limit} block lists are allowed", { limit: MAX_LISTS }));
  }
  const next = at < 0 ? [...lists, list] : lists.with(at, list);
  return [withBlockConfig(config, { BlockLists: next }), next];
}

/** Deletes a block list. Throws Problem 404. */
export function deleteBlockList(
  config: Config,
  uri: string,
): readonly [Config, readonly BlockList[]] {
  const rest = config.dnsBlock.BlockLists.filter(({ URI }) => URI !== uri);
  if (rest.length === config.dnsBlock.BlockLists.length) {
    throw notFound("There is no such block list");
  }
  return [withBlockConfig(config, { BlockLists: rest }), rest];
}

type Domains = "PermitDomains" | "BlockDomains";

function domainsOf(type: string): Domains {
  return type.toLowerCase() === "permit" ? "PermitDomains" : "BlockDomains";
}

/**
 * Adds an override or replaces the one of the same domain, client and groups. The opposite one is
 * removed when both always apply or both do so for a time. `now`: unix milliseconds. Throws Problem 400
 * for an expiration in the past, 404 where the one that it replaces does not exist, 409.
 */
export function putOverride(
  config: Config,
  name: string,
  { override: sent, now }: { readonly override: OverrideBody; readonly now: number },
): readonly [Config, void] {
  const { Replaces, ...fields } = sent;
  if (Replaces !== undefined) {
    const [without] = deleteOverride(config, name, Replaces);
    return putOverride(without, name, { override: fields, now });
  }
  const override = { ...fields, Expiration: expirationOf(sent.Expiration, now) };
  if (override.Expiration !== 0 && override.Expiration * 1000 <= now) {
    throw invalid("/Expiration", "This time is in the past; 0 means never");
  }
  const { OverrideLists } = config.dnsBlock;
  const list = OverrideLists.find(({ Name }) => Name === name) ?? emptyList(name);
  const into = domainsOf(override.Type);
  const other: Domains = into === "PermitDomains" ? "BlockDomains" : "PermitDomains";
  const same = (one: DomainOverride): boolean =>
    one.Domain === override.Domain && one.ClientIP === override.ClientIP &&
    groupsOf(one) === groupsOf(override);
  const at = list[into].findIndex(same);
  if (at < 0 && list[into].length >= MAX_OVERRIDES) {
    throw conflict(
      sentence("At most {limit} domains are allowed in an override list", { limit: MAX_OVERRIDES }),
    );
  }
  const next = {
    ...list,
    [into]: at < 0 ? [...list[into], override] : list[into].with(at, override),
    [other]: list[other].filter((one) => !same(one) || isPermanent(one) !== isPermanent(override)),
  };
  return [withList(config, next), undefined];
}

function groupsOf({ Groups = [] }: Pick<DomainOverride, "Groups">): string {
  return JSON.stringify(Groups.toSorted());
}

/** Deletes an override. Throws Problem 404, or 409 when several match. */
export function deleteOverride(
  config: Config,
  name: string,
  { Type, Domain, ClientIP, Groups }: OverrideName,
): readonly [Config, void] {
  const from = domainsOf(Type);
  const list = config.dnsBlock.OverrideLists.find(({ Name }) => Name === name);
  const ofDomain = (list?.[from] ?? []).filter((one) =>
    one.Domain === Domain && groupsOf(one) === groupsOf({ Groups })
  );
  const wanted = ofDomain.find((one) => one.ClientIP === (ClientIP ?? "*")) ??
    (ClientIP === undefined ? ofDomain[0] : undefined);
  if (list === undefined || wanted === undefined) throw notFound("There is no such override");
  if (ClientIP === undefined && wanted.ClientIP !== "*" && ofDomain.length > 1) {
    throw conflict("There are several overrides of this domain; enter the ClientIP of one", {
      clients: ofDomain.map((one) => one.ClientIP),
    });
  }
  const next = { ...list, [from]: list[from].filter((one) => one !== wanted) };
  return [withList(config, next), undefined];
}

/**
 * Adds an override list, or sets `Enabled` and `Tags` of an existing one, in small steps. Throws
 * Problem 400, 409.
 */
export function* putOverrideListSteps(
  config: Config,
  name: string,
  { body, now }: { readonly body: OverrideListBody; readonly now: number },
): Generator<void, readonly [Config, void]> {
  const { OverrideLists } = config.dnsBlock;
  const known = OverrideLists.find(({ Name }) => Name === name);
  // A file may have it disabled, and its overrides would have no effect without a visible reason.
  const isEnabled = name === DEFAULT_OVERRIDE_LIST && known?.Enabled === false && body.Enabled;
  requireName(name, body.Name, isEnabled);
  if (known !== undefined) {
    const next = { ...known, Enabled: body.Enabled, Tags: body.Tags };
    return [withList(config, next), undefined];
  }
  return [
    withList(config, {
      PermitDomains: yield* added(body.PermitDomains, now),
      BlockDomains: yield* added(body.BlockDomains, now),
      Enabled: body.Enabled,
      Tags: body.Tags,
      Name: name,
    }),
    undefined,
  ];
}

/** Overrides as they are stored. Of several for one domain, client and groups the last one counts. */
function* added(
  overrides: readonly DomainOverride[],
  now: number,
): Generator<void, DomainOverride[]> {
  const unique = new Map<string, DomainOverride>();
  for (const one of overrides) {
    unique.set(`${one.Domain} ${one.ClientIP} ${groupsOf(one)}`, {
      ...one,
      Expiration: expirationOf(one.Expiration, now),
    });
    yield;
  }
  return [...unique.values()];
}

/** Renames an override list. Throws Problem 400, 404, and 409 when the name is taken. */
export function renameOverrideList(
  config: Config,
  name: string,
  to: string,
): readonly [Config, void] {
  for (const one of [name, to]) requireName(one, one);
  const { OverrideLists } = config.dnsBlock;
  const at = OverrideLists.findIndex(({ Name }) => Name === name);
  if (at < 0) throw notFound("There is no such override list");
  if (name === to) return [config, undefined];
  if (OverrideLists.some(({ Name }) => Name === to)) {
    throw conflict(sentence("There is already an override list named {name}", { name: to }));
  }
  const renamed = { ...OverrideLists[at]!, Name: to };
  return [withBlockConfig(config, { OverrideLists: OverrideLists.with(at, renamed) }), undefined];
}

/** Deletes an override list with its overrides. Throws Problem 400, 404. */
export function deleteOverrideList(
  config: Config,
  name: string,
  bodyName: string | undefined,
): readonly [Config, void] {
  requireName(name, bodyName ?? name);
  const { OverrideLists } = config.dnsBlock;
  const rest = OverrideLists.filter(({ Name }) => Name !== name);
  if (rest.length === OverrideLists.length) throw notFound("There is no such override list");
  return [withBlockConfig(config, { OverrideLists: rest }), undefined];
}

function requireName(path: string, body: string, isEnabled = false): void {
  if (path === DEFAULT_OVERRIDE_LIST && !isEnabled) {
    throw new Problem(
      400,
      `The list ${DEFAULT_OVERRIDE_LIST} is permanent; only its overrides can be changed`,
    );
  }
  if (path !== body) throw invalid("/Name", `Enter the name in the path: ${path}`);
}

/** Sets the seconds between list updates; 0 is a week. */
export function setRefreshInterval(config: Config, seconds: number): readonly [Config, void] {
  return [withBlockConfig(config, { RefreshSeconds: seconds }), undefined];
}

/** Turns DNS rebinding protection off or on. */
export function disableRebindingCheck(config: Config, disabled: boolean): readonly [Config, void] {
  return [withBlockConfig(config, { RebindingCheckDisable: disabled }), undefined];
}

/** Resolves the names by which devices look for a way round the resolver as usual, or no longer. */
export function disableBypassCheck(config: Config, disabled: boolean): readonly [Config, void] {
  return [withBlockConfig(config, { BypassCheckDisable: disabled }), undefined];
}

/** Sets the address that every name resolves to for devices in quarantine; "" for none. */
export function setQuarantineHost(config: Config, address: string): readonly [Config, void] {
  return [withBlockConfig(config, { QuarantineHostIP: address }), undefined];
}

/** Excludes a client from blocking. */
export function addExclusion(config: Config, address: string): readonly [Config, void] {
  const { ClientIPExclusions } = config.dnsBlock;
  if (ClientIPExclusions.includes(address)) return [config, undefined];
  return [
    withBlockConfig(config, { ClientIPExclusions: [...ClientIPExclusions, address] }),
    undefined,
  ];
}

/** Removes a client from the exclusions. Throws Problem 404. */
export function deleteExclusion(config: Config, address: string): readonly [Config, void] {
  const { ClientIPExclusions } = config.dnsBlock;
  if (!ClientIPExclusions.includes(address)) throw notFound("This client is not excluded");
  const rest = ClientIPExclusions.filter((one) => one !== address);
  return [withBlockConfig(config, { ClientIPExclusions: rest }), undefined];
}

function emptyList(name: string): OverrideList {
  return { PermitDomains: [], BlockDomains: [], Enabled: true, Tags: [], Name: name };
}

function withList(config: Config, list: OverrideList): Config {
  const { OverrideLists } = config.dnsBlock;
  const at = OverrideLists.findIndex(({ Name }) => Name === list.Name);
  if (at < 0 && OverrideLists.length >= MAX_OVERRIDE_LISTS) {
    throw conflict(
      sentence("At most {limit} override lists are allowed", { limit: MAX_OVERRIDE_LISTS }),
    );
  }
  return withBlockConfig(config, {
    OverrideLists: at < 0 ? [...OverrideLists, list] : OverrideLists.with(at, list),
  });
}

/** Returns the same configuration when nothing changes. */
function withBlockConfig(config: Config, change: Partial<BlockConfig>): Config {
  const next = { ...config.dnsBlock, ...change };
  return sameJson(next, config.dnsBlock) ? config : { ...config, dnsBlock: next };
}
