import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { formatIpv4, parseIpv4 } from "../../core/net/net.ts";
import { identityOfMac } from "../../devices/card.ts";
import { requireHomeLink } from "../../devices/link.ts";
import { left } from "../../devices/observation.ts";
import type { Ask, Told } from "../ask_schema.ts";
import { toldOf } from "../leases/lease_rules.ts";
import { leasingLinks } from "../leasing_links.ts";
import type { Leases } from "../leases/leases.ts";
import type { Offers } from "./offers.ts";
import type { DhcpAnswer } from "../schema.ts";

/** What the exchanges of clients need from outside. */
export interface ExchangesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "network" | "observed" | "observe">;
  readonly bus: Pick<Bus, "publish">;
  readonly leases: Pick<Leases, "request" | "offer">;
  readonly offers: Offers;
  /** Milliseconds of a clock that nobody sets. */
  readonly steady: () => number;
}

/**
 * Makes the function that says what a client is to be told, null for nothing. An address other than
 * the wanted one means that the client is to be refused. Throws Problem.
 */
export function createExchanges(deps: ExchangesDeps): (ask: Ask) => Promise<Told | null> {
  const { engine, bus, leases, offers, steady } = deps;

  function told(answer: DhcpAnswer): Told {
    const device = engine.config.devices[identityOfMac(engine.config, answer.Identifier)];
    return toldOf(engine.config, answer, device?.Name ?? "");
  }

  async function request(ask: Ask): Promise<Told> {
    const would = await leases.offer(ask);
    // It chose another server (RFC 2131 4.3.2).
    if (ask.server !== "" && ask.server !== would.DNSIP) {
      offers.end(ask.mac);
      return told(would);
    }
    // Nothing is decided before the client agrees: one that asks for an old address keeps it till then.
    if (ask.wanted !== "" && ask.wanted !== would.IP) return told(would);
    return told(
      await leases.request({
        MAC: ask.mac,
        Iface: ask.link,
        Identifier: ask.clientId,
        Name: ask.name,
        ParamReqList: ask.parameters,
        VendorClass: ask.vendorClass,
      }, would.IP),
    );
  }

  async function inform(ask: Ask): Promise<Told | null> {
    const known = offers.kept(engine.config, ask.mac, steady()) !== null;
    return known ? told(await leases.offer(ask)) : null;
  }

  /** Only who has an address, or was offered it, may say that somebody else uses it. */
  function decline({ mac, link, wanted }: Ask): void {
    requireHomeLink(engine.config, link);
    const address = parseIpv4(wanted);
    const own = engine.config.devices[identityOfMac(engine.config, mac)]?.RecentIP;
    const offered = offers.of(mac, steady());
    if (address === null || (wanted !== own && offered !== address)) return;
    offers.decline(address, steady());
    offers.end(mac);
    bus.publish("dhcp:decline", { MAC: mac, Iface: link, IP: formatIpv4(address) });
  }

  /** The address stays the device's own; it merely is not there any more. */
  async function release({ mac, link, wanted }: Ask): Promise<void> {
    const identity = identityOfMac(engine.config, mac);
    if (engine.config.devices[identity]?.RecentIP !== wanted) return;
    // A Wi-Fi station is there for as long as it is signed in.
    if (!leasingLinks(engine).stations.includes(link)) {
      await engine.observe((observed) => left(observed, identity, link));
    }
    bus.publish("leases", { kind: "release", identity, ip: wanted, link });
  }

  return async (ask) => {
    switch (ask.kind) {
      case "discover":
        return told(await leases.offer(ask));
      case "request":
        return await request(ask);
      case "inform":
        return await inform(ask);
      case "decline":
        decline(ask);
        return null;
      case "release":
        await release(ask);
        return null;
    }
  };
}
