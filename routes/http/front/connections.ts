/** How many connections a listener holds. */
export interface ConnectionLimits {
  /** Of one source. */
  readonly perSource: number;
  /** Of all sources together. */
  readonly total: number;
}

/** A connection as its limits see it. */
export interface Counted {
  /** Requests that are being worked on; one without any may be ended for another. */
  readonly requests: number;
  end(): void;
}

/**
 * The open connections of a listener by source. A source at its limit is refused. At the
 * overall limit the oldest idle connection of the source with the most connections is closed, so that
 * many sources together cannot shut others out.
 */
export class Connections<C extends Counted> {
  readonly #limits: ConnectionLimits;
  /** In the order of arrival. */
  readonly #bySource = new Map<string, Set<C>>();
  #count = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** True when one more of this source is let in; makes room for it. */
  admits(source: string): boolean {
    if ((this.#bySource.get(source)?.size ?? 0) >= this.#limits.perSource) return false;
    if (this.#count < this.#limits.total) return true;
    const sources = [...this.#bySource.values()].sort((a, b) => b.size - a.size);
    for (const connections of sources) {
      for (const connection of connections) {
        if (connection.requests > 0) continue;
        connection.end();
        return this.#count < this.#limits.total;
      }
    }
    return false;
  }

  add(source: string, connection: C): void {
    const connections = this.#bySource.get(source);
    if (connections === undefined) this.#bySource.set(source, new Set([connection]));
    else connections.add(connection);
    this.#count += 1;
  }

  remove(source: string, connection: C): void {
    const connections = this.#bySource.get(source);
    if (!connections?.delete(connection)) return;
    this.#count -= 1;
    if (connections.size === 0) this.#bySource.delete(source);
  }

  *[Symbol.iterator](): Generator<C> {
    for (const connections of this.#bySource.values()) yield* connections;
  }
}
