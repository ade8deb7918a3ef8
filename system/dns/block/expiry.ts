import type { Config } from "../../config.ts";
import type { DomainOverride, OverrideList } from "./schema.ts";

/** Unix milliseconds at which the next override ends; null when none does. */
export function nextOverrideEnd(config: Config): number | null {
  let next = Infinity;
  for (const list of config.dnsBlock.OverrideLists) {
    for (const { Expiration } of [...list.PermitDomains, ...list.BlockDomains]) {
      if (Expiration > 0) next = Math.min(next, Expiration * 1000);
    }
  }
  return next === Infinity ? null : next;
}

/** Takes away every override whose time is over; the same configuration when there is none. */
export function endOverrides(config: Config, now: number): [Config, void] {
  const next = nextOverrideEnd(config);
  if (next === null || next > now) return [config, undefined];
  const living = ({ Expiration }: DomainOverride): boolean =>
    Expiration === 0 || Expiration * 1000 > now;
  const OverrideLists = config.dnsBlock.OverrideLists.map((list): OverrideList => {
    const PermitDomains = list.PermitDomains.filter(living);
    const BlockDomains = list.BlockDomains.filter(living);
    const same = PermitDomains.length === list.PermitDomains.length &&
      BlockDomains.length === list.BlockDomains.length;
    return same ? list : { ...list, PermitDomains, BlockDomains };
  });
  return [{ ...config, dnsBlock: { ...config.dnsBlock, OverrideLists } }, undefined];
}
