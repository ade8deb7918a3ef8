import { inRange4, parseIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";
import { type Asker, WaitingAskers, type Way } from "./pending_queries.ts";
import { type CompiledBlock, decide, rebindsAt } from "../block/verdict/verdict.ts";
import { AnswerCache, renewedFrom } from "./cache.ts";
import { type CacheEntry } from "./cache_entry.ts";
import { addressText } from "../codec/address_data.ts";
import type { DnsClient } from "./client.ts";
import { type Counters, newCounters } from "./counters.ts";
import { LedAnswers } from "./rewritten_responses.ts";
import { HOME_DOMAIN } from "../local/local_names.ts";
import { type LocalEntry, LocalZone } from "../local/local_zone.ts";
import { cacheQuestion, lookupOf, plainLookup, rememberedAliases } from "./lookup_request.ts";
import { type Lookup, Lookups } from "./lookups.ts";
import type { QuerySink } from "../log/writer/sink.ts";
import { DROP, parseQuery, QueryView } from "../codec/query.ts";
import { nameBytes } from "../codec/name.ts";
import { NameKey } from "../codec/name_key.ts";
import { type OwnAnswer, OwnAnswers } from "../local/local_responses.ts";
import { AT_ONCE } from "./query_record.ts";
import { ReadyAnswers } from "./response_cache.ts";
import type { Reply } from "../codec/response_parser.ts";
import type { DnsSnapshot } from "../config/snapshot_schema.ts";
import { type Special, specialName } from "../local/special_names.ts";
import { Teller, type TellerOptions } from "./response_writer.ts";
import type { Sender } from "../../core/net/transport.ts";
import { Upstreams, type UpstreamsOptions } from "../upstream/upstreams.ts";
import { RCODE, TYPE, word } from "../codec/constants.ts";

/** How much is remembered. */
const CACHE = { entries: 40_000, bytes: 32 * 1024 * 1024 };

const HOME_ZONE = nameBytes(HOME_DOMAIN)!;

/** What the resolver needs. */
export interface ResolverOptions extends UpstreamsOptions {
  /** Unix milliseconds. */
  readonly unixNow: () => number;
  /** What is blocked and decided now. */
  readonly block: () => CompiledBlock;
  readonly log: Pick<QuerySink, "record"> | null;
}

/**
 * Answers questions: by names of home, by what was decided, from memory, and else by asking outside.
 * Everything but the last is done within {@link Resolver.take}, without waiting.
 */
export class Resolver {
  readonly counters: Counters = newCounters();
  readonly upstreams: Upstreams;
  readonly cache: AnswerCache;
  readonly lookups: Lookups;
  readonly #options: ResolverOptions;
  readonly #keys: NameKey;
  readonly #view = new QueryView();
  readonly #own = new OwnAnswers();
  readonly #ready = new ReadyAnswers();
  readonly #teller: Teller;
  readonly #led: LedAnswers;
  readonly #waiting = new WaitingAskers(this.counters);
  #clients: ReadonlyMap<string, DnsClient> = new Map();
  #zone: LocalZone;
  #networks: readonly Range4[] = [];
  #names = "";
  /** Key of the name that is being answered. */
  #name = 0;

  constructor(options: ResolverOptions) {
    this.#options = options;
    const { clock, random } = options;
    const { counters } = this;
    const seed = random(8);
    this.#keys = new NameKey(
      word(seed, 0) << 16 | word(seed, 2),
      word(seed, 4) << 16 | word(seed, 6),
    );
    this.#zone = new LocalZone([], this.#keys);
    this.cache = new AnswerCache(this.#keys, CACHE);
    this.upstreams = new Upstreams(options);
    this.lookups = new Lookups({
      cache: this.cache,
      clock,
      counters,
      rebinds: firstInside,
    });
    const lead: TellerOptions["lead"] = (to, asker, verdict, alias) =>
      this.#led.tell(to, asker, verdict, alias) ?? 0;
    this.#teller = new Teller({ ...options, own: this.#own, ready: this.#ready, counters, lead });
    this.#led = new LedAnswers({
      ...options,
      counters,
      own: this.#own,
      teller: this.#teller,
      waiting: this.#waiting,
      lookups: this.lookups,
      cache: this.cache,
      upstreams: this.upstreams,
      zone: () => this.#zone,
    });
  }

  /** Works from another snapshot from now on. */
  configure(snapshot: DnsSnapshot): void {
    if (this.upstreams.configure(snapshot)) this.flush();
    this.#ready.clear();
    const names = JSON.stringify(snapshot.names);
    if (names !== this.#names) this.#zone = new LocalZone(snapshot.names, this.#keys);
    this.#names = names;
    // Of two with one address the first has it.
    this.#clients = new Map(snapshot.clients.toReversed().map((one) => [one.address, one]));
    this.#networks = snapshot.networks.map(parseRange4).filter((range) => range !== null);
  }

  /** True for a name of home, final dot or none. */
  isLocal(name: string): boolean {
    const wire = nameBytes(name.toLowerCase());
    if (wire === null) return false;
    const labels = name.replace(/\.$/, "").split(".").length;
    return this.#zone.find(wire, wire.length) !== null ||
      specialName(wire, labels, TYPE.A) !== null;
  }

  /** Names that the remembered answer to a client leads over, in its order and without final dot. */
  leadsOver(name: string, address: string): readonly string[] {
    const wire = nameBytes(name.toLowerCase());
    if (wire === null) return [];
    const group = this.upstreams.of(this.#clients.get(address));
    return rememberedAliases(wire, { group, cache: this.cache });
  }

  /** True for an address that is at home, or asks from there. */
  isHome(address: string): boolean {
    return this.#mayAsk(address);
  }

  /** Forgets all answers from outside. */
  flush(): void {
    this.cache.clear();
    this.#ready.clear();
    this.lookups.forget();
  }

  close(): void {
    this.upstreams.close();
  }

  /** Takes one query; answers the length of what is written to `out`, 0 when nothing is said now. */
  take(query: Uint8Array, out: Uint8Array, from: Sender, way: Way): number {
    const { counters } = this;
    counters.queries++;
    const came = from.came ??
      { at: this.#options.unixNow(), started: this.#options.clock.now() };
    if (way.stream) counters.overTcp++;
    else {
      const ready = this.#ready.find(query, from, came, this.#options.block());
      if (ready !== null) {
        counters[ready.counts]++;
        const length = ready.write(query, out, came.started);
        return this.#teller.again(ready, { out, length, from, at: came.at });
      }
    }
    const view = this.#view;
    const code = parseQuery(query, view);
    if (code === DROP) {
      counters.dropped++;
      if (way.stream) way.later(null, from);
      return 0;
    }
    const to: OwnAnswer = { query, view, out, limit: way.limit(view) };
    const client = this.#clients.get(from.address);
    if (client === undefined && !this.#mayAsk(from.address)) {
      counters.strangers++;
      if (way.stream) way.later(null, from);
      return 0;
    }
    if (code !== 0) {
      if (code === RCODE.REFUSED) counters.refused++;
      else counters.malformed++;
      return this.#own.code(to, { code });
    }
    return this.#decide(to, { from, way, client, at: came.at, started: came.started });
  }

  /** The addresses of a name, asked as everyone's resolvers would be; for the router's own needs. */
  addresses(name: string, type: number = TYPE.A): Promise<readonly string[]> {
    const wire = nameBytes(name.toLowerCase());
    if (wire === null) return Promise.reject(new Error(`"${name}" is no name`));
    if (this.isLocal(name)) return Promise.reject(new Error(`"${name}" is a name of home`));
    const lookup = plainLookup(wire, {
      type,
      group: this.upstreams.of(undefined),
      cache: this.cache,
    });
    const known = this.#fresh(lookup);
    if (known !== null) return Promise.resolve(known.reply.addresses);
    return new Promise((resolve, reject) => {
      const taken = this.lookups.find(lookup, null, (found) => {
        if (found === null) reject(new Error("No resolver answers"));
        else resolve(found.entry.reply.addresses);
      });
      if (!taken) reject(new Error("Too many names are being asked for"));
    });
  }

  #mayAsk(address: string): boolean {
    const value = parseIpv4(address);
    return value !== null && this.#networks.some((range) => inRange4(range, value));
  }

  #decide(to: OwnAnswer, by: Omit<Asker, "verdict">): number {
    const { counters } = this;
    const { view } = to;
    const { from, way, client, at, started } = by;
    const name = this.#name = this.#keys.of(view.name, view.nameLength);
    const local = this.#zone.find(view.name, view.nameLength, name);
    const special = local === null ? specialName(view.name, view.labels, view.type) : null;
    const verdict = decide({
      name: view.name,
      key: name,
      client,
      address: from.address,
      now: at,
      local: local !== null || special !== null,
    }, this.#options.block());
    const asker: Asker = { from, way, client, verdict, at, started };
    if (verdict.kind === "pass") return this.#pass(to, asker, local, special);
    if (verdict.kind === "rewrite" && verdict.cname !== undefined) {
      const said = this.#led.tell(to, asker, verdict);
      if (said !== null) return said;
      const { by, categories } = verdict;
      const permitted: Asker = { ...asker, verdict: { kind: "pass", permitted: by, categories } };
      return this.#pass(to, permitted, local, special);
    }
    if (verdict.kind === "block") {
      counters.blocked++;
      return this.#teller.saidAlways(to, asker, this.#own.blocked(to), "blocked");
    }
    const { address } = verdict;
    if (verdict.kind === "quarantine") counters.quarantined++;
    else counters.overridden++;
    const length = address === undefined ? this.#own.blocked(to) : this.#own.address(to, address);
    return this.#teller.said(to, asker, length, AT_ONCE);
  }

  #pass(to: OwnAnswer, asker: Asker, local: LocalEntry | null, special: Special | null): number {
    const { view } = to;
    if (local !== null) {
      this.counters.local++;
      const length = this.#own.local(to, local, HOME_ZONE);
      return this.#teller.saidAlways(to, asker, length, "local");
    }
    if (special !== null) {
      this.counters.kept++;
      return this.#teller.saidAlways(to, asker, this.#own.special(to, special), "kept");
    }
    if (view.type === TYPE.ANY) return this.#teller.said(to, asker, this.#own.any(to));
    const group = this.upstreams.of(asker.client);
    const question = cacheQuestion(view, group);
    const key = this.cache.keyOf(question, this.#name);
    const known = this.cache.find(key, question);
    const now = asker.started;
    if (known !== null && now < known.expires) {
      this.counters.remembered++;
      if (now >= renewedFrom(known) && this.lookups.mayRenew(key, now)) {
        this.lookups.renew(lookupOf(view, group, key), known);
      }
      return this.#teller.tell(to, asker, { entry: known, stale: false }, false);
    }
    // Who asks for no more than is known (RFC 1035 4.1.1) is told that it is nothing.
    if (!view.recursion) {
      this.counters.refused++;
      return this.#teller.said(to, asker, this.#own.code(to, { code: RCODE.REFUSED }));
    }
    const lookup = lookupOf(view, group, key);
    return this.#waiting.wait(
      to,
      asker,
      (wait) => this.lookups.find(lookup, known, wait),
      (found, then) => this.#teller.tell(then, asker, found, true),
    );
  }

  #fresh({ key, question }: Lookup): CacheEntry | null {
    const known = this.cache.find(key, question);
    return known !== null && this.#options.clock.now() < known.expires ? known : null;
  }
}

/** The first address of an answer that is none of the Internet, as text; null for none. */
function firstInside({ bytes, places }: Reply): string | null {
  for (let i = 0; i < places.length; i += 2) {
    const at = places[i]!, size = places[i + 1]!;
    if (rebindsAt(bytes, at, size)) return addressText(bytes.subarray(at, at + size));
  }
  return null;
}
