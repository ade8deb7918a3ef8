import type { Config } from "../../config.ts";
import { onceEach } from "../../core/config/memo.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import type { ChangeEngine, Observations } from "../../core/engine/change.ts";
import { inRange4, parseIpv4, parseRange4 } from "../../core/net/net.ts";
import { left, sighted } from "../../devices/observation.ts";
import { parseEndpoint } from "../endpoint.ts";
import type { PeerReport, TunnelPlan, TunnelReport, TunnelState } from "./plan_schema.ts";
import { deviceOfKey } from "../peers/rules.ts";
import { PendingPlan } from "./pending.ts";
import { withoutRevoked } from "./revoked.ts";
import { TunnelPlans } from "./tunnel_plan.ts";
import { TUNNEL } from "../schema.ts";

/**
 * Seconds after a handshake in which a peer counts as online: WireGuard makes a new one every two
 * minutes while there is traffic, and gives a session up after three (REJECT_AFTER_TIME).
 */
const ONLINE_SECONDS = 180;

/** True for a peer whose last handshake is recent. `now`: unix milliseconds. */
function isOnline({ latestHandshake }: Pick<PeerReport, "latestHandshake">, now: number) {
  return latestHandshake > 0 && now / 1000 - latestHandshake < ONLINE_SECONDS;
}

const peersByKey = onceEach((peers: readonly PeerReport[]) =>
  new Map(peers.map((peer) => [peer.publicKey, peer]))
);

/** What {@link Tunnels} needs. */
export interface TunnelsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network" | "observe" | "observed">;
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  readonly notices: Pick<NoticeBoard, "open" | "settle">;
  readonly ending: AbortSignal;
  /** The process `wireguard` runs, so that what it does not report is late. */
  readonly hasTunnels: boolean | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** How the tunnels run, as the process `wireguard` last reported. In memory only. */
export class Tunnels {
  readonly #deps: TunnelsDeps;
  #items: readonly TunnelState[] = [];
  /** Peers that were online at the last report, with their device's address and endpoint. */
  #online = new Map<string, { readonly DeviceIP: string; readonly RemoteEndpoint: string }>();

  readonly #plans: TunnelPlans;
  readonly #pending: PendingPlan | null;

  constructor(deps: TunnelsDeps) {
    this.#deps = deps;
    const plans = this.#plans = new TunnelPlans(deps.engine);
    this.#pending = deps.hasTunnels === true ? new PendingPlan({ ...deps, plans }) : null;
  }

  /** What the process `wireguard` is to run now. */
  get plan(): TunnelPlan {
    return this.#plans.present;
  }

  /** Whether the process `wireguard` runs, without which there is no tunnel. */
  get isRun(): boolean {
    return this.#pending !== null;
  }

  /** Why changes of the VPN are not active yet, for people; "" where they are. */
  get problem(): string {
    return this.#pending?.problem ?? "";
  }

  /** Waits until the tunnels run as planned; returns why they do not where that takes too long. */
  async settled(milliseconds: number): Promise<string> {
    return await this.#pending?.settled(milliseconds) ?? "";
  }

  /** The tunnels as they run. */
  get list(): readonly TunnelState[] {
    return this.#items;
  }

  /** A tunnel by the name of its interface; undefined where it does not run. */
  find(name: string): TunnelState | undefined {
    return this.#items.find((one) => one.name === name);
  }

  /** A peer of a tunnel. */
  peer(name: string, key: string): PeerReport | undefined {
    const tunnel = this.find(name);
    return tunnel && peersByKey(tunnel.peers).get(key);
  }

  /**
   * Addresses that the tunnel of the peers still takes from other keys: one that was revoked a moment
   * ago, or while the process `wireguard` is away. A new peer would wait for that process there.
   */
  heldByOthers(key: string): readonly number[] {
    const { tunnels } = this.#deps.engine.observed;
    const running = (this.find(TUNNEL)?.peers ?? []).filter(({ publicKey }) => publicKey !== key)
      .flatMap(({ allowedIps }) => allowedIps);
    return [...running, ...tunnels?.[TUNNEL]?.revoked ?? []]
      .flatMap((text) => parseRange4(text)?.first ?? []);
  }

  /** True for a peer of a tunnel whose last handshake is recent. */
  isOnline(name: string, key: string): boolean {
    const peer = this.peer(name, key);
    return peer !== undefined && isOnline(peer, this.#deps.now());
  }

  /** Takes a report in: publishes who came and went, and records where devices were seen. */
  async take(report: TunnelReport): Promise<void> {
    const { items } = report;
    const { engine, bus } = this.#deps;
    const before = this.#items;
    this.#items = items;
    if (JSON.stringify(before.map(lasting)) !== JSON.stringify(items.map(lasting))) {
      bus.publish("wireguard:status", {
        tunnels: items.map(({ name, backend, problem }) => ({ name, backend, problem })),
      });
    }
    const { came, went } = this.#compare();
    for (const [key, one] of came) this.#publish("online", key, one);
    for (const [key, one] of went) this.#publish("offline", key, one);
    const sightings = this.#sightings([...went.keys()]);
    const gone = this.#gone(report);
    if (sightings !== null || gone !== null) {
      await engine.observe((current) => {
        const seen = sightings?.(current) ?? current;
        return gone?.(seen) ?? seen;
      });
    }
    this.#pending?.reported(report.tag);
  }

  /** Takes in that revoked keys are gone; null where the report shows nothing of that. */
  #gone(report: TunnelReport): ((observed: Observations) => Observations) | null {
    const { observed } = this.#deps.engine, { plan } = this;
    if (report.tag !== plan.tag) return null;
    const after = withoutRevoked(observed, plan.tunnels, report);
    if (after === observed) return null;
    // What was revoked meanwhile is not in this report.
    return (current) =>
      current.tunnels === observed.tunnels ? { ...current, tunnels: after.tunnels! } : current;
  }

  #publish(
    status: "online" | "offline",
    key: string,
    peer: { readonly DeviceIP: string; readonly RemoteEndpoint: string },
  ): void {
    this.#deps.bus.publish(`device:vpn:${status}`, {
      VPNType: "wireguard",
      ...peer,
      Status: status,
      Identity: deviceOfKey(this.#deps.engine.config, key) ?? key,
    });
  }

  #compare() {
    const { engine, now } = this.#deps;
    const online = new Map(
      (this.find(TUNNEL)?.peers ?? []).filter((peer) => isOnline(peer, now())).map((peer) => {
        const identity = deviceOfKey(engine.config, peer.publicKey);
        const DeviceIP = identity === null ? "" : engine.config.devices[identity]!.RecentIP;
        return [peer.publicKey, { DeviceIP, RemoteEndpoint: peer.endpoint }] as const;
      }),
    );
    const came = new Map([...online].filter(([key]) => !this.#online.has(key)));
    const went = new Map([...this.#online].filter(([key]) => !online.has(key)));
    this.#online = online;
    return { came, went };
  }

  /** What the report says of where devices are; null where that is nothing new. */
  #sightings(
    went: readonly string[],
  ): ((observed: Observations) => Observations) | null {
    const { engine: { config, observed } } = this.#deps;
    const seen = (this.find(TUNNEL)?.peers ?? []).flatMap((peer) => {
      const identity = deviceOfKey(config, peer.publicKey);
      const at = peer.latestHandshake * 1000;
      if (identity === null || !this.#online.has(peer.publicKey)) return [];
      const before = observed.devices[identity];
      const isNews = before === undefined || before.lastSeen < at ||
        (before.link === TUNNEL && !before.online);
      // A device that calls from within the LAN is there; its own address leads to it.
      const isHome = config.devices[identity]!.MAC !== "" && isLocal(config, peer.endpoint);
      return isNews && !isHome ? [{ identity, at }] : [];
    });
    const gone = went.flatMap((key) => deviceOfKey(config, key) ?? []);
    if (seen.length === 0 && gone.length === 0) return null;
    return (current) => {
      const offline = gone.reduce((all, identity) => left(all, identity, TUNNEL), current);
      return seen.reduce(
        (all, { identity, at }) => sighted(all, { identity, at, link: TUNNEL, online: true }),
        offline,
      );
    };
  }
}

/** What of a tunnel's state stays without traffic. */
function lasting({ name, backend, problem, listenPort, peers }: TunnelState) {
  return { name, backend, problem, listenPort, peers: peers.map(({ publicKey }) => publicKey) };
}

/** True for an endpoint within the LAN. */
function isLocal({ dhcp }: Config, endpoint: string): boolean {
  const value = parseIpv4(parseEndpoint(endpoint)?.host ?? "");
  return value !== null && dhcp.TinyNets.some((net) => {
    const range = parseRange4(net);
    return range !== null && inRange4(range, value);
  });
}
