import { createHmac } from "node:crypto";
import type { Observations } from "./change.ts";
import type { Image } from "./files/config_files.ts";
import type { RejectedEntry } from "../config/document.ts";
import { digest } from "../config/json.ts";

/** The configuration and observations that are active; swapped only at a commit. */
export class ActiveConfig<C> {
  #config: C;
  #observed: Observations;
  readonly #rejected: Map<string, readonly RejectedEntry[]>;
  readonly #tagKey: Uint8Array;
  #considered: C | null = null;

  /** `tagKey` keys the entity tags. */
  constructor(
    config: C,
    observed: Observations,
    held: {
      readonly rejected: ReadonlyMap<string, readonly RejectedEntry[]>;
      readonly tagKey: Uint8Array;
    },
  ) {
    this.#config = config;
    this.#observed = observed;
    this.#rejected = new Map(held.rejected);
    this.#tagKey = held.tagKey;
  }

  /** While a precondition is checked: the configuration that its change is reduced on. */
  get config(): C {
    return this.#considered ?? this.#config;
  }

  get observed(): Observations {
    return this.#observed;
  }

  etag(document: keyof C & string): string {
    return this.tagOf(this.config, document);
  }

  /**
   * Entity tag of a document of any configuration. Keyed: who may not see the passwords in it could
   * otherwise find them by trying.
   */
  tagOf(config: C, document: keyof C & string): string {
    const hash = createHmac("sha256", this.#tagKey).update(digest(config[document]));
    return `"${hash.digest("base64url").slice(0, 22)}"`;
  }

  imageOf<K extends keyof C & string>(name: K, config: C = this.#config): Image<C[K]> {
    return { value: config[name], rejected: this.#rejected.get(name) ?? [] };
  }

  setRejected(name: string, rejected: readonly RejectedEntry[]): void {
    this.#rejected.set(name, rejected);
  }

  activate(config: C, observed: Observations): void {
    this.#config = config;
    this.#observed = observed;
  }

  /** Asks a precondition against a configuration that is not active yet. */
  checkPrecondition(config: C, ask: (etagOf: (document: string) => string) => void): void {
    this.#considered = config;
    try {
      ask((document) => this.etag(document as keyof C & string));
    } finally {
      this.#considered = null;
    }
  }
}
