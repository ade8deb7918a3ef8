import type { Config } from "../config.ts";
import { invalid, Problem, sentence } from "../core/errors/problem.ts";
import { forwardedPort, serviceOfPort } from "../firewall/own_ports.ts";
import type { Wireguard } from "./schema.ts";
import type { ServerUpdate } from "./wire.ts";

/** The configuration with other settings of the tunnels; the same object where nothing differs. */
export function withWireguard(config: Config, wireguard: Wireguard): Config {
  return isSame(config.wireguard, wireguard) ? config : { ...config, wireguard };
}

function isSame(one: Wireguard, other: Wireguard): boolean {
  return (Object.keys(other) as (keyof Wireguard)[]).every((field) => {
    const [a, b] = [one[field], other[field]];
    if (a === b) return true;
    // Of thousands of peers the text is long.
    if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
    return JSON.stringify(a) === JSON.stringify(b);
  });
}

/** The tunnel with a private key; the one that it gets for its first peer turns it on. */
export function withServerKey(wireguard: Wireguard, made: string): Wireguard {
  return wireguard.PrivateKey !== ""
    ? wireguard
    : { ...wireguard, PrivateKey: made, Enabled: true };
}

/** Turns the tunnel of the peers on or off; `made` is its private key where it has none. */
export function setEnabled(config: Config, enabled: boolean, made: string): [Config, void] {
  const { wireguard } = config;
  const keyed = enabled ? withServerKey(wireguard, made) : wireguard;
  if (enabled) requireFreePort(config, keyed.ListenPort, "/ListenPort");
  return [withWireguard(config, { ...keyed, Enabled: enabled }), undefined];
}

/** Sets what is sent of the tunnel's settings. Throws Problem 400, 409. */
export function setServer(
  config: Config,
  update: ServerUpdate,
  made: string,
): [Config, Wireguard] {
  const { wireguard } = config;
  const { Enabled = wireguard.Enabled, NewKey = false, ...rest } = update;
  const keyed = Enabled ? withServerKey(wireguard, made) : wireguard;
  const next: Wireguard = {
    ...keyed,
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    Enabled,
    ...(NewKey ? { PrivateKey: made } : {}),
  };
  refuseSitePort(wireguard, next.ListenPort, "/ListenPort");
  if (Enabled) requireFreePort(config, next.ListenPort, "/ListenPort");
  return [withWireguard(config, next), next];
}

/** Throws Problem 400 for the port of a site. */
export function refuseSitePort(wireguard: Wireguard, port: number, pointer: string): void {
  const site = wireguard.Sites.find(({ ListenPort }) => ListenPort !== 0 && ListenPort === port);
  if (site === undefined) return;
  throw invalid(
    pointer,
    sentence("The site {site} uses port {port}; choose another", { site: site.Name, port }),
  );
}

/**
 * Throws Problem 400 where another part of the router listens on this UDP port, 409 where a port
 * forward leads it away from the router.
 */
export function requireFreePort(config: Config, port: number, pointer: string): void {
  const service = serviceOfPort(config.multicast, port);
  if (service !== undefined) {
    throw invalid(
      pointer,
      sentence("{service} of this router uses UDP port {port}; choose another", { service, port }),
    );
  }
  const rule = forwardedPort(config.firewall.ForwardingRules, "udp", port);
  if (rule === undefined) return;
  const named = rule.RuleName === "" ? "" : ` (${rule.RuleName})`;
  const detail = `A port forward${named} leads UDP port ${port} to ${rule.DstIP}; ` +
    "choose another port, or delete or disable that forward first";
  throw new Problem(409, detail, { errors: [{ pointer, message: detail }], members: { rule } });
}
