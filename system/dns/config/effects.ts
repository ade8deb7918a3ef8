import type { Config } from "../../config.ts";
import type { EffectContext } from "../../core/engine/change.ts";
import { changedMembers } from "../../core/config/memo.ts";
import { overrideEffects } from "./override_effects.ts";
import { nameList } from "../../devices/name_list.ts";
import { type View, viewOf } from "./effect_text.ts";
import { moved } from "./moved_devices.ts";
import { hostLabel, LOCAL_DOMAIN } from "../local/local_names.ts";

type Device = Config["devices"][string];

/** What a change blocks, allows or resolves elsewhere, and for whom. */
export function* dnsEffects(
  { before, after }: Pick<EffectContext<Config>, "before" | "after">,
): Generator<string | undefined, void> {
  const devices = changedDevices(before, after);
  const isBlockSame = before.dnsBlock === after.dnsBlock;
  if (isBlockSame && before.dns === after.dns && devices.length === 0) return;
  const was = viewOf(before), is = viewOf(after);
  const identities = isBlockSame ? devices : Object.keys(after.devices);
  yield* listEffects(was, is, identities);
  yield* overrideEffects(was, is, identities);
  if (!isBlockSame) yield* settingEffects(was, is);
  yield;
  yield* deviceEffects(was, is, devices);
  yield* upstreamEffects(before, after);
}

/** Devices that differ in what DNS goes by. Those that are gone have no effects. */
function changedDevices(before: Config, after: Config): readonly string[] {
  if (before.devices === after.devices) return [];
  const changed = changedMembers(before.devices, after.devices) ?? Object.keys(after.devices);
  return changed.filter((identity) => {
    const was = before.devices[identity], is = after.devices[identity];
    if (is === undefined || was === is) return false;
    return was === undefined || was.Name !== is.Name || was.DNSCustom !== is.DNSCustom ||
      !isSame(was.DeviceTags, is.DeviceTags) || !isSame(was.Policies, is.Policies);
  });
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** Block lists that come to apply to devices, or no longer do. */
function* listEffects(
  was: View,
  is: View,
  identities: readonly string[],
): Generator<string | undefined, void> {
  const old = listsOf(was), now = listsOf(is);
  for (const uri of new Set([...old.keys(), ...now.keys()])) {
    yield* oneList(uri, [old.get(uri), now.get(uri)], { was, is, identities });
    yield;
  }
}

function oneList(
  uri: string,
  [before, after]: readonly [List | undefined, List | undefined],
  { was, is, identities }: {
    readonly was: View;
    readonly is: View;
    readonly identities: readonly string[];
  },
): readonly string[] {
  const label = `The block list ${uri.replace(/^upload:/, "")}`;
  const blocked = before !== undefined && before.Enabled && !before.DontBlock;
  const blocks = after !== undefined && after.Enabled && !after.DontBlock;
  if (blocks && !blocked) return [`${label} blocks its domains for ${is.audience(after.Tags)}`];
  if (blocked && !blocks) return [`${label} no longer blocks for ${was.audience(before.Tags)}`];
  if (!blocks || !blocked) return [];
  if (before.Tags.length > 0 && after.Tags.length === 0) {
    return [`${label} blocks its domains for ${is.audience([])}`];
  }
  return moved(was, is, identities, [before.Tags, after.Tags]).map(([names, applies]) =>
    applies ? `${label} blocks its domains for ${names}` : `${label} no longer blocks for ${names}`
  );
}

type List = Config["dnsBlock"]["BlockLists"][number];

function listsOf({ config }: View): ReadonlyMap<string, List> {
  return new Map(config.dnsBlock.BlockLists.map((list) => [list.URI, list]));
}

/** Excluded devices and the settings of blocking. */
function settingEffects(was: View, is: View): readonly string[] {
  const [old, now] = [was.config.dnsBlock, is.config.dnsBlock];
  const added = [...is.excluded].filter((owner) => !was.excluded.has(owner));
  const removed = [...was.excluded].filter((owner) =>
    !is.excluded.has(owner) && !is.isGone(owner, was)
  );
  const quarantined = is.withPolicy("quarantine");
  const isHostSame = old.QuarantineHostIP === now.QuarantineHostIP;
  return [
    ...(added.length > 0 ? [`Nothing is blocked for ${nameList(added.map(is.nameOf))}`] : []),
    ...(removed.length > 0
      ? [`Block lists and custom rules apply to ${nameList(removed.map(is.nameOf))}`]
      : []),
    ...(isHostSame || quarantined.length === 0
      ? []
      : [quarantineText(now.QuarantineHostIP, nameList(quarantined))]),
    ...(old.RebindingCheckDisable === now.RebindingCheckDisable ? [] : [
      now.RebindingCheckDisable
        ? "Public names that resolve to private addresses are resolved for all devices"
        : "Public names that resolve to private addresses are blocked for all devices",
    ]),
    ...(old.BypassCheckDisable === now.BypassCheckDisable ? [] : [
      now.BypassCheckDisable
        ? "Devices may bypass the router's DNS, where nothing is blocked"
        : "Devices to which blocking or Family DNS applies cannot bypass the router's DNS",
    ]),
  ];
}

function quarantineText(host: string, names: string): string {
  return host === ""
    ? `No name resolves for ${names}`
    : `Every name resolves to ${host} for ${names}`;
}

/** Effects of the policies, resolvers and names of devices; those of one kind in one sentence. */
function deviceEffects(was: View, is: View, identities: readonly string[]): readonly string[] {
  const names = new Map<string, string[]>();
  const add = (text: string, name: string): void => {
    const list = names.get(text);
    if (list === undefined) names.set(text, [name]);
    else list.push(name);
  };
  const renamed: string[] = [];
  for (const identity of identities) {
    const after = is.config.devices[identity]!, before = was.config.devices[identity];
    const name = is.nameOf(identity);
    for (const text of policyText(before, after, is.config)) add(text, name);
    const [old, now] = [before?.Name ?? "", after.Name].map(hostLabel);
    if (old !== now && old !== null && now !== null && before !== undefined) {
      renamed.push(`The name ${old}.${LOCAL_DOMAIN} becomes ${now}.${LOCAL_DOMAIN}`);
    }
  }
  return [...[...names].map(([text, list]) => `${text} ${nameList(list)}`), ...renamed];
}

function policyText(
  before: Device | undefined,
  after: Device,
  { dnsBlock, dns }: Config,
): readonly string[] {
  const had = (policy: Device["Policies"][number]) => before?.Policies.includes(policy) ?? false;
  const has = (policy: Device["Policies"][number]) => after.Policies.includes(policy);
  const words: string[] = [];
  if (has("quarantine")) {
    return had("quarantine") ? [] : [quarantineText(dnsBlock.QuarantineHostIP, "").trimEnd()];
  }
  if (had("quarantine")) words.push("Names are resolved again for");
  const custom = before?.DNSCustom ?? "";
  if (custom !== after.DNSCustom) {
    words.push(
      after.DNSCustom === ""
        ? `${custom} no longer resolves the names of`
        : `${after.DNSCustom} resolves the names of`,
    );
  }
  if (after.DNSCustom === "" && had("dns:family") !== has("dns:family")) {
    const addresses = dns.FamilyProviders.map(({ IPAddress }) => IPAddress).join(", ");
    words.push(
      has("dns:family")
        ? `Family DNS (${addresses}) filters the names of`
        : "Family DNS no longer filters the names of",
    );
  }
  return words;
}

/** Other upstream resolvers. */
function upstreamEffects({ dns: before }: Config, { dns: after }: Config): readonly string[] {
  if (before === after) return [];
  const of = (list: Config["dns"]["UpstreamProviders"]) =>
    list.map(({ IPAddress, DisableTls }) => DisableTls ? `${IPAddress} (unencrypted)` : IPAddress)
      .join(", ");
  const [old, now] = [of(before.UpstreamProviders), of(after.UpstreamProviders)];
  const [oldFamily, family] = [of(before.FamilyProviders), of(after.FamilyProviders)];
  const provider = {
    never: "ISP resolvers are not used",
    fallback: "ISP resolvers are used when no other responds, and see the names then",
    first: "ISP resolvers are used before others, and see all names",
  }[after.ProviderResolvers];
  return [
    ...(before.ProviderResolvers === after.ProviderResolvers ? [] : [provider]),
    ...(old === now ? [] : [`Names are resolved by ${now} instead of ${old}`]),
    ...(oldFamily === family
      ? []
      : [`Names of devices with Family DNS are resolved by ${family} instead of ${oldFamily}`]),
  ];
}
