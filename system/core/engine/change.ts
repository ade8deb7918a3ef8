import type { Packet, PacketTrace } from "../kernel/ruleset.ts";
import type { Desired } from "../kernel/desired.ts";
import type { Facts, HookFact } from "../kernel/facts.ts";
import type { Finding } from "../kernel/host.ts";
import type { KernelPlan } from "../kernel/plan.ts";

/** Who asks for a change, for the record and for the lock-out guard. */
export interface Caller {
  /** `admin`, `token:<name>`, `file`, `timer`, `dhcp`, `wifi`, `wireguard`, `expiry`, … */
  readonly by: string;
  /** Address that the request came from; null inside the machine. */
  readonly from: string | null;
  /** The caller's own TCP connection to the router; null where there is nothing to lock out. */
  readonly connection: {
    readonly source: string;
    readonly destination: string;
    readonly port: number;
  } | null;
}

/** A decision to take: pure, so that it can be previewed, batched, retried and undone. */
export interface Command<C, R = void> {
  /** `device.update`, `group.delete`, … */
  readonly kind: string;
  /** One sentence for the history, without secrets: `Give Kids' tablet the Internet`. */
  readonly summary: string;
  /** Next configuration and the answer; throws Problem. Returns the same object when nothing changes. */
  readonly reduce: (config: C) => readonly [C, R];
  /** The same in small steps, where it may take long. */
  readonly reduceSteps?: (config: C) => Generator<void, readonly [C, R]>;
  /** What a preview says of it beside what follows from the configuration, one sentence each. */
  effects?(result: R): readonly string[];
  /**
   * Secrets that the caller sent, in clear or as those of another entry: recorded as changed whatever they
   * are, or who may not read them would learn that a guess is right. Seen from the next configuration.
   */
  readonly secrets?: (config: C) => readonly SecretPath[];
  /** Where it brings entries back: the configuration that they come from, seen from this one. */
  readonly past?: (config: C) => Past<C>;
}

/** Where a secret is: segments below the document, elements of arrays by their key. */
export interface SecretPath {
  readonly document: string;
  readonly path: readonly string[];
}

/** A value of a configuration at the time from which a change brings entries back. */
export type Past<C> = <K extends keyof C & string>(document: K) => C[K];

/** A change that a command decided, before what follows from it. */
export interface ChangeContext<C> {
  readonly before: C;
  readonly after: C;
  /** Where it brings entries back, as an undo does: the configuration that they come from. */
  readonly past: Past<C> | null;
}

/** What follows from a change in the same transaction. */
export interface Consequences<C> {
  readonly config: C;
  /** One sentence each, for the preview. */
  readonly effects: readonly string[];
}

/** Computes what follows from a change in other parts of the configuration. Pure; never throws. */
export type Follow<C> = (change: ChangeContext<C>) => Consequences<C>;

/** A change, as its effects outside the kernel are computed from. */
export interface EffectContext<C> {
  readonly before: C;
  readonly after: C;
  /** Where devices were seen. */
  readonly observed: Observations;
  /** What it sets. A secret that was sent is among it, whatever it is: compare no secrets. */
  readonly patch: readonly PatchEntry[];
}

/**
 * What a preview says that a change does, one sentence each. Pure. Where it takes a while, it yields
 * undefined after each small step, so that others have their turn.
 */
export type Effects<C> = (change: EffectContext<C>) => Iterable<string | undefined>;

/** How a change is requested. */
export interface ChangeOptions {
  readonly caller: Caller;
  /** Seconds (10–600) after which it undoes itself unless confirmed. */
  readonly confirmWithin?: number;
  /** Passes the lock-out guard. */
  readonly force?: boolean;
  /**
   * Throws (412) unless it holds. Called in the queue with the entity tags of the configuration that
   * the command is about to be reduced on, so that two writes in one batch cannot both pass.
   */
  readonly precondition?: (etagOf: (document: string) => string) => void;
  /** Made by the world, not by a person: passes while a confirm window is open, is no part of it. */
  readonly observation?: boolean;
  /** Ends a preview whose caller is gone; a change is taken all the same. */
  readonly signal?: AbortSignal;
  /** Change of what was observed, active together with the configuration. */
  readonly observe?: (observed: Observations) => Observations;
}

/** What came of a change. */
export interface Outcome<R> {
  readonly result: R;
  /** Null when the command changed nothing. */
  readonly id: string | null;
  /** True when it is answered before it is applied, because it changes the way to its caller. */
  readonly early?: boolean;
  /**
   * Entity tag of a document as this change left it; one that was decided after it may have moved
   * the document on already.
   */
  readonly etagOf?: (document: string) => string;
  /** Present when it stands under a confirm window. `token` is shown once. */
  readonly confirm?: {
    readonly token: string;
    readonly until: number;
    /** The router's own addresses while it stands, to confirm it from. */
    readonly addresses: readonly string[];
  };
}

/** One changed value of a configuration. Absent `before`: added; absent `after`: removed. */
export interface PatchEntry {
  /** Name of the document, for example `devices`. */
  readonly document: string;
  /** Segments below the document; array elements by their key. */
  readonly path: readonly string[];
  readonly before?: unknown;
  readonly after?: unknown;
  /** Position of an array element, so that undo puts it back where it was. */
  readonly index?: number;
}

/** One answer to "can A reach B" that a change would flip. */
export interface AccessChange {
  /** Device identity, or `internet`, `router`. */
  readonly from: string;
  readonly to: string;
  /** `all`, or such as `tcp 443`. */
  readonly traffic: string;
  /** The words of the deciding rule. */
  readonly reason: string;
}

/** What a change would do, before anything moves. Secrets are masked. */
export interface Preview {
  readonly config: readonly PatchEntry[];
  /** What else follows from it, one sentence each: `Port forward Web is deleted with nas`. */
  readonly effects: readonly string[];
  /** Kernel changes, one line each, in nft and ip words. */
  readonly system: readonly string[];
  /** The router's own addresses once it is active. */
  readonly addresses: readonly string[];
  /** What this machine lacks, where its network is applied for the first time with it; else null. */
  readonly firstApply: MissingPackages | null;
  readonly reach: {
    readonly allowed: readonly AccessChange[];
    readonly denied: readonly AccessChange[];
    /** Flips beyond those listed (200 at most are listed). */
    readonly more: number;
    /** The caller's own connection before and after; null when there is none to judge. */
    readonly own: { readonly before: PacketTrace; readonly after: PacketTrace } | null;
  };
  /**
   * What would refuse it as requested; empty where it would be accepted. All but an open window
   * let it pass under a window of its own, or by force.
   */
  readonly refusals: readonly Refusal[];
}

/** The Debian packages that this machine lacks to have its network applied. */
export interface MissingPackages {
  readonly items: readonly {
    readonly name: string;
    /** Null: nobody knows. */
    readonly installed: boolean | null;
    readonly neededBy: readonly { readonly process: string; readonly why: string }[];
  }[];
  /** They are installed first. */
  readonly installs: boolean;
}

/** Why a change would be refused, as its 409 would say it. */
export interface Refusal {
  /**
   * `window`: another change waits to be confirmed. `lockout`: the caller's own connection ends.
   * `path`: the caller's own way to the router changes. `guard`: a promise would be broken, such as a
   * test of reach or the last way to sign in.
   */
  readonly kind: "window" | "guard" | "lockout" | "path";
  readonly detail: string;
  /** The further members of the problem document, such as the deciding rule. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** What is seen of one device; no decision, so no revision. Times are unix milliseconds, 0 never. */
export interface DeviceObservation {
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** Interface of its last DHCP request or association; null when none. */
  readonly link: string | null;
  /** Associated or holding a lease now. */
  readonly online: boolean;
  /** What it calls itself in DHCP (option 61); absent for a device that never said. */
  readonly clientId?: string;
}

/** What an uplink's DHCP server or PPP peer gave the router. */
export interface UplinkLease {
  /** With its prefix. */
  readonly address: string;
  /** Null: whatever is sent on the link arrives. */
  readonly router: string | null;
  readonly dns: readonly string[];
  /** Domains in which its names are looked up (RFC 3397); absent for none. */
  readonly search?: readonly string[];
  /** Networks behind the uplink (RFC 3442), null for those on the link itself; absent for none. */
  readonly routes?: readonly { readonly destination: string; readonly via: string | null }[];
  /** Bytes of a packet; null where nothing was said. */
  readonly mtu: number | null;
  /** Unix milliseconds at which it ends; null never. */
  readonly until: number | null;
}

/** What is seen of one uplink. */
export interface UplinkObservation {
  readonly lease: UplinkLease | null;
  /** Nothing comes back through it, though its cable is plugged in. */
  readonly down: boolean;
  /** Bytes of a packet that its link carried before a lease had its say; absent where none had. */
  readonly ownMtu?: number;
  /** Its routing table, and the mark of its connections; absent while it has none. */
  readonly table?: number;
}

/** What a VPN tunnel may hold: what was planned, until it is known to be gone. */
export interface TunnelObservation {
  /** The peers planned last, by a digest of their keys, with their addresses. */
  readonly peers: Readonly<Record<string, readonly string[]>>;
  /** Addresses of peers that were planned before, and may still be in the tunnel. */
  readonly revoked: readonly string[];
}

/** A group whose schedule withholds the access of its members now. */
export interface ClosedGroupObservation {
  /** Unix milliseconds at which it opens. */
  readonly until: number;
  /** The same as people read it, in the router's time zone. */
  readonly opens: string;
}

/** What the world says of itself: devices by identity, uplinks and tunnels by the name of their link. */
export interface Observations {
  readonly devices: Readonly<Record<string, DeviceObservation>>;
  readonly uplinks?: Readonly<Record<string, UplinkObservation>>;
  readonly tunnels?: Readonly<Record<string, TunnelObservation>>;
  /** What the clock says of schedules: closed groups by name; absent where none is. */
  readonly closedGroups?: Readonly<Record<string, ClosedGroupObservation>>;
}

/** The pure functions that turn a configuration into a kernel state; one set for every host. */
export interface Planner<C> {
  desire(config: C, observed: Observations, facts: Facts): Desired;
  /** The same in small steps; absent where it takes no time worth it. */
  desireSteps?(config: C, observed: Observations, facts: Facts): Generator<void, Desired>;
  /**
   * What was observed, with what the clock says of this configuration now; the same object where nothing
   * is another.
   */
  timed?(config: C, observed: Observations): Observations;
  /**
   * What was observed, with what {@link Planner.desire} chose for this configuration and must choose
   * again whatever is decided later; the same object where nothing is another.
   */
  settle?(config: C, observed: Observations): Observations;
  /** Plan from one desired state to another; both were computed by {@link Planner.desire}. */
  diff(before: Desired, after: Desired): KernelPlan;
  /**
   * What each of several changes does in the plan of them all, which is what {@link Planner.diff} gives
   * for it alone; null where that cannot be told from the plan.
   */
  shares?(
    plan: KernelPlan,
    patches: readonly (readonly PatchEntry[])[],
  ): readonly KernelPlan[] | null;
  /** Plan from whatever the kernel holds to the desired state: loads our tables whole. */
  reconcile(desired: Desired, facts: Facts): KernelPlan;
  /** How links, addresses, routes, neighbours and forwarding differ from the state. */
  drift(desired: Desired, facts: Facts): readonly Finding[];
  /** Plan that takes what is ours out of the kernel and leaves the rest. */
  release(config: C, facts: Facts): KernelPlan;
  /** What becomes of a packet in this state. */
  trace(desired: Desired, packet: Packet): PacketTrace;
  /**
   * The same object as long as {@link Planner.trace} depends on nothing but its arguments, and never
   * an earlier one; absent: always.
   */
  readonly traceBasis?: () => object | null;
  /** The packet that opens a connection as `desired` would see it: links by its routes, MAC address by its neighbours. */
  firstPacket(desired: Desired, flow: PacketQuery): Packet;
  /**
   * Answers that flip between two states, computed over what differs between them, in small steps: see
   * {@link import("../time/slices.ts").inSlices}.
   */
  accessChangeSteps(change: AccessChangeStates<C>): Generator<void, AccessChanges>;
  /** A plan in nft and ip words, for people. */
  describe(plan: KernelPlan): readonly string[];
}

/** Two states with the configurations that they come from. */
export interface AccessChangeStates<C> {
  readonly before: Desired;
  readonly after: Desired;
  readonly config: C;
  readonly next: C;
  /** Where devices were seen; absent where that is not looked at. */
  readonly observed?: Observations;
}

/** Connections that flip; `more` counts those beyond the listed ones. */
export type AccessChanges = Pick<Preview["reach"], "allowed" | "denied" | "more">;

/** A connection to judge: its two ends and what it carries. */
export interface PacketQuery {
  readonly source: string;
  readonly destination: string;
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly sport?: number;
  readonly dport?: number;
  /** Interface it is known to arrive on; found from the routes when absent. */
  readonly iif?: string;
}

/** How far the kernel follows the configuration. */
export interface NetworkState {
  /**
   * `model`: nothing is applied. `blocked`: a table of ours belongs to someone else. `broken`: neither
   * old nor new state stands. `released`: an administrator took ours out until it is applied again.
   */
  readonly state: "applied" | "model" | "blocked" | "broken" | "released";
  /** What is the matter, for people; null when nothing is. */
  readonly detail: string | null;
}

/** What is known of the kernel beside its {@link NetworkState}. */
export interface NetworkFindings {
  /** What differs from the state that should stand; empty unless that is `applied` or `model`. */
  readonly drift: readonly Finding[];
  /** Chains of others that can drop, accept or translate our traffic. */
  readonly foreign: readonly HookFact[];
}

/** The only writer of the configuration and the kernel, as routes and services use it. */
export interface ChangeEngine<C> {
  readonly config: C;
  readonly observed: Observations;
  readonly desired: Desired;
  readonly planner: Planner<C>;
  readonly network: NetworkState;
  /** Entity tag of one document, with its quotes (RFC 9110 8.8.3); observations do not count. */
  etag(document: keyof C & string): string;
  /** Does in small steps what {@link etag} takes long for where a document is large. */
  prepareTag(document: keyof C & string): Generator<void, void>;
  /** How often secrets of a document, or of an entry of it, were set: for a tag that does not tell them. */
  secretVersion(value: object): number;
  /** Decides, applies, and answers once the change is durable and active. Throws Problem. */
  change<R>(command: Command<C, R>, options: ChangeOptions): Promise<Outcome<R>>;
  /** What {@link change} would do; nothing moves. */
  preview<R>(command: Command<C, R>, options: ChangeOptions): Promise<Preview>;
  /** Takes in what was seen; brings the kernel in line where that moves a device. No revision. */
  observe(update: (observed: Observations) => Observations): Promise<void>;
  /** Waits until a link that came back under its name has its addresses and routes again. */
  followLink(link: string): Promise<void>;
}
