import { hashSuffixes, SUFFIX_WORDS } from "../../../system/dns/block/table/name_hash.ts";
import { markOf, NameTable, TableBuilder } from "../../../system/dns/block/table/name_table.ts";
import { DEFAULT_BLOCK_CONFIG } from "../../../system/dns/block/document.ts";
import type {
  BlockConfig,
  BlockList,
  DomainOverride,
  OverrideList,
} from "../../../system/dns/block/schema.ts";
import type { DnsClient } from "../../../system/dns/resolver/client.ts";
import { nameBytes } from "../../../system/dns/codec/name.ts";

/** What a test says of a list: names that it blocks; those with `@` are exceptions. */
export type TestLists = Readonly<Record<string, readonly string[]>>;

/** The table of these lists. */
export function tableOf(lists: TestLists): NameTable {
  const builder = new TableBuilder([0x1234_5678, 0x9abc_def0]);
  const out = new Uint32Array(SUFFIX_WORDS);
  for (const [number, names] of Object.values(lists).entries()) {
    for (const text of names) {
      const exception = text.startsWith("@");
      const name = nameBytes(exception ? text.slice(1) : text)!;
      const at = 2 * hashSuffixes(builder.key, name, out);
      builder.add(out[at]!, out[at + 1]!, markOf(number, exception));
    }
  }
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
    policies: [],
    custom: "",
    ...changes,
  };
}
