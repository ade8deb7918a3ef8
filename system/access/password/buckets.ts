/** Token buckets by key, bounded in number: the longest unused key is forgotten first. */
export class Buckets {
  readonly #keys = new Map<string, { readonly tokens: number; readonly at: number }>();
  readonly #limits: { readonly burst: number; readonly perSecond: number; readonly max: number };
  readonly #now: () => number;

  /** `now` is in milliseconds and may jump; a step back adds nothing. */
  constructor(
    limits: { readonly burst: number; readonly perSecond: number; readonly max: number },
    now: () => number,
  ) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Takes one token of the key; false when it has none. */
  take(key: string): boolean {
    const { burst, perSecond, max } = this.#limits;
    const at = this.#now();
    const bucket = this.#keys.get(key) ?? { tokens: burst, at };
    const elapsed = Math.max(0, at - bucket.at) / 1000;
    const tokens = Math.min(burst, bucket.tokens + elapsed * perSecond);
    const taken = tokens >= 1;
    this.#keys.delete(key);
    this.#keys.set(key, { tokens: taken ? tokens - 1 : tokens, at });
    if (this.#keys.size > max) this.#keys.delete(this.#keys.keys().next().value!);
    return taken;
  }
}
