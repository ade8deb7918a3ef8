import type { DnsClient } from "../resolver/client.ts";
import type { DnsSettings } from "../config/schema.ts";
import type { DnsSnapshot } from "../config/snapshot_schema.ts";
import { ClockDoubt } from "./untrusted_clock.ts";
import { type Asked, Fallback } from "./fallback.ts";
import {
  UpstreamGroup,
  type UpstreamGroupOptions,
  type UpstreamResolver,
  type UpstreamState,
} from "./group.ts";

/** Milliseconds for which resolvers that hold no longer may still answer what they were asked. */
const LINGER = 6000;
/** Groups of single devices' resolvers at once. */
const MOST_CUSTOM = 1000;

/** Resolvers that questions go to, as one choice. */
export interface Group {
  /** Small; other for each set of resolvers since the start. */
  readonly id: number;
  readonly upstream: Asked;
}

/**
 * A group for people: `default`, `family`, `provider` for those of the leases of uplinks, or the address
 * of a device's own resolver.
 */
export interface GroupState {
  readonly name: string;
  readonly resolvers: readonly UpstreamState[];
}

/** Resolvers of leases, and whether they are asked first. */
interface Leased {
  readonly first: boolean;
  readonly addresses: readonly string[];
}

/** What groups need. */
export type UpstreamsOptions = Omit<UpstreamGroupOptions, "resolvers" | "trusted">;

/** The groups of resolvers: everyone's, the family's, and those of devices with one of their own. */
export class Upstreams {
  readonly #options: UpstreamsOptions;
  #trusted: readonly string[] = [];
  #made = "";
  #count = 0;
  #groups = new Map<string, Group>();
  #wanted: ReadonlyMap<string, readonly UpstreamResolver[]> = new Map();
  /** Whether those of leases are asked before everyone's or after them; null: they are not asked. */
  #leased: Leased | null = null;
  /** What everyone's questions go to when those of leases are asked as well. */
  #parts: { readonly named: Asked; readonly leased: Asked } | null = null;
  /** Ends former groups that may still answer; each also takes its own timer back. */
  readonly #retired = new Set<() => void>();

  constructor(options: UpstreamsOptions) {
    this.#options = options;
  }

  /**
   * Takes other resolvers; true when some of those for many were decided otherwise, so that nothing of
   * the former ones holds. Those of single devices go with the last device that has them. Those of
   * leases come and go with the uplinks, just when what is remembered is needed: that stays.
   */
  configure(
    { settings, override, trusted, clients, leased = [] }: Pick<
      DnsSnapshot,
      "settings" | "override" | "trusted" | "clients" | "leased"
    >,
  ): boolean {
    const wanted = new Map([
      ["default", override === "" ? resolvers(settings.UpstreamProviders) : [plain(override)]],
      ["family", resolvers(settings.FamilyProviders)],
    ]);
    // Whoever names a resolver for everyone means that one alone.
    const isLeased = settings.ProviderResolvers !== "never" && override === "" && leased.length > 0;
    const provider = isLeased
      ? { first: settings.ProviderResolvers === "first", addresses: leased }
      : null;
    const made = JSON.stringify([...wanted, trusted, settings.ProviderResolvers]);
    if (made === this.#made) {
      this.#keep(new Set(clients.map(({ custom }) => custom)));
      if (JSON.stringify(provider) !== JSON.stringify(this.#leased)) this.#lease(provider);
      return false;
    }
    this.#made = made;
    this.#trusted = trusted;
    this.#wanted = wanted;
    this.#leased = provider;
    this.#parts = null;
    const former = this.#groups;
    this.#groups = new Map();
    if (former.size > 0) this.#retire([...former.values()].map(({ upstream }) => upstream));
    for (const name of wanted.keys()) this.#group(name);
    return true;
  }

  /** The resolvers that a client's questions go to. */
  of(client: DnsClient | undefined): Group {
    if (client === undefined) return this.#group("default");
    if (client.custom !== "") return this.#group(client.custom);
    return this.#group(client.policies.includes("dns:family") ? "family" : "default");
  }

  get state(): readonly GroupState[] {
    return [...this.#groups].flatMap(([name, { upstream }]) => {
      const parts = name === "default" ? this.#parts : null;
      if (parts === null) return [{ name, resolvers: upstream.state }];
      return [
        { name, resolvers: parts.named.state },
        { name: "provider", resolvers: parts.leased.state },
      ];
    });
  }

  close(): void {
    for (const { upstream } of this.#groups.values()) upstream.close();
    this.#groups.clear();
    for (const end of this.#retired) end();
  }

  /** Ends the groups of single devices that are not among these. */
  #keep(customs: ReadonlySet<string>): void {
    const gone = [...this.#groups].filter(([name]) =>
      !this.#wanted.has(name) && !customs.has(name)
    );
    for (const [name] of gone) this.#groups.delete(name);
    if (gone.length > 0) this.#retire(gone.map(([, { upstream }]) => upstream));
  }

  /** Has others of leases asked beside everyone's, which stay as they are. */
  #lease(leased: Leased | null): void {
    const everyone = this.#groups.get("default");
    if (everyone === undefined) return;
    const former = this.#parts;
    this.#leased = leased;
    this.#parts = null;
    const upstream = this.#withLeased(former?.named ?? everyone.upstream);
    this.#groups.set("default", { ...everyone, upstream });
    if (former !== null) this.#retire([former.leased]);
  }

  #retire(former: readonly Asked[]): void {
    const end = (): void => {
      cancel();
      this.#retired.delete(end);
      for (const one of former) one.close();
    };
    const cancel = this.#options.clock.after(LINGER, end);
    this.#retired.add(end);
  }

  #group(name: string): Group {
    let group = this.#groups.get(name);
    if (group === undefined) {
      if (this.#groups.size >= MOST_CUSTOM) this.#dropOldest();
      const named = this.#of(this.#wanted.get(name) ?? [plain(name)]);
      const upstream = name === "default" ? this.#withLeased(named) : named;
      this.#groups.set(name, group = { id: this.#count++, upstream });
    }
    return group;
  }

  #withLeased(named: Asked): Asked {
    if (this.#leased === null) return named;
    const { first, addresses } = this.#leased;
    const leased = this.#of(addresses.map(plain));
    this.#parts = { named, leased };
    return first ? new Fallback(leased, named) : new Fallback(named, leased);
  }

  #of(resolvers: readonly UpstreamResolver[]): Asked {
    const make = (those: readonly UpstreamResolver[]): UpstreamGroup =>
      new UpstreamGroup({ ...this.#options, resolvers: those, trusted: this.#trusted });
    const isSecure = resolvers.some(({ tlsHost }) => tlsHost !== null);
    return isSecure
      ? new ClockDoubt(make(resolvers), () => make(resolvers.map(({ address }) => plain(address))))
      : make(resolvers);
  }

  #dropOldest(): void {
    for (const [name, { upstream }] of this.#groups) {
      if (this.#wanted.has(name)) continue;
      upstream.close();
      this.#groups.delete(name);
      return;
    }
  }
}

function plain(address: string): UpstreamResolver {
  return { address, tlsHost: null };
}

function resolvers(providers: DnsSettings["UpstreamProviders"]): readonly UpstreamResolver[] {
  return providers.map(({ IPAddress, TLSHost, DisableTls }) => ({
    address: IPAddress,
    tlsHost: DisableTls ? null : TLSHost,
  }));
}
