import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { Caller, ChangeEngine, Command, Observations } from "../../core/engine/change.ts";
import { formatIpv4 } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import { identityOfMac } from "../../devices/mac_owner.ts";
import { canonicalIdentity } from "../../devices/identity.ts";
import { sighted } from "../../devices/observation.ts";
import {
  CandidateTaken,
  dhcpAnswer,
  exhausted,
  freeAddress,
  hostName,
  isFree,
  lease,
  type Leased,
  leasedAddress,
  recordLease,
  validAddress,
} from "./lease_rules.ts";
import { poolUse } from "./pool_use.ts";
import { LeaseNotices, type LeaseNoticesDeps } from "./lease_notices.ts";
import {
  admissionLimitOf,
  UnknownDevices,
  withUnknownPools,
} from "../admission/unknown_devices.ts";
import type { AddressSearch, Offers } from "../server/offers.ts";
import type { Reservations } from "./reservations.ts";
import {
  type AbstractDhcpRequest,
  ClientIdentifier,
  type DhcpAnswer,
  type DhcpRequest,
  type DhcpUpdate,
} from "../schema.ts";
import type { DuplicateMac, ForeignSender } from "../api_schema.ts";

/** Attempts to reserve an address that other clients take first, before the client has to retry. */
const MAX_ATTEMPTS = 8;

/** Dependencies of {@link createLeases}. */
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
  /** A client requests an address; `wanted` is its preference, "" for any. */
  request(request: DhcpRequest, wanted?: string): Promise<DhcpAnswer>;
  /** The address that a client would get, reserved for a while; the configuration does not change. */
  offer(request: AddressRequest): Promise<DhcpAnswer>;
  /** Reserves an address for a peer that is about to connect. */
  reserve(request: AbstractDhcpRequest): Promise<DhcpAnswer>;
  /** Records an address that a client was given elsewhere. */
  update(update: DhcpUpdate): Promise<void>;
  /** Reports a client that was refused since its MAC address still answers on another interface. */
  reportDuplicate(duplicate: DuplicateMac): Promise<void>;
  /** Reports a client whose messages come from another MAC address than they name. */
  reportForeignSender(sender: ForeignSender): Promise<void>;
}

/** A client's request for an offer. */
export interface AddressRequest {
  readonly mac: string;
  readonly link: string;
  readonly wanted: string;
}

const CALLER: Caller = { by: "dhcp", from: null, connection: null };

/** Makes the leases over an engine. */
export function createLeases(deps: LeasesDeps): Leases {
  const { engine, bus, reservations, offers, now, steady } = deps;
  const leaseNotices = new LeaseNotices(deps);
  const unknownDevices = new UnknownDevices();
  /** What the use of the pools was last computed from. */
  let measured: Partial<Pick<Config, "devices" | "dhcp">> = {};

  async function offer({ mac, link, wanted }: AddressRequest): Promise<DhcpAnswer> {
    const { config } = engine;
    const at = steady();
    const declined = offers.currentAddress(config, mac, at) === null;
    const candidate = declined
      ? findAddress({ mac, wanted, reserved: reservations.reservedByOthers(mac, at), now: at })
      : null;
    try {
      const refusal = refusalOn(link);
      const { address } = leasedAddress(config, {
        ...{ mac, link, name: "", candidate, declined: declined, refusal },
      });
      if (candidate !== null) offers.offer(mac, candidate, at);
      return dhcpAnswer(config, mac, address);
    } catch (error) {
      await reportRefusal(error, { MAC: mac, Iface: link });
      throw error instanceof CandidateTaken ? exhausted(config) : error;
    }
  }

  async function request(sent: DhcpRequest, wanted = ""): Promise<DhcpAnswer> {
    const name = hostName(sent.Name);
    bus.publish("dhcp:request", {
      MAC: sent.MAC,
      Identifier: hostName(sent.Identifier),
      Name: name,
      Iface: sent.Iface,
      ParamReqList: sent.ParamReqList.replaceAll(/[^\d,]/g, ""),
      VendorClass: hostName(sent.VendorClass),
    });
    for (let attempt = 1;; attempt++) {
      const declined = offers.currentAddress(engine.config, sent.MAC, steady()) === null;
      const candidate = declined ? reserveCandidate(sent.MAC, wanted) : null;
      try {
        const leased = await apply(sent, {
          kind: "dhcp.lease",
          summary: `Automatic: leased an address to ${name || sent.MAC}`,
          reduce: (config) =>
            recordAppearance(
              lease(config, {
                ...{ mac: sent.MAC, link: sent.Iface, name, candidate, declined: declined },
                refusal: refusalOn(sent.Iface),
              }),
              sent.Iface,
            ),
        });
        offers.end(sent.MAC);
        const answer = dhcpAnswer(engine.config, sent.MAC, leased.address);
        bus.publish("dhcp:response", answer);
        return answer;
      } catch (error) {
        if (error instanceof CandidateTaken && attempt < MAX_ATTEMPTS) continue;
        if (error instanceof CandidateTaken) throw busy();
        await reportRefusal(error, sent);
        throw error;
      } finally {
        if (candidate !== null) reservations.release(sent.MAC);
      }
    }
  }

  /** A free address for a client, of the pools that take one like it; null for none. */
  function findAddress(search: AddressSearch): number | null {
    const { config } = engine;
    const known = Object.hasOwn(config.devices, identityOfMac(config, search.mac));
    return offers.find(known ? config : withUnknownPools(config), search);
  }

  /** Decides whether an unknown device on an interface is refused. */
  function refusalOn(link: string): (config: Config) => Problem | null {
    const arrival = { link, now: now(), observed: engine.observed };
    return (config) => unknownDevices.refusal(config, arrival);
  }

  function recordAppearance(decided: [Config, Leased], link: string): [Config, Leased] {
    const [, { appeared, identity }] = decided;
    if (appeared) unknownDevices.add(identity, { link, now: now() });
    return decided;
  }

  /** Reserves a free address while the request is decided. */
  function reserveCandidate(mac: string, wanted: string): number | null {
    const reserved = reservations.reservedByOthers(mac, steady());
    const candidate = findAddress({ mac, wanted, reserved, now: steady() });
    if (candidate !== null) reservations.reserve(mac, candidate, steady());
    return candidate;
  }

  /** Publishes why a client gets no address. */
  async function reportRefusal(
    error: unknown,
    client: Pick<DhcpRequest, "MAC" | "Iface"> & Partial<DhcpRequest>,
  ): Promise<void> {
    if (!(error instanceof Problem)) return;
    const limit = admissionLimitOf(error);
    if (limit !== null) await leaseNotices.deviceLimited(client, { limit, message: error.message });
    else if (error.status === 409) await reportExhausted(client.MAC);
    if (error.status === 400) {
      publishSpoof({
        ...{ MAC: client.MAC, Iface: client.Iface, Reason: error.message },
        ...{ Identifier: hostName(client.Identifier ?? ""), Name: hostName(client.Name ?? "") },
      });
    }
  }

  function publishSpoof(spoof: {
    readonly MAC: string;
    readonly Iface: string;
    readonly Reason: string;
    readonly Identifier?: string;
    /** What the client calls itself; absent, or "": the name of the device. */
    readonly Name?: string;
  }): void {
    const { config } = engine;
    const Name = spoof.Name || (config.devices[identityOfMac(config, spoof.MAC)]?.Name ?? "");
    bus.publish("dhcp:spoof", { Identifier: "", ...spoof, Name });
  }

  async function reserve({ Identifier }: AbstractDhcpRequest): Promise<DhcpAnswer> {
    const { config } = engine;
    const identity = canonicalIdentity(Identifier) ?? Identifier;
    const device = Object.hasOwn(config.devices, identity)
      ? config.devices[identity]
      : Object.values(config.devices).find(({ WGPubKey }) => WGPubKey === Identifier);
    const kept = validAddress(config, device?.RecentIP ?? "");
    if (kept !== null) return dhcpAnswer(config, Identifier, kept);
    const taken = reservations.reservedByOthers(identity, steady());
    const promised = reservations.get(identity, steady());
    const free = promised !== null && !taken.includes(promised) && isFree(config, promised)
      ? promised
      : freeAddress(config, taken);
    if (free === null) {
      await reportExhausted(Identifier);
      throw exhausted(config);
    }
    reservations.reserve(identity, free, steady());
    return dhcpAnswer(config, Identifier, formatIpv4(free));
  }

  async function update(sent: DhcpUpdate): Promise<void> {
    const name = hostName(sent.Name);
    await apply(sent, {
      kind: "dhcp.record",
      summary: `Automatic: recorded the address of ${name || sent.MAC}`,
      reduce: (config) =>
        recordAppearance(
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
      const limit = error instanceof Problem ? admissionLimitOf(error) : null;
      if (limit !== null) await leaseNotices.deviceLimited(sent, { limit, message: error.message });
      throw error;
    });
  }

  async function reportDuplicate({ mac, link, claimed }: DuplicateMac): Promise<void> {
    const identity = identityOfMac(engine.config, mac);
    const device = engine.config.devices[identity];
    if (device === undefined || engine.observed.devices[identity]?.link !== link) return;
    publishSpoof({ MAC: mac, Iface: claimed, Reason: `The device is on ${link}` });
    await leaseNotices.refusedMove({
      identity,
      name: device.Name || identity,
      from: link,
      to: claimed,
    });
  }

  async function reportForeignSender({ mac, link }: ForeignSender): Promise<void> {
    const name = engine.config.devices[identityOfMac(engine.config, mac)]?.Name;
    publishSpoof({ MAC: mac, Iface: link, Reason: "The request came from another MAC address" });
    await leaseNotices.foreignSender({ mac, link, name: name || mac });
  }

  async function apply(
    { MAC: mac, Iface: link, Identifier }: Pick<DhcpRequest, "MAC" | "Iface"> & {
      readonly Identifier?: string;
    },
    command: Command<Config, Leased>,
  ): Promise<Leased> {
    const clientId = ClientIdentifier.safeParse(Identifier).data;
    const identity = identityOfMac(engine.config, mac);
    const at = now();
    const from = engine.observed.devices[identity]?.link;
    const observe = (observed: Observations): Observations =>
      sighted(observed, { identity, at, link, online: true, clientId });
    const outcome = await engine.change(command, { caller: CALLER, observation: true, observe });
    const { address, appeared } = outcome.result;
    bus.publish("leases", { kind: "dhcp", identity, ip: address, link, appeared });
    const { devices, dhcp } = engine.config;
    const changed = devices !== measured.devices || dhcp !== measured.dhcp;
    measured = { devices, dhcp };
    if (changed) await leaseNotices.poolUse(poolUse(engine.config));
    await leaseNotices.served(mac);
    if (appeared) await leaseNotices.deviceAdded(link);
    else if (from && from !== link) {
      const name = engine.config.devices[identity]?.Name || identity;
      await leaseNotices.moved({ identity, name, from, to: link });
    }
    return outcome.result;
  }

  async function reportExhausted(client: string): Promise<void> {
    const networks = engine.config.dhcp.TinyNets;
    bus.publish("dhcp:exhausted", { client, networks });
    await leaseNotices.exhausted(networks);
  }

  return { request, offer, reserve, update, reportDuplicate, reportForeignSender };
}

function busy(): Problem {
  return new Problem(503, "Too many requests at once; try again in a second", {
    headers: { "retry-after": "1" },
  });
}
