import { timeoutAlarm } from "../../../core/time/timeouts.ts";
import type { DnsClient } from "../../resolver/client.ts";
import { compileFilter } from "./compile.ts";
import type { CompiledFilter } from "./compiled_filter.ts";
import { DEFAULT_BLOCK_CONFIG } from "../document.ts";
import { blockedDomains } from "../table/blocked_domains.ts";
import { explain } from "./explain.ts";
import { BlockLists, type BlockListsDeps } from "../lists/block_lists.ts";
import type { BlockConfig } from "../schema.ts";
import { decide, type FilterQuery } from "./verdict.ts";
import type { Verdict } from "./verdict_schema.ts";
import type { BlockMetrics, Explanation, ListStatus } from "../api_schema.ts";

/** Maximum sleep, so that a change of the clock is noticed within a minute. */
const MAX_SLEEP_MS = 60_000;

/** Dependencies of a {@link DnsFilter}. */
export interface DnsFilterDeps extends Omit<BlockListsDeps, "onTable"> {
  /** True for a local name, in ASCII and lower case without final dot. */
  readonly isLocal?: (name: string) => boolean;
  /** CNAME targets of the cached answer to a client, in ASCII and lower case without final dot. */
  readonly cnameChain?: (name: string, client: string) => readonly string[];
}

/**
 * Decides on queries by the current overrides, block lists and clients. {@link generation} changes with
 * everything that may change a verdict: the configuration, the clients, the table of lists, and an
 * override that expires.
 */
export class DnsFilter {
  readonly lists: BlockLists;
  readonly #deps: DnsFilterDeps;
  readonly #listeners = new Set<() => void>();
  #config: BlockConfig = DEFAULT_BLOCK_CONFIG;
  #clients: readonly DnsClient[] = [];
  #applied = "";
  #compiled: CompiledFilter;
  #generation = 0;
  #total = 0;
  #blocked = 0;
  #cancelAlarm = (): void => {};
  #closed = false;

  private constructor(deps: DnsFilterDeps, lists: BlockLists) {
    this.#deps = deps;
    this.lists = lists;
    this.#compiled = compileFilter(this.#config, lists.table);
  }

  /** Opens the lists of an earlier run; nothing is blocked until the first {@link configure}. */
  static async open(deps: DnsFilterDeps): Promise<DnsFilter> {
    let follow = (): void => {};
    const lists = await BlockLists.open({ ...deps, onTable: () => follow() });
    const filter = new DnsFilter(deps, lists);
    follow = () => filter.#compile();
    return filter;
  }

  get config(): BlockConfig {
    return this.#config;
  }

  get compiled(): CompiledFilter {
    return this.#compiled;
  }

  /** Changes whenever an earlier verdict may be outdated. */
  get generation(): number {
    return this.#generation;
  }

  /** Applies a configuration and clients; unchanged ones have no effect. */
  configure(config: BlockConfig, clients: readonly DnsClient[]): void {
    const applied = JSON.stringify([config, clients]);
    if (applied === this.#applied) return;
    this.#applied = applied;
    this.#config = config;
    this.#clients = clients;
    this.#compile();
    this.lists.configure(config);
  }

  decide(query: FilterQuery): Verdict {
    return decide(query, this.#compiled);
  }

  /** Counts an answered query. */
  countQuery(blocked: boolean): void {
    this.#total++;
    if (blocked) this.#blocked++;
  }

  metrics(): BlockMetrics {
    return {
      TotalQueries: this.#total,
      BlockedQueries: this.#blocked,
      BlockedDomains: this.lists.table.image.blocked,
    };
  }

  status(): ListStatus[] {
    return this.lists.status();
  }

  /** Explains why a name is answered as it is to the client with an address. */
  explain(name: string, address: string): Explanation {
    return explain({
      name,
      address,
      client: this.#compiled.clients.get(address),
      now: this.#deps.now(),
      local: this.#deps.isLocal?.(name) ?? false,
      cnameChain: this.#deps.cnameChain?.(name, address) ?? [],
    }, this.#compiled);
  }

  /** Every domain that an active list blocks, once each, in batches. */
  blockedDomains(): AsyncGenerator<readonly string[]> {
    return blockedDomains(this.#compiled, this.lists.files);
  }

  /** Calls the listener, which must not throw, after every change of {@link generation}. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops timers, fetches and builds. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelAlarm();
    await this.lists.close();
  }

  #compile(): void {
    this.#cancelAlarm();
    if (this.#closed) return;
    const now = this.#deps.now();
    const { table } = this.lists;
    this.#compiled = compileFilter(this.#config, table, this.#clients, now, this.#compiled);
    this.#generation++;
    for (const listener of [...this.#listeners]) listener();
    this.#arm();
  }

  /** Wakes when the next override expires. */
  #arm(): void {
    const { nextExpiry } = this.#compiled;
    if (nextExpiry === null) return;
    const alarm = this.#deps.alarm ?? timeoutAlarm;
    const wait = Math.min(Math.max(nextExpiry - this.#deps.now(), 1), MAX_SLEEP_MS);
    this.#cancelAlarm = alarm(() => {
      if (this.#deps.now() >= nextExpiry) this.#compile();
      else this.#arm();
    }, wait);
  }
}
