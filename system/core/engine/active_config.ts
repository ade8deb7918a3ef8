import { createHmac } from "node:crypto";
import type { Observations, PatchEntry } from "./change.ts";
import type { Image } from "./files/config_files.ts";
import type { Documents, RejectedEntry } from "../config/document.ts";
import { digest, isRecord, prepareDigest } from "../config/json.ts";
import { derive, type InSteps, onceEach, perVersion } from "../config/memo.ts";
import { atOnce } from "../time/slices.ts";
import { maskAt, maskEntrySteps, prepareMask, type Secrets } from "./journal/secrets.ts";

/** The configuration and observations that are active; swapped only at a commit. */
export class ActiveConfig<C> {
  #config: C;
  #observed: Observations;
  readonly #rejected: Map<string, readonly RejectedEntry[]>;
  readonly #tagKey: Uint8Array;
  readonly #hiding: ReadonlyMap<string, Hiding>;
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

  /** Does in small steps what {@link tagOf} takes long for: it is quick afterwards. */
  *prepareTag(config: C, document: keyof C & string): Generator<void, void> {
    const value = config[document];
    if (typeof value !== "object" || value === null) return;
    const hide = this.#hiding.get(document)!;
    yield* prepareDigest(yield* hide.steps(value));
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

/**
 * Counts how often secrets of a document, or of an entry of it, were set. Entity tags are made of this
 * and of the value without its secrets: a new password gives a new tag, and the tag never tells whether
 * it is another one. It counts since the start: a tag from before a password was set and a restart
 * asks its holder to read again.
 */
class SecretVersions<C> {
  readonly #documents: Documents<C>;
  readonly #versions = new WeakMap<object, number>();
  #last = 0;

  constructor(documents: Documents<C>) {
    this.#documents = documents;
  }

  /** The version of a document, or of a member of one. */
  of(value: unknown): number {
    return typeof value === "object" && value !== null ? this.#versions.get(value) ?? 0 : 0;
  }

  /** Notes what a decided change makes of the versions, in small steps. */
  *note(before: C, after: C, patch: readonly PatchEntry[]): Generator<void, void> {
    const secret = new Set<PatchEntry>();
    for (const entry of patch) {
      if (yield* this.#isSecret(entry)) secret.add(entry);
      yield;
    }
    const setsSecret = (entries: readonly PatchEntry[]): boolean =>
      entries.some((entry) => secret.has(entry));
    for (const [document, entries] of Map.groupBy(patch, (entry) => entry.document)) {
      const name = document as keyof C & string;
      this.#carry(before[name], after[name], setsSecret(entries));
      for (const [member, about] of Map.groupBy(entries, ({ path }) => path[0])) {
        if (member === undefined) continue;
        const [was, is] = [memberOf(before[name], member), memberOf(after[name], member)];
        this.#carry(was, is, setsSecret(about));
      }
      yield;
    }
  }

  #carry(before: unknown, after: unknown, setsSecret: boolean): void {
    if (typeof after !== "object" || after === null || before === after) return;
    const version = setsSecret ? ++this.#last : this.of(before);
    if (version > 0) this.#versions.set(after, version);
  }

  *#isSecret(entry: PatchEntry): Generator<void, boolean> {
    const secrets = this.#documents[entry.document as keyof C] ?? {};
    const masked = yield* maskEntrySteps(entry, secrets);
    return masked.before !== entry.before || masked.after !== entry.after;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Makes copies of the values of a document in which every secret is hidden. */
type Hiding = InSteps<object, object>;

type Members = Readonly<Record<string, unknown>>;

function hiding(document: Secrets): Hiding {
  function* members(record: Members, names: readonly string[]): Generator<void, Members> {
    const masked: [string, unknown][] = [];
    for (const name of names) {
      yield* prepareMask(record[name], document);
      masked.push([name, maskAt(record[name], [name], document)]);
      yield;
    }
    return Object.fromEntries(masked);
  }
  const record = perVersion<Members, Members>({
    steps: (value) => members(value, Object.keys(value)),
    update: (earlier, value, changed) => derive(earlier, atOnce(members(value, changed))),
    grows: true,
  });
  const list = onceEach((value: object) => maskAt(value, [], document) as object);
  return Object.assign((value: object) => isRecord(value) ? record(value) : list(value), {
    *steps(value: object): Generator<void, object> {
      return isRecord(value) ? yield* record.steps(value) : list(value);
    },
    isKnown: (value: object) => isRecord(value) && record.isKnown(value),
  });
}
