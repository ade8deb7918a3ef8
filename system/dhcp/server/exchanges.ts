import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";
import { identityOfMac } from "../../devices/mac_owner.ts";
import { requireHomeLink } from "../../devices/link.ts";
import { left } from "../../devices/observation.ts";
import type { ClientMessage, LeaseDecision } from "../api_schema.ts";
import { leaseDecision } from "../leases/lease_rules.ts";
import { leasingInterfaces } from "../leasing_interfaces.ts";
import type { Leases } from "../leases/leases.ts";
import type { Offers } from "./offers.ts";
import type { DhcpAnswer } from "../schema.ts";

/** Dependencies of {@link createExchanges}. */
export interface ExchangesDeps {
  readonly engine: Pick<
    ChangeEngine<Config>,
    "config" | "network" | "observed" | "desired" | "observe" | "followLink"
  >;
  readonly bus: Pick<Bus, "publish">;
  readonly leases: Pick<Leases, "request" | "offer">;
  readonly offers: Offers;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
}

/**
 * Makes the function that decides the reply to a client's message, null for none. An address other
 * than the requested one means a NAK. Throws Problem.
 */
export function createExchanges(
  deps: ExchangesDeps,
): (message: ClientMessage) => Promise<LeaseDecision | null> {
  const { engine, bus, leases, offers, steady } = deps;

  function decisionOf(answer: DhcpAnswer): LeaseDecision {
    const device = engine.config.devices[identityOfMac(engine.config, answer.Identifier)];
    return leaseDecision(engine.config, answer, device?.Name ?? "");
  }

  async function onRequest(message: ClientMessage): Promise<LeaseDecision> {
    const offered = await leases.offer(message);
    // The client chose another server (RFC 2131 4.3.2).
    if (message.server !== "" && message.server !== offered.DNSIP) {
      offers.end(message.mac);
      return decisionOf(offered);
    }
    // Nothing changes before the client accepts: one that requests its old address keeps it until then.
    if (message.wanted !== "" && message.wanted !== offered.IP) return decisionOf(offered);
    const granted = decisionOf(
      await leases.request({
        MAC: message.mac,
        Iface: message.link,
        Identifier: message.clientId,
        Name: message.name,
        ParamReqList: message.parameters,
        VendorClass: message.vendorClass,
      }, offered.IP),
    );
    // The client sends its first packet at once; an interface that came back must be ready for it.
    await engine.followLink(message.link);
    return granted;
  }

  async function onInform(message: ClientMessage): Promise<LeaseDecision | null> {
    const known = offers.currentAddress(engine.config, message.mac, steady()) !== null;
    return known ? decisionOf(await leases.offer(message)) : null;
  }

  /** Only a client that has an address, or was offered it, may decline it. */
  function onDecline({ mac, link, wanted }: ClientMessage): void {
    requireHomeLink(engine.config, link);
    const address = parseIpv4(wanted);
    const own = engine.config.devices[identityOfMac(engine.config, mac)]?.RecentIP;
    const offered = offers.offeredTo(mac, steady());
    if (address === null || (wanted !== own && offered !== address)) return;
    offers.decline(address, steady());
    offers.end(mac);
    bus.publish("dhcp:decline", { MAC: mac, Iface: link, IP: formatIpv4(address) });
  }

  /** The address stays reserved for the device, which is offline now. */
  async function onRelease({ mac, link, wanted }: ClientMessage): Promise<void> {
    const identity = identityOfMac(engine.config, mac);
    if (engine.config.devices[identity]?.RecentIP !== wanted) return;
    // A Wi-Fi station is online for as long as it is associated.
    if (!leasingInterfaces(engine).stations.includes(link)) {
      await engine.observe((observed) => left(observed, identity, link));
    }
    bus.publish("leases", { kind: "release", identity, ip: wanted, link });
  }

  return async (message) => {
    switch (message.kind) {
      case "discover":
        return decisionOf(await leases.offer(message));
      case "request":
        return await onRequest(message);
      case "inform":
        return await onInform(message);
      case "decline":
        onDecline(message);
        return null;
      case "release":
        await onRelease(message);
        return null;
    }
  };
}
