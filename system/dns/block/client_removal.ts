import type { BlockConfig, DomainOverride, OverrideList } from "./schema.ts";

/**
 * What is blocked without what was decided for clients whose devices are gone: exclusions and
 * overrides by address would hold for whoever gets that address next. The same value when there is
 * nothing of the kind.
 */
export function withoutClients(block: BlockConfig, addresses: readonly string[]): BlockConfig {
  const gone = new Set(addresses);
  const stays = ({ ClientIP }: DomainOverride): boolean => !gone.has(ClientIP);
  const ClientIPExclusions = block.ClientIPExclusions.filter((one) => !gone.has(one));
  const OverrideLists = block.OverrideLists.map((list): OverrideList =>
    list.PermitDomains.every(stays) && list.BlockDomains.every(stays) ? list : {
      ...list,
      PermitDomains: list.PermitDomains.filter(stays),
      BlockDomains: list.BlockDomains.filter(stays),
    }
  );
  const same = ClientIPExclusions.length === block.ClientIPExclusions.length &&
    OverrideLists.every((list, at) => list === block.OverrideLists[at]);
  return same ? block : { ...block, ClientIPExclusions, OverrideLists };
}
