import type { Config } from "../config.ts";
import { invalid, Problem } from "../core/errors/problem.ts";
import { forwardedPort } from "../firewall/own_ports.ts";
import { sitePorts } from "./plan.ts";
import type { Wireguard } from "./schema.ts";
import type { ServerUpdate } from "./wire.ts";

/** The configuration with other settings of the tunnels; the same object where nothing differs. */
export function withWireguard(config: Config, wireguard: Wireguard): Config {
  const same = config.wireguard === wireguard ||
    JSON.stringify(config.wireguard) === JSON.stringify(wireguard);
  return same ? config : { ...config, wireguard };
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
  const site = sitePorts(wireguard).find(({ port }) => port === next.ListenPort);
  if (site !== undefined) {
    throw invalid("/ListenPort", `${site.name} uses port ${next.ListenPort}; choose another`);
  }
  if (Enabled) requireFreePort(config, next.ListenPort, "/ListenPort");
  return [withWireguard(config, next), next];
}

/** Throws Problem 409 where a port forward leads this UDP port away from the router. */
export function requireFreePort(config: Config, port: number, pointer: string): void {
  const rule = forwardedPort(config.firewall.ForwardingRules, "udp", port);
  if (rule === undefined) return;
  const named = rule.RuleName === "" ? "" : ` (${rule.RuleName})`;
  const detail = `A port forward${named} leads UDP port ${port} to ${rule.DstIP}; ` +
    "choose another port, or delete or disable that forward first";
  throw new Problem(409, detail, { errors: [{ pointer, message: detail }], members: { rule } });
}
