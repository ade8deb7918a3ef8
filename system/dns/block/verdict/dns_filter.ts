import { type Alarm, timeoutAlarm } from "../../../core/time/alarm.ts";
import type { Log } from "../../../core/log/log.ts";
import type { DnsClient } from "../../resolver/client.ts";
import type { Build } from "../table/build_in_worker.ts";
import { compileBlock, type CompiledBlock } from "./compile.ts";
import { NO_BLOCKING } from "../document.ts";
import { dumpNames } from "../table/blocked_domains.ts";
import { explain } from "./explain.ts";
import type { Fetched, FetchOptions } from "../lists/fetch_list.ts";
import { BlockLists } from "../lists/block_lists.ts";
import type { BlockConfig } from "../schema.ts";
import { decide, type Question } from "./verdict.ts";
import type { Verdict } from "./verdict_schema.ts";
import type { BlockMetrics, Explanation, ListStatus } from "../api_schema.ts";

/** Longest sleep in milliseconds: a clock that is set while we sleep is noticed within a minute. */
const LONGEST_SLEEP = 60_000;

/** What blocking needs from outside. */
export interface BlockingDeps {
  /** Where lists lie, below the resolver's own folder. */
  readonly folder: string;
  readonly fetch: (options: FetchOptions) => Promise<Fetched>;
  readonly build?: Build;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly alarm?: Alarm;
  readonly log: Pick<Log, "info" | "warn">;
  /** True for a name of home, in ASCII and lower case without final dot. */
  readonly isLocal?: (name: string) => boolean;
  /** Names that the remembered answer to a client leads over, in ASCII and lower case without final dot. */
  readonly leadsOver?: (name: string, client: string) => readonly string[];
}

/**
 * What the resolver asks before it answers: decisions, lists and clients of now. Every change that can
 * turn an answer round moves {@link generation} on: of the configuration, of clients, of the table of
 * lists, and when an override ends.
 */
export class Blocking {
  readonly lists: BlockLists;
  readonly #deps: BlockingDeps;
  readonly #listeners = new Set<() => void>();
  #config: BlockConfig = NO_BLOCKING;
  #clients: readonly DnsClient[] = [];
  #told = "";
  #compiled: CompiledBlock;
  #generation = 0;
  #total = 0;
  #blocked = 0;
  #cancel = (): void => {};
  #closed = false;

  private constructor(deps: BlockingDeps, lists: BlockLists) {
    this.#deps = deps;
    this.lists = lists;
    this.#compiled = compileBlock(this.#config, lists.table);
  }

  /** Opens what an earlier run left; nothing is blocked until the first {@link configure}. */
  static async open(deps: BlockingDeps): Promise<Blocking> {
    let follow = (): void => {};
    const lists = await BlockLists.open({ ...deps, onTable: () => follow() });
    const blocking = new Blocking(deps, lists);
    follow = () => blocking.#compile();
    return blocking;
  }

  get config(): BlockConfig {
    return this.#config;
  }

  get compiled(): CompiledBlock {
    return this.#compiled;
  }

  /** Another number whenever an answer that was given before may be wrong. */
  get generation(): number {
    return this.#generation;
  }

  /** Follows another configuration and other clients; what is the same moves nothing. */
  configure(config: BlockConfig, clients: readonly DnsClient[]): void {
    const told = JSON.stringify([config, clients]);
    if (told === this.#told) return;
    this.#told = told;
    this.#config = config;
    this.#clients = clients;
    this.#compile();
    this.lists.configure(config);
  }

  decide(question: Question): Verdict {
    return decide(question, this.#compiled);
  }

  /** Counts a question that was answered, from memory or not. */
  count(blocked: boolean): void {
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

  /** Why a name is answered as it is. The client is the device with the address, if there is one. */
  explain(name: string, address: string): Explanation {
    return explain({
      name,
      address,
      client: this.#compiled.clients.get(address),
      now: this.#deps.now(),
      local: this.#deps.isLocal?.(name) ?? false,
      leadsOver: this.#deps.leadsOver?.(name, address) ?? [],
    }, this.#compiled);
  }

  /** Every name that a list of now blocks, once each, some thousands at a time. */
  names(): AsyncGenerator<readonly string[]> {
    return dumpNames(this.#compiled, this.lists.files);
  }

  /** Calls the listener, which must not throw, after every move of {@link generation}. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends timers, fetches and builds. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.lists.close();
  }

  #compile(): void {
    this.#cancel();
    if (this.#closed) return;
    const now = this.#deps.now();
    const { table } = this.lists;
    this.#compiled = compileBlock(this.#config, table, this.#clients, now, this.#compiled);
    this.#generation++;
    for (const listener of [...this.#listeners]) listener();
    this.#arm();
  }

  /** Wakes when the next override ends. */
  #arm(): void {
    const { nextExpiry } = this.#compiled;
    if (nextExpiry === null) return;
    const alarm = this.#deps.alarm ?? timeoutAlarm;
    const wait = Math.min(Math.max(nextExpiry - this.#deps.now(), 1), LONGEST_SLEEP);
    this.#cancel = alarm(() => {
      if (this.#deps.now() >= nextExpiry) this.#compile();
      else this.#arm();
    }, wait);
  }
}
