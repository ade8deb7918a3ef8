import type { BlockConfig, DomainOverride, OverrideList } from "./schema.ts";

/**
 * The block rules without exclusions and overrides of deleted devices' addresses, since another device
 * may get the address. Returns the same value when there are none.
 */
export function withoutClientRules(block: BlockConfig, addresses: readonly string[]): BlockConfig {
  const removed = new Set(addresses);
  const stays = ({ ClientIP }: DomainOverride): boolean => !removed.has(ClientIP);
  const ClientIPExclusions = block.ClientIPExclusions.filter((one) => !removed.has(one));
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
