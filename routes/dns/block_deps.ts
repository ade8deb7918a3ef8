import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import type { ListFiles } from "../../system/dns/block/lists/list_files.ts";
import type { Service } from "../http/socket_call.ts";

/** What the routes of blocking need from outside. */
export interface DnsBlockRouteDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  /** The resolver's socket for block lists. */
  readonly filterSocket: Service;
  readonly listFiles: ListFiles;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** What all routes of blocking share. */
export const BLOCK_ROUTE = { tag: "DNS blocking", access: "auth", document: "dnsBlock" } as const;

/** Where the routes of blocking are. */
export const BLOCK_PATH = "/plugins/dns/block";
