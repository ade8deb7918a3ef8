import { createHmac } from "node:crypto";
import type { Observed } from "./change.ts";
import type { Image } from "./files/config_files.ts";
import type { Aside } from "../config/document.ts";
import { digest } from "../config/json.ts";

/** The configuration and observations that are in force; swapped only at a commit. */
export class InForce<C> {
  #config: C;
  #observed: Observed;
  readonly #aside: Map<string, readonly Aside[]>;
  readonly #tagKey: Uint8Array;
  #considered: C | null = null;

  /** `tagKey` keys the entity tags. */
  constructor(
    config: C,
    observed: Observed,
    held: { readonly aside: ReadonlyMap<string, readonly Aside[]>; readonly tagKey: Uint8Array },
  ) {
    this.#config = config;
    this.#observed = observed;
    this.#aside = new Map(held.aside);
    this.#tagKey = held.tagKey;
  }

  /** While a precondition is asked: the configuration that its change is reduced on. */
  get config(): C {
    return this.#considered ?? this.#config;
  }

  get observed(): Observed {
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

  image<K extends keyof C & string>(name: K, config: C = this.#config): Image<C[K]> {
    return { value: config[name], aside: this.#aside.get(name) ?? [] };
  }

  setAside(name: string, aside: readonly Aside[]): void {
    this.#aside.set(name, aside);
  }

  swap(config: C, observed: Observed): void {
    this.#config = config;
    this.#observed = observed;
  }

  /** Asks a precondition against a configuration that is not in force yet. */
  consider(config: C, ask: (etagOf: (document: string) => string) => void): void {
    this.#considered = config;
    try {
      ask((document) => this.etag(document as keyof C & string));
    } finally {
      this.#considered = null;
    }
  }
}
