import * as z from "zod";

/** Milliseconds that a domain is taken to stand for an address. */
const LIFETIME_MS = 5 * 60_000;
/** Addresses that are remembered; the oldest give way. */
const MAX_ADDRESSES = 4096;

/** What counts of an answered query. */
const Answered = z.object({
  FirstName: z.string().max(300),
  A: z.array(z.object({ A: z.string().optional(), AAAA: z.string().optional() })).max(64),
});

/** Beginning of the topics of answered queries. */
const SERVED = "dns:serve:";

/** Domains by the addresses that they were answered with lately. */
export class RecentDomains {
  readonly #domains = new Map<string, { readonly name: string; readonly at: number }>();

  /** Takes an event; only answered queries count. `now` in milliseconds. */
  note({ topic, data }: { readonly topic: string; readonly data: unknown }, now: number): void {
    const answered = topic.startsWith(SERVED) ? Answered.safeParse(data) : null;
    if (!answered?.success) return;
    const { FirstName, A } = answered.data;
    for (const address of A.flatMap((record) => [record.A ?? [], record.AAAA ?? []].flat())) {
      this.#domains.delete(address);
      this.#domains.set(address, { name: FirstName, at: now });
    }
    for (const [address, { at }] of this.#domains) {
      if (this.#domains.size <= MAX_ADDRESSES && now - at < LIFETIME_MS) break;
      this.#domains.delete(address);
    }
  }

  /** The domain that was last answered with the address; undefined for none. */
  of(address: string, now: number): string | undefined {
    const known = this.#domains.get(address);
    return known !== undefined && now - known.at < LIFETIME_MS ? known.name : undefined;
  }
}
