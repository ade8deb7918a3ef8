import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import type { ListFiles } from "../../system/dns/block/lists/list_files.ts";
import type { ServiceClient } from "../http/service_client.ts";

/** Dependencies of the blocking routes. */
export interface DnsBlockRouteDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  /** The resolver's block lists. */
  readonly dnsFilter: ServiceClient;
  readonly listFiles: ListFiles;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Common fields of the blocking routes. */
export const BLOCK_ROUTE = { tag: "DNS blocking", access: "auth", document: "dnsBlock" } as const;

/** Path prefix of the blocking routes. */
export const BLOCK_PATH = "/plugins/dns/block";
