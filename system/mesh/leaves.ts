import type { Config } from "../config.ts";
import { isRecord } from "../core/config/json.ts";
import type { Bus } from "../core/events/bus.ts";
import type { Caller, ChangeEngine } from "../core/engine/change.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { identityOfMac } from "../devices/mac_owner.ts";
import { sighted } from "../devices/observation.ts";
import { leafDigest } from "./certificate_hash.ts";
import { type LeafAir, leafAir, type LeafStation } from "./leaf_topology.ts";
import { leafLink, type StationPlaces } from "./leaf_paths.ts";
import { leafPeer, type LeafReport } from "./plan_schema.ts";
import { leafInterface } from "./network.ts";
import { publicKeyOf } from "../wireguard/keys.ts";
import type { LeafRouter } from "./schema.ts";
import { meshTunnels } from "./tunnels.ts";
import { leafOf, putLeaf } from "./rules.ts";
import type { LeafState } from "./status_schema.ts";
import type { Tunnels } from "../wireguard/tunnels/tunnels.ts";
import { compareVersions } from "./versions.ts";

/** Seconds by which two clocks may differ without a notice. */
const CLOCK_TOLERANCE = 120;
/** Contacts in a row that must fail before there is a notice: a leaf that restarts is away for a while. */
const FAILURES_BEFORE_NOTICE = 3;

/** Notices of a leaf that one contact publishes at most. */
const MAX_NEW_NOTICES = 10;

/** Kinds of the notices of a leaf. */
const NOTICES: readonly string[] = [
  ...["mesh-leaf", "mesh-version", "mesh-clock", "mesh-notice", "mesh-link", "mesh-key"],
];

const CALLER: Caller = { by: "mesh", from: null, connection: null };

/** What {@link Leaves} needs. */
export interface LeavesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "change" | "observe" | "observed">;
  readonly bus: Pick<Bus, "publish">;
  readonly notices: NoticeBoard;
  readonly places: StationPlaces;
  /** The tunnels of the process `wireguard`. */
  readonly tunnels: Pick<Tunnels, "find" | "isOnline">;
  /** Our version, `v0.3.0`. */
  readonly version: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

interface Known {
  readonly report: LeafReport;
  /** It is a router of the existing API, as it last said; null where it never did. */
  readonly plain: boolean | null;
  readonly air: LeafAir;
  readonly at: number;
  /** Contacts in a row that failed. */
  readonly failures: number;
}

/** The leaf routers of this parent, as the process `mesh` last met them. In memory only. */
export class Leaves {
  readonly #deps: LeavesDeps;
  readonly #known = new Map<string, Known>();
  /** The text of each notice, by kind and leaf; null where it was closed. */
  readonly #noticeTexts = new Map<string, string | null>();

  /** Keys of the notices that were open on a leaf when it last responded, by its address. */
  readonly #leafNotices = new Map<string, ReadonlySet<string>>();
  /** Why a leaf did not join, by its address. */
  readonly #joinProblems = new Map<string, string>();

  constructor(deps: LeavesDeps) {
    this.#deps = deps;
  }

  /**
   * Radios and stations of a leaf that responds; null for any other. Without stations that have joined
   * another router, of which the leaf may not know yet.
   */
  air(address: string): LeafAir | null {
    const known = this.#known.get(address);
    if (known === undefined || !isReached(known.report)) return null;
    const { engine, places } = this.#deps;
    const isHere = ({ MAC }: LeafStation): boolean => {
      const place = places.find(identityOfMac(engine.config, MAC));
      return place === null || place.router === address;
    };
    return { ...known.air, stations: known.air.stations.filter(isHere) };
  }

  /** Addresses of the leaves that listed a station when they were met. */
  listing(mac: string): readonly string[] {
    return [...this.#known].filter(([, { air }]) => air.stations.some(({ MAC }) => MAC === mac))
      .map(([address]) => address);
  }

  /** The topology that a leaf sent last; null where it does not respond. */
  topology(address: string): Record<string, unknown> | null {
    const known = this.#known.get(address);
    const topology = known?.report.Topology;
    return known !== undefined && isReached(known.report) && isRecord(topology) ? topology : null;
  }

  /** Notes why a leaf did not join when it was added; "" where it did, or tries again. */
  joined(address: string, problem: string): void {
    if (problem === "") this.#joinProblems.delete(address);
    else this.#joinProblems.set(address, problem.slice(0, 1000));
  }

  /** What is wrong with a leaf: where it has not joined, what it said then. */
  #problemOf({ IP, Status, Problem }: Pick<LeafReport, "IP" | "Status" | "Problem">): string {
    return Status === "notLeaf" ? this.#joinProblems.get(IP) ?? Problem : Problem;
  }

  /** The state of each leaf, without its fingerprint. */
  list(): readonly Omit<LeafState, "Fingerprint">[] {
    const { engine, version } = this.#deps;
    const { mesh, devices } = engine.config;
    const names = new Map(
      Object.values(devices).map(({ RecentIP, Name, MAC }) => [RecentIP, Name || MAC]),
    );
    return mesh.LeafRouters.map((leaf) => {
      const { IP, Link } = leaf;
      const known = this.#known.get(IP);
      const report = known?.report;
      const Version = report?.Version ?? "", Plain = known?.plain ?? leaf.Plain ?? false;
      return {
        IP,
        Name: names.get(IP) ?? "",
        Status: report?.Status ?? "connecting",
        Problem: report === undefined ? "" : this.#problemOf(report),
        Version,
        Relation: Plain ? "unknown" as const : compareVersions(version(), Version),
        Plain,
        ClockAhead: report?.ClockAhead ?? null,
        Devices: report?.Devices ?? 0,
        Notices: report?.Notices.map(({ Text }) => Text) ?? [],
        Stations: [...this.air(IP)?.stations ?? []],
        Link: Link === null ? null : {
          ...{ Kind: Link.Kind, Interface: leafInterface(leaf)! },
          ...this.#linkState(leaf, report),
        },
        ContactAt: known?.at ?? 0,
      };
    });
  }

  /** How the link to a leaf is, by the last contact, and by its tunnel where it has one. */
  #linkState(
    leaf: LeafRouter,
    report: LeafReport | undefined,
  ): { readonly State: NonNullable<LeafState["Link"]>["State"]; readonly Problem: string } {
    const { tunnels, engine } = this.#deps;
    const tunnel = meshTunnels(engine.config.mesh).find(({ outer }) => outer === leaf.IP);
    const Problem = tunnel === undefined ? "" : tunnels.find(tunnel.interface)?.problem ?? "";
    if (report === undefined) return { State: "waiting", Problem };
    if (!isReached(report)) return { State: "away", Problem };
    const isReady = report.Linked === true &&
      (tunnel === undefined || tunnels.isOnline(tunnel.interface, tunnel.peerKey));
    return { State: isReady ? "connected" : "waiting", Problem };
  }

  /** Takes what a contact gave: notices, a renewed certificate, and where stations are. */
  async take(report: LeafReport): Promise<void> {
    const { engine, bus, now } = this.#deps;
    const leaf = leafOf(engine.config.mesh, report.IP);
    if (leaf === null) {
      this.#known.delete(report.IP);
      return;
    }
    const before = this.#known.get(report.IP);
    const failures = report.Status === "synced" ? 0 : (before?.failures ?? 0) + 1;
    const air = leafAir(report.Topology);
    const plain = report.Plain ?? before?.plain ?? null;
    this.#known.set(report.IP, { report, plain, air, at: now(), failures });
    if (report.Certificate !== "") await this.#renewed(report);
    if (report.Keys !== null) await this.#keyed(report);
    if (report.Linked === false && leaf.Link !== null) await this.#unlinked(report);
    if (report.Linked === true) await this.#setNotice("mesh-link", report.IP, null);
    if (
      before?.report.Status !== report.Status || before.report.Version !== report.Version ||
      before.report.Problem !== report.Problem || before.report.Linked !== report.Linked ||
      !sameStations(before.air, air)
    ) bus.publish("mesh:leaf", { IP: report.IP, Status: report.Status, Version: report.Version });
    if (isReached(report)) {
      this.#joinProblems.delete(report.IP);
      this.#publishNotices(report);
      await this.#locate(report.IP, air);
    }
    const Plain = plain ?? leaf.Plain ?? null;
    await this.#note({ ...report, Plain, Problem: this.#problemOf(report) }, failures);
  }

  /** Publishes each notice that a leaf has had since the last contact; those of the first are known already. */
  #publishNotices({ IP, Notices }: Pick<LeafReport, "IP" | "Notices">): void {
    const before = this.#leafNotices.get(IP);
    this.#leafNotices.set(IP, new Set(Notices.map(({ Key }) => Key)));
    if (before === undefined) return;
    const opened = Notices.filter(({ Key }) => !before.has(Key)).slice(0, MAX_NEW_NOTICES);
    for (const { Text } of opened) this.#deps.bus.publish("mesh:notice", { IP, Text });
  }

  /** Forgets a leaf that was removed, and closes its notices. */
  async forget(address: string): Promise<void> {
    this.#known.delete(address);
    this.#joinProblems.delete(address);
    this.#leafNotices.delete(address);
    for (const kind of NOTICES) {
      await this.#setNotice(kind, address, null);
      this.#noticeTexts.delete(`${kind} ${address}`);
    }
  }

  /** Nothing where the leaf got another token or certificate since it was met: the old token proves no more. */
  async #renewed({ IP, Certificate: TLSCA, Met }: LeafReport): Promise<void> {
    await this.#deps.engine.change({
      kind: "mesh.leaf-certificate",
      summary: `Automatic: the leaf router ${IP} has a new certificate, proven by its token`,
      reduce: (config) => {
        const today = leafOf(config.mesh, IP);
        if (today === null || leafDigest(leafPeer(today)) !== Met) return [config, undefined];
        return putLeaf(config, { ...today, TLSCA });
      },
    }, { caller: CALLER, observation: true });
  }

  /**
   * Takes the public key of a leaf that has it for the current key of this router. A leaf that lost its key
   * may replace it once: one that shows another at each contact would make a change each time.
   */
  async #keyed({ IP, Keys, Met }: LeafReport): Promise<void> {
    const keyed = ({ mesh }: Pick<Config, "mesh">): LeafRouter | null => {
      const today = leafOf(mesh, IP);
      const isNews = today !== null && today.Link?.Kind === "wireguard" &&
        leafDigest(leafPeer(today)) === Met && today.PeerKey !== Keys!.Leaf &&
        today.TunnelKey !== "" &&
        publicKeyOf(today.TunnelKey) === Keys!.Parent;
      if (!isNews) return null;
      const KeyReplaced = today.KeyReplaced || today.PeerKey !== "";
      return { ...today, PeerKey: Keys!.Leaf, KeyReplaced };
    };
    const { mesh } = this.#deps.engine.config;
    const known = leafOf(mesh, IP);
    if (keyed({ mesh }) === null) {
      if (known?.PeerKey === Keys!.Leaf) await this.#setNotice("mesh-key", IP, null);
      return;
    }
    if (known?.KeyReplaced) {
      return await this.#setNotice(
        "mesh-key",
        IP,
        `The leaf router ${IP} has replaced its key for its encrypted link more than once. The last one ` +
          "is not taken, so that its clients may have no connection. Add it again",
      );
    }
    await this.#deps.engine.change({
      kind: "mesh.leaf-key",
      summary: `Automatic: the leaf router ${IP} has a new key for its encrypted link`,
      reduce: (config) => {
        const leaf = keyed(config);
        return leaf === null || leafOf(config.mesh, IP)!.KeyReplaced
          ? [config, undefined]
          : putLeaf(config, leaf);
      },
    }, { caller: CALLER, observation: true });
  }

  /** Clients of a leaf that has no VXLAN stay on its own network; those of other routers notice nothing. */
  async #unlinked({ IP, Met }: LeafReport): Promise<void> {
    const isMet = ({ mesh }: Config): boolean => {
      const today = leafOf(mesh, IP);
      return today !== null && leafDigest(leafPeer(today)) === Met;
    };
    if (!isMet(this.#deps.engine.config)) return;
    await this.#deps.engine.change({
      kind: "mesh.leaf-link",
      summary: `Automatic: the leaf router ${IP} keeps a network of its own`,
      reduce: (config) =>
        isMet(config)
          ? putLeaf(config, {
            ...leafOf(config.mesh, IP)!,
            ...{ Link: null, TunnelKey: "", PeerKey: "", KeyReplaced: false },
          })
          : [config, undefined],
    }, { caller: CALLER, observation: true });
    await this.#setNotice(
      "mesh-link",
      IP,
      `The leaf router ${IP} cannot connect its clients to this network: its kernel has no VXLAN, its ` +
        "process wireguard does not run, or it runs an earlier version. It keeps a network of its own. " +
        "Change that, then add it again",
    );
  }

  /**
   * Puts stations of a leaf on the interface that leads to it, where nobody has seen them elsewhere: what
   * was reported while this router was away is known from the leaf's own list.
   */
  async #locate(address: string, { stations }: LeafAir): Promise<void> {
    const { engine, places, now } = this.#deps;
    const { config } = engine;
    const link = leafLink(config, engine.observed, address);
    if (link === null) return;
    const fresh = stations.map(({ MAC }) => identityOfMac(config, MAC)).filter((identity) => {
      const seen = engine.observed.devices[identity];
      if (!Object.hasOwn(config.devices, identity)) return false;
      return seen === undefined || !seen.online || places.of(identity) === "" && seen.link === null;
    });
    if (fresh.length === 0) return;
    const at = now();
    // Since when is not in the list: any report is newer.
    for (const identity of fresh) places.moved(identity, { router: address, since: -Infinity });
    await engine.observe((observed) =>
      fresh.reduce((all, identity) => sighted(all, { identity, at, link, online: true }), observed)
    );
  }

  async #note(
    { IP, Status, Problem, Version, ClockAhead, Notices, Plain }: LeafReport,
    failures: number,
  ): Promise<void> {
    const isWrong = Status === "untrusted" || Status === "refused" || Status === "notLeaf" ||
      failures >= FAILURES_BEFORE_NOTICE;
    if (Status === "synced") await this.#setNotice("mesh-leaf", IP, null);
    else if (isWrong) {
      await this.#setNotice("mesh-leaf", IP, `The leaf router ${IP}: ${Problem || Status}`);
    }
    if (!isReached({ Status })) return;
    const ours = this.#deps.version();
    // Versions of existing routers have numbers of their own.
    const differs = Version !== "" && !Plain && compareVersions(ours, Version) !== "same";
    await this.#setNotice(
      "mesh-version",
      IP,
      differs
        ? `The leaf router ${IP} runs ${Version}, this router ${ours}. They go on working together; ` +
          "update the older one"
        : null,
    );
    const isOff = ClockAhead !== null && Math.abs(ClockAhead) > CLOCK_TOLERANCE;
    const minutes = Math.round(Math.abs(ClockAhead ?? 0) / 60);
    await this.#setNotice(
      "mesh-clock",
      IP,
      isOff
        ? `The clock of the leaf router ${IP} is ${minutes} minutes ` +
          `${ClockAhead > 0 ? "ahead of" : "behind"} this router's`
        : null,
    );
    await this.#setNotice(
      "mesh-notice",
      IP,
      Notices.length === 0
        ? null
        : `The leaf router ${IP} reports: ${Notices.map(({ Text }) => Text).join("; ")}`,
    );
  }

  /**
   * Opens a notice of a leaf, or closes it where there is nothing to say. A contact that finds what the last
   * one found says nothing: there is one every few seconds.
   */
  async #setNotice(kind: string, subject: string, text: string | null): Promise<void> {
    const key = `${kind} ${subject}`;
    if (this.#noticeTexts.get(key) === text) return;
    this.#noticeTexts.set(key, text);
    if (text === null) await this.#deps.notices.settle(kind, subject);
    else await this.#deps.notices.open(kind, text.slice(0, 2000), { subject });
  }
}

function isReached({ Status }: Pick<LeafReport, "Status">): boolean {
  return Status === "synced" || Status === "behind";
}

function sameStations(a: LeafAir, b: LeafAir): boolean {
  const key = ({ stations }: LeafAir) => stations.map(({ MAC, Iface }) => `${MAC} ${Iface}`).join();
  return key(a) === key(b);
}
