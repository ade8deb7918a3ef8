import type { DnsClient } from "../resolver/client.ts";
import type { DnsSettings } from "../config/schema.ts";
import type { DnsSnapshot } from "../config/snapshot_schema.ts";
import { TimeServerFallback } from "./untrusted_clock.ts";
import { FallbackUpstream, type Upstream } from "./fallback.ts";
import {
  UpstreamGroup,
  type UpstreamGroupOptions,
  type UpstreamResolver,
  type UpstreamState,
} from "./group.ts";

/** How long former resolvers stay open for their pending queries. */
const CLOSE_DELAY_MS = 6000;
/** Groups at once, those of single devices among them. */
const MAX_GROUPS = 1000;

/** The resolvers that a query may go to. */
export interface ResolverGroup {
  /** Small, and unique since the start. */
  readonly id: number;
  readonly upstream: Upstream;
}

/**
 * A group for the status: `default`, `family`, `provider` for ISP resolvers, or the address of a
 * device's own resolver.
 */
export interface ResolverGroupState {
  readonly name: string;
  readonly resolvers: readonly UpstreamState[];
}

/** ISP resolvers, and whether they are preferred. */
interface IspResolvers {
  readonly first: boolean;
  readonly addresses: readonly string[];
}

/** What groups need. */
export type UpstreamsOptions = Omit<UpstreamGroupOptions, "resolvers" | "trusted">;

/** The groups of resolvers: the default one, the family's, and those of devices with their own. */
export class Upstreams {
  readonly #options: UpstreamsOptions;
  #trusted: readonly string[] = [];
  /** The applied settings as text. */
  #applied = "";
  #count = 0;
  #groups = new Map<string, ResolverGroup>();
  #configured: ReadonlyMap<string, readonly UpstreamResolver[]> = new Map();
  /** Null: they are not used. */
  #isp: IspResolvers | null = null;
  /** What the default group consists of while ISP resolvers are used as well. */
  #parts: { readonly configured: Upstream; readonly isp: Upstream } | null = null;
  /** Closes former groups; each also cancels its own timer. */
  readonly #retired = new Set<() => void>();

  constructor(options: UpstreamsOptions) {
    this.#options = options;
  }

  /**
   * Applies a snapshot; true when the settings have changed, so that the cache must be flushed. Groups
   * of single devices are closed with the last device that uses them. ISP resolvers change with the
   * uplinks, just when the cache is needed: it stays.
   */
  configure(
    { settings, override, trusted, clients, ispResolvers = [] }: Pick<
      DnsSnapshot,
      "settings" | "override" | "trusted" | "clients" | "ispResolvers"
    >,
  ): boolean {
    const configured = new Map([
      ["default", override === "" ? resolvers(settings.UpstreamProviders) : [plain(override)]],
      ["family", resolvers(settings.FamilyProviders)],
    ]);
    // A resolver that overrides the settings is the only one.
    const usesIsp = settings.ProviderResolvers !== "never" && override === "" &&
      ispResolvers.length > 0;
    const isp = usesIsp
      ? { first: settings.ProviderResolvers === "first", addresses: ispResolvers }
      : null;
    const applied = JSON.stringify([...configured, trusted, settings.ProviderResolvers]);
    if (applied === this.#applied) {
      this.#closeUnused(new Set(clients.map(({ custom }) => custom)));
      if (JSON.stringify(isp) !== JSON.stringify(this.#isp)) this.#setIspResolvers(isp);
      return false;
    }
    this.#applied = applied;
    this.#trusted = trusted;
    this.#configured = configured;
    this.#isp = isp;
    this.#parts = null;
    const former = this.#groups;
    this.#groups = new Map();
    if (former.size > 0) this.#retire([...former.values()].map(({ upstream }) => upstream));
    for (const name of configured.keys()) this.#group(name);
    return true;
  }

  /** The resolvers that a client uses. */
  groupOf(client: DnsClient | undefined): ResolverGroup {
    if (client === undefined) return this.#group("default");
    if (client.custom !== "") return this.#group(client.custom);
    return this.#group(client.policies.includes("dns:family") ? "family" : "default");
  }

  get state(): readonly ResolverGroupState[] {
    return [...this.#groups].flatMap(([name, { upstream }]) => {
      const parts = name === "default" ? this.#parts : null;
      if (parts === null) return [{ name, resolvers: upstream.state }];
      return [
        { name, resolvers: parts.configured.state },
        { name: "provider", resolvers: parts.isp.state },
      ];
    });
  }

  close(): void {
    for (const { upstream } of this.#groups.values()) upstream.close();
    this.#groups.clear();
    for (const close of this.#retired) close();
  }

  /** Closes the groups of single devices that are not among these. */
  #closeUnused(customs: ReadonlySet<string>): void {
    const unused = [...this.#groups].filter(([name]) =>
      !this.#configured.has(name) && !customs.has(name)
    );
    for (const [name] of unused) this.#groups.delete(name);
    if (unused.length > 0) this.#retire(unused.map(([, { upstream }]) => upstream));
  }

  /** Changes the ISP resolvers; the configured ones and their connections stay. */
  #setIspResolvers(isp: IspResolvers | null): void {
    const group = this.#groups.get("default");
    if (group === undefined) return;
    const former = this.#parts;
    this.#isp = isp;
    this.#parts = null;
    const upstream = this.#withIsp(former?.configured ?? group.upstream);
    this.#groups.set("default", { ...group, upstream });
    if (former !== null) this.#retire([former.isp]);
  }

  #retire(former: readonly Upstream[]): void {
    const close = (): void => {
      cancel();
      this.#retired.delete(close);
      for (const upstream of former) upstream.close();
    };
    const cancel = this.#options.clock.after(CLOSE_DELAY_MS, close);
    this.#retired.add(close);
  }

  #group(name: string): ResolverGroup {
    let group = this.#groups.get(name);
    if (group === undefined) {
      if (this.#groups.size >= MAX_GROUPS) this.#closeOldest();
      const configured = this.#create(this.#configured.get(name) ?? [plain(name)]);
      const upstream = name === "default" ? this.#withIsp(configured) : configured;
      this.#groups.set(name, group = { id: this.#count++, upstream });
    }
    return group;
  }

  #withIsp(configured: Upstream): Upstream {
    if (this.#isp === null) return configured;
    const { first, addresses } = this.#isp;
    const isp = this.#create(addresses.map(plain));
    this.#parts = { configured, isp };
    return first ? new FallbackUpstream(isp, configured) : new FallbackUpstream(configured, isp);
  }

  #create(resolvers: readonly UpstreamResolver[]): Upstream {
    const group = (resolvers: readonly UpstreamResolver[]): UpstreamGroup =>
      new UpstreamGroup({ ...this.#options, resolvers, trusted: this.#trusted });
    const isSecure = resolvers.some(({ tlsHost }) => tlsHost !== null);
    if (!isSecure) return group(resolvers);
    const unencrypted = resolvers.map(({ address }) => plain(address));
    return new TimeServerFallback(group(resolvers), () => group(unencrypted));
  }

  #closeOldest(): void {
    for (const [name, { upstream }] of this.#groups) {
      if (this.#configured.has(name)) continue;
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
