import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { Caller, ChangeEngine, Command, Observed } from "../../core/engine/change.ts";
import { formatIpv4 } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import { identityOfMac } from "../../devices/card.ts";
import { canonicalIdentity } from "../../devices/identity.ts";
import { sighted } from "../../devices/observation.ts";
import {
  CandidateTaken,
  exhausted,
  freeAddress,
  hostName,
  keptAddress,
  lease,
  leaseAnswer,
  type Leased,
  recordLease,
} from "./lease_rules.ts";
import { poolUse } from "./pool_use.ts";
import { LeaseNotices, type LeaseNoticesDeps } from "./lease_notices.ts";
import { heldBackBy, Newcomers, openTo } from "../admission/unknown_devices.ts";
import type { Offers, Seeker } from "../server/offers.ts";
import type { Reservations } from "./reservations.ts";
import {
  type AbstractDhcpRequest,
  ClientIdentifier,
  type DhcpAnswer,
  type DhcpRequest,
  type DhcpUpdate,
} from "../schema.ts";
import type { StillThere } from "../ask_schema.ts";

/** How often an address is set aside anew when others are quicker, before the caller has to wait. */
const ATTEMPTS = 8;

/** What leasing needs from outside. */
export interface LeasesDeps extends LeaseNoticesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed" | "change">;
  readonly bus: Pick<Bus, "publish">;
  readonly reservations: Reservations;
  readonly offers: Offers;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Leases and reservations, each through the engine. All throw Problem. */
export interface Leases {
  /** A client asks for its address; `wanted` is the one that it would like, "" for any. */
  request(request: DhcpRequest, wanted?: string): Promise<DhcpAnswer>;
  /** The address that a client would get, kept for it a while; nothing is decided. */
  offer(asker: Asker): Promise<DhcpAnswer>;
  /** An address is to be kept for a peer that is about to come. */
  reserve(request: AbstractDhcpRequest): Promise<DhcpAnswer>;
  /** A client was given an address elsewhere. */
  update(update: DhcpUpdate): Promise<void>;
  /** A client that has its address on another link now still answers on this one. */
  stillThere(found: StillThere): Promise<void>;
}

/** A client that looks for an address. */
export interface Asker {
  readonly mac: string;
  readonly link: string;
  readonly wanted: string;
}

const CALLER: Caller = { by: "dhcp", from: null, connection: null };

/** Makes the leases over an engine. */
export function createLeases(deps: LeasesDeps): Leases {
  const { engine, bus, reservations, offers, now, steady } = deps;
  const tell = new LeaseNotices(deps);
  const newcomers = new Newcomers();
  /** What the share of addresses in use was computed of last. */
  let counted: Partial<Pick<Config, "devices" | "dhcp">> = {};

  async function offer({ mac, link, wanted }: Asker): Promise<DhcpAnswer> {
    const { config } = engine;
    const at = steady();
    const renounced = offers.kept(config, mac, at) === null;
    const candidate = renounced
      ? find({ mac, wanted, reserved: reservations.taken(mac, at), now: at })
      : null;
    try {
      const refusal = refusalOn(link);
      const [, { address }] = lease(config, {
        ...{ mac, link, name: "", candidate, renounced, refusal },
      });
      if (candidate !== null) offers.hold(mac, candidate, at);
      return leaseAnswer(config, mac, address);
    } catch (error) {
      await explain(error, { MAC: mac, Iface: link });
      throw error instanceof CandidateTaken ? exhausted(config) : error;
    }
  }

  async function request(sent: DhcpRequest, wanted = ""): Promise<DhcpAnswer> {
    const name = hostName(sent.Name);
    const { Identifier } = sent;
    bus.publish("dhcp:request", {
      MAC: sent.MAC,
      Iface: sent.Iface,
      Name: name,
      ...(Identifier === "" ? {} : { Identifier: hostName(Identifier) }),
    });
    for (let attempt = 1;; attempt++) {
      const renounced = offers.kept(engine.config, sent.MAC, steady()) === null;
      const candidate = renounced ? setAside(sent.MAC, wanted) : null;
      try {
        const leased = await decide(sent, {
          kind: "dhcp.lease",
          summary: `Lease an address to ${name || sent.MAC}`,
          reduce: (config) =>
            admitted(
              lease(config, {
                ...{ mac: sent.MAC, link: sent.Iface, name, candidate, renounced },
                refusal: refusalOn(sent.Iface),
              }),
              sent.Iface,
            ),
        });
        offers.end(sent.MAC);
        const answer = leaseAnswer(engine.config, sent.MAC, leased.address);
        bus.publish("dhcp:response", answer);
        return answer;
      } catch (error) {
        if (error instanceof CandidateTaken && attempt < ATTEMPTS) continue;
        if (error instanceof CandidateTaken) throw busy();
        await explain(error, sent);
        throw error;
      } finally {
        if (candidate !== null) reservations.release(sent.MAC);
      }
    }
  }

  /** An address for a client, of the networks that are open to one like it; null for none. */
  function find(seeker: Seeker): number | null {
    const { config } = engine;
    const known = Object.hasOwn(config.devices, identityOfMac(config, seeker.mac));
    return offers.find(known ? config : openTo(config), seeker);
  }

  /** What would speak against a newcomer on a link. */
  function refusalOn(link: string): (config: Config) => Problem | null {
    const arrival = { link, now: now(), observed: engine.observed };
    return (config) => newcomers.refusal(config, arrival);
  }

  function admitted(decided: [Config, Leased], link: string): [Config, Leased] {
    const [, { appeared, identity }] = decided;
    if (appeared) newcomers.note(identity, { link, now: now() });
    return decided;
  }

  /** Sets a free address aside while the request is decided. */
  function setAside(mac: string, wanted: string): number | null {
    const reserved = reservations.taken(mac, steady());
    const candidate = find({ mac, wanted, reserved, now: steady() });
    if (candidate !== null) reservations.hold(mac, candidate, steady());
    return candidate;
  }

  /** Tells the world why a client gets no address. */
  async function explain(error: unknown, asker: Pick<DhcpRequest, "MAC" | "Iface">): Promise<void> {
    if (!(error instanceof Problem)) return;
    const by = heldBackBy(error);
    if (by !== null) await tell.heldBack(asker, { by, words: error.message });
    else if (error.status === 409) await reportExhausted(asker.MAC);
    if (error.status === 400) {
      bus.publish("dhcp:spoof", { MAC: asker.MAC, Iface: asker.Iface });
    }
  }

  async function reserve({ Identifier }: AbstractDhcpRequest): Promise<DhcpAnswer> {
    const { config } = engine;
    const identity = canonicalIdentity(Identifier) ?? Identifier;
    const device = Object.hasOwn(config.devices, identity)
      ? config.devices[identity]
      : Object.values(config.devices).find(({ WGPubKey }) => WGPubKey === Identifier);
    const kept = keptAddress(config, device?.RecentIP ?? "");
    if (kept !== null) return leaseAnswer(config, Identifier, kept);
    const taken = reservations.taken(identity, steady());
    const promised = reservations.of(identity, steady());
    const free = promised !== null && stillFree(config, promised, taken)
      ? promised
      : freeAddress(config, taken);
    if (free === null) {
      await reportExhausted(Identifier);
      throw exhausted(config);
    }
    reservations.hold(identity, free, steady());
    return leaseAnswer(config, Identifier, formatIpv4(free));
  }

  async function update(sent: DhcpUpdate): Promise<void> {
    const name = hostName(sent.Name);
    await decide(sent, {
      kind: "dhcp.record",
      summary: `Record the address of ${name || sent.MAC}`,
      reduce: (config) =>
        admitted(
          recordLease(config, {
            mac: sent.MAC,
            link: sent.Iface,
            name,
            ip: sent.IP,
            router: sent.Router,
            refusal: refusalOn(sent.Iface),
          }),
          sent.Iface,
        ),
    }).catch(async (error) => {
      const by = error instanceof Problem ? heldBackBy(error) : null;
      if (by !== null) await tell.heldBack(sent, { by, words: error.message });
      throw error;
    });
  }

  async function stillThere({ mac, link }: StillThere): Promise<void> {
    const identity = identityOfMac(engine.config, mac);
    const device = engine.config.devices[identity];
    const now = engine.observed.devices[identity]?.link ?? null;
    if (device === undefined || now === null || now === link) return;
    await tell.stillThere({ identity, name: device.Name || identity, from: link, to: now });
  }

  async function decide(
    { MAC: mac, Iface: link, Identifier }: Pick<DhcpRequest, "MAC" | "Iface"> & {
      readonly Identifier?: string;
    },
    command: Command<Config, Leased>,
  ): Promise<Leased> {
    const clientId = ClientIdentifier.safeParse(Identifier).data;
    const identity = identityOfMac(engine.config, mac);
    const at = now();
    const from = engine.observed.devices[identity]?.link;
    const observe = (observed: Observed): Observed =>
      sighted(observed, { identity, at, link, online: true, clientId });
    const outcome = await engine.change(command, { caller: CALLER, observation: true, observe });
    const { address, appeared } = outcome.result;
    bus.publish("leases", { kind: "dhcp", identity, ip: address, link, appeared });
    const { devices, dhcp } = engine.config;
    const changed = devices !== counted.devices || dhcp !== counted.dhcp;
    counted = { devices, dhcp };
    if (changed) await tell.use(poolUse(engine.config));
    if (appeared) await tell.found(link);
    else if (from && from !== link) {
      const name = engine.config.devices[identity]?.Name || identity;
      await tell.moved({ identity, name, from, to: link });
    }
    return outcome.result;
  }

  async function reportExhausted(asker: string): Promise<void> {
    const networks = engine.config.dhcp.TinyNets;
    bus.publish("dhcp:exhausted", { asker, networks });
    await tell.exhausted(networks);
  }

  return { request, offer, reserve, update, stillThere };
}

function stillFree(config: Config, address: number, taken: readonly number[]): boolean {
  const text = formatIpv4(address);
  return !taken.includes(address) && keptAddress(config, text) !== null &&
    Object.values(config.devices).every(({ RecentIP }) => RecentIP !== text);
}

function busy(): Problem {
  return new Problem(503, "Too many clients ask at once; ask again", {
    headers: { "retry-after": "1" },
  });
}
