import type { UpstreamCallback, UpstreamGroup, UpstreamState } from "./group.ts";
import type { UpstreamQuery } from "./upstream_query.ts";

/** Upstream resolvers of which any may respond. */
export type Upstream = Pick<UpstreamGroup, "query" | "state" | "close" | "isDown" | "probe">;

/**
 * Resolvers with others that stand in while all of them are down. They are probed with some of the
 * queries, and used again as soon as one of them responds. A query that only times out is not sent to
 * the fallback: a lost packet is no reason to tell another operator of it.
 */
export class FallbackUpstream implements Upstream {
  readonly #primary: Upstream;
  readonly #fallback: Upstream;

  constructor(primary: Upstream, fallback: Upstream) {
    this.#primary = primary;
    this.#fallback = fallback;
  }

  /** The state of the primary resolvers. */
  get state(): readonly UpstreamState[] {
    return this.#primary.state;
  }

  get isDown(): boolean {
    return this.#primary.isDown && this.#fallback.isDown;
  }

  query(query: UpstreamQuery, done: UpstreamCallback): void {
    if (this.#primary.isDown) {
      if (this.#fallback.isDown) return this.#queryBoth(query, done);
      this.#primary.probe(query);
      return this.#fallback.query(query, done);
    }
    this.#primary.query(query, (result, error) => {
      if (result !== null || !this.#primary.isDown) return done(result, error);
      this.#fallback.query(query, done);
    });
  }

  probe(query: UpstreamQuery): void {
    this.#primary.probe(query);
    this.#fallback.probe(query);
  }

  /** While both are down the first response is used. */
  #queryBoth(query: UpstreamQuery, done: UpstreamCallback): void {
    let running = 2, isDone = false;
    const finish: UpstreamCallback = (result, error) => {
      running--;
      if (isDone || (result === null && running > 0)) return;
      isDone = true;
      done(result, error);
    };
    this.#primary.query(query, finish);
    this.#fallback.query(query, finish);
  }

  close(): void {
    this.#primary.close();
    this.#fallback.close();
  }
}
