import { createHmac } from "node:crypto";
import type { Observations } from "./change.ts";
import type { Image } from "./files/config_files.ts";
import type { RejectedEntry } from "../config/document.ts";
import { digest } from "../config/json.ts";
import type { Documents } from "../config/document.ts";
import { hiding, SecretVersions } from "./secret_versions.ts";

/** The configuration and observations that are active; swapped only at a commit. */
export class ActiveConfig<C> {
  #config: C;
  #observed: Observations;
  readonly #rejected: Map<string, readonly RejectedEntry[]>;
  readonly #tagKey: Uint8Array;
  readonly #hiding: ReadonlyMap<string, (value: object) => object>;
  /** How often secrets were set, which entity tags are made of in their place. */
  readonly secretVersions: SecretVersions<C>;
  #considered: C | null = null;

  /** `tagKey` keys the entity tags. */
  constructor(
    config: C,
    observed: Observations,
    held: {
      readonly documents: Documents<C>;
      readonly rejected: ReadonlyMap<string, readonly RejectedEntry[]>;
      readonly tagKey: Uint8Array;
    },
  ) {
    this.#config = config;
    this.#observed = observed;
    this.#rejected = new Map(held.rejected);
    this.#tagKey = held.tagKey;
    this.secretVersions = new SecretVersions(held.documents);
    const names = Object.keys(held.documents) as (keyof C & string)[];
    this.#hiding = new Map(names.map((name) => [name, hiding(held.documents[name])]));
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
   * Entity tag of a document of any configuration. Passwords are no part of it, or who may not see them
   * could find them by trying; keyed, so that it tells nothing of the rest either.
   */
  tagOf(config: C, document: keyof C & string): string {
    const value = config[document];
    const shown = typeof value === "object" && value !== null
      ? this.#hiding.get(document)!(value)
      : value;
    const version = this.secretVersions.of(value);
    const text = version === 0 ? digest(shown) : `${digest(shown)} ${version}`;
    const hash = createHmac("sha256", this.#tagKey).update(text);
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
