import { readName } from "../../../system/dns/block/lists/list_files.ts";
import { ListedNames } from "../../../system/dns/block/table/listed_names.ts";
import { NameTable, TableBuilder } from "../../../system/dns/block/table/name_table.ts";
import { DEFAULT_BLOCK_CONFIG } from "../../../system/dns/block/document.ts";
import type {
  BlockConfig,
  BlockList,
  DomainOverride,
  OverrideList,
} from "../../../system/dns/block/schema.ts";
import type { DnsClient } from "../../../system/dns/resolver/client.ts";

/** What a test says of a list: lines as {@link readName} reads them, such as `@good.example`. */
export type TestLists = Readonly<Record<string, readonly string[]>>;

/** The table of these lists. */
export function tableOf(lists: TestLists): NameTable {
  const builder = new TableBuilder([0x1234_5678, 0x9abc_def0]);
  const names = new ListedNames(builder);
  for (const [number, lines] of Object.values(lists).entries()) {
    for (const line of lines) names.add(number, readName(line));
  }
  names.markAboveExceptions();
  return new NameTable(builder.finish(Object.keys(lists)));
}

/** A block list of a configuration. */
export function blockList(uri: string, changes: Partial<BlockList> = {}): BlockList {
  return { URI: uri, Enabled: true, Tags: [], Category: "", DontBlock: false, ...changes };
}

/** An override; blocks for everyone and for good unless said otherwise. */
export function override(domain: string, changes: Partial<DomainOverride> = {}): DomainOverride {
  return {
    Type: "block",
    Domain: domain,
    ResultIP: "",
    ResultCNAME: "",
    ClientIP: "*",
    Expiration: 0,
    Tags: [],
    ...changes,
  };
}

/** A list of overrides; each goes where its type says. */
export function overrideList(
  overrides: readonly DomainOverride[],
  changes: Partial<OverrideList> = {},
): OverrideList {
  return {
    PermitDomains: overrides.filter(({ Type }) => Type === "permit"),
    BlockDomains: overrides.filter(({ Type }) => Type === "block"),
    Enabled: true,
    Tags: [],
    Name: "Default",
    ...changes,
  };
}

/** A configuration of blocking. */
export function blockConfig(changes: Partial<BlockConfig> = {}): BlockConfig {
  return { ...DEFAULT_BLOCK_CONFIG, ...changes };
}

/** A device that asks. */
export function dnsClient(address: string, changes: Partial<DnsClient> = {}): DnsClient {
  return {
    address,
    identity: "02:00:00:00:0a:01",
    name: "tablet",
    tags: [],
    groups: [],
    policies: [],
    custom: "",
    ...changes,
  };
}
