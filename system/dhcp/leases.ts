import type { Config } from "../config.ts";
import type { Bus } from "../core/bus.ts";
import type { Caller, ChangeEngine, Command, Observed } from "../core/change.ts";
import { formatIpv4 } from "../core/net.ts";
import { Problem } from "../core/problem.ts";
import { identityOfMac } from "../devices/card.ts";
import { canonicalIdentity } from "../devices/identity.ts";
import { sighted } from "../devices/observation.ts";
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
import { LeaseNotices, type LeaseNoticesDeps } from "./lease_notices.ts";
import type { Reservations } from "./reservations.ts";
import type { AbstractDhcpRequest, DhcpAnswer, DhcpRequest, DhcpUpdate } from "./schema.ts";

/** How often an address is set aside anew when others are quicker, before the caller has to wait. */
const ATTEMPTS = 8;

/** What leasing needs from outside. */
export interface LeasesDeps extends LeaseNoticesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "observed" | "change">;
  readonly bus: Pick<Bus, "publish">;
  readonly reservations: Reservations;
}

/** Leases and reservations, each through the engine. All throw Problem. */
export interface Leases {
  /** A client asks for its address. */
  request(request: DhcpRequest): Promise<DhcpAnswer>;
  /** An address is to be kept for a peer that is about to come. */
  reserve(request: AbstractDhcpRequest): Promise<DhcpAnswer>;
  /** A client was given an address elsewhere. */
  update(update: DhcpUpdate): Promise<void>;
}

const CALLER: Caller = { by: "dhcp", from: null, connection: null };

/** Makes the leases over an engine. */
export function createLeases(deps: LeasesDeps): Leases {
  const { engine, bus, reservations, now } = deps;
  const tell = new LeaseNotices(deps);

  async function request(sent: DhcpRequest): Promise<DhcpAnswer> {
    const name = hostName(sent.Name);
    bus.publish("dhcp:request", { MAC: sent.MAC, Iface: sent.Iface, Name: name });
    for (let attempt = 1;; attempt++) {
      const candidate = setAside(sent.MAC);
      try {
        const leased = await decide(sent.MAC, sent.Iface, {
          kind: "dhcp.lease",
          summary: `Lease an address to ${name || sent.MAC}`,
          reduce: (config) => lease(config, { mac: sent.MAC, link: sent.Iface, name, candidate }),
        });
        const answer = leaseAnswer(engine.config, sent.MAC, leased.address);
        bus.publish("dhcp:response", answer);
        return answer;
      } catch (error) {
        if (error instanceof CandidateTaken && attempt < ATTEMPTS) continue;
        if (error instanceof CandidateTaken) throw busy();
        if (error instanceof Problem && error.status === 409) await reportExhausted(sent.MAC);
        if (error instanceof Problem && error.status === 400) {
          bus.publish("dhcp:spoof", { MAC: sent.MAC, Iface: sent.Iface });
        }
        throw error;
      } finally {
        if (candidate !== null) reservations.release(sent.MAC);
      }
    }
  }

  /** Sets a free address aside while the request is decided; null where the device keeps its own. */
  function setAside(mac: string): number | null {
    const known = engine.config.devices[identityOfMac(engine.config, mac)];
    if (known !== undefined && keptAddress(engine.config, known.RecentIP) !== null) return null;
    const candidate = freeAddress(engine.config, reservations.taken(mac, now()));
    if (candidate !== null) reservations.hold(mac, candidate, now());
    return candidate;
  }

  async function reserve({ Identifier }: AbstractDhcpRequest): Promise<DhcpAnswer> {
    const { config } = engine;
    const identity = canonicalIdentity(Identifier) ?? Identifier;
    const device = Object.hasOwn(config.devices, identity)
      ? config.devices[identity]
      : Object.values(config.devices).find(({ WGPubKey }) => WGPubKey === Identifier);
    const kept = keptAddress(config, device?.RecentIP ?? "");
    if (kept !== null) return leaseAnswer(config, Identifier, kept);
    const taken = reservations.taken(identity, now());
    const promised = reservations.of(identity, now());
    const free = promised !== null && stillFree(config, promised, taken)
      ? promised
      : freeAddress(config, taken);
    if (free === null) {
      await reportExhausted(Identifier);
      throw exhausted(config);
    }
    reservations.hold(identity, free, now());
    return leaseAnswer(config, Identifier, formatIpv4(free));
  }

  async function update(sent: DhcpUpdate): Promise<void> {
    const name = hostName(sent.Name);
    await decide(sent.MAC, sent.Iface, {
      kind: "dhcp.record",
      summary: `Record the address of ${name || sent.MAC}`,
      reduce: (config) =>
        recordLease(config, {
          mac: sent.MAC,
          link: sent.Iface,
          name,
          ip: sent.IP,
          router: sent.Router,
        }),
    });
  }

  async function decide(
    mac: string,
    link: string,
    command: Command<Config, Leased>,
  ): Promise<Leased> {
    const identity = identityOfMac(engine.config, mac);
    const at = now();
    const from = engine.observed.devices[identity]?.link;
    const observe = (observed: Observed): Observed =>
      sighted(observed, { identity, at, link, online: true });
    const outcome = await engine.change(command, { caller: CALLER, observation: true, observe });
    const { address, appeared } = outcome.result;
    bus.publish("leases", { kind: "dhcp", identity, ip: address, link, appeared });
    if (appeared) await tell.found();
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

  return { request, reserve, update };
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
