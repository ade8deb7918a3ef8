import type { Config } from "../../config.ts";
import { invalid, notFound, sentence } from "../../core/errors/problem.ts";
import { refuseOwnInterface, setLink } from "./link_rules.ts";
import { Interface } from "./schema.ts";
import { TRUNK } from "./vlan_links.ts";

/**
 * Makes an interface a VLAN trunk, or no longer. Throws Problem 400 for an uplink or an access point,
 * 404 for an interface that is not listed and is to be no trunk.
 */
export function setTrunk(config: Config, name: string, enabled: boolean): [Config, void] {
  refuseOwnInterface(config, name, "/interface");
  const old = config.interfaces.find(({ Name }) => Name === name);
  if (old?.Type === "AP" || old?.Type === "Uplink") {
    const text = old.Type === "AP" ? "an access point" : "an uplink";
    throw invalid(
      "/interface",
      `${name} is ${text}; use a LAN interface (downlink) as VLAN trunk`,
    );
  }
  if (!old && !enabled) throw notFound(sentence("There is no interface {name}", { name }));
  // The rules of all interfaces apply, whatever the subtype.
  const [listed] = old
    ? [config]
    : setLink(config, { Name: name, Type: "Downlink", Enabled: true });
  const base = listed.interfaces.find(({ Name }) => Name === name)!;
  const next: Interface = enabled
    ? { ...base, Type: "Downlink", Subtype: TRUNK, Enabled: true, State: "" }
    : { ...base, Subtype: base.Subtype === TRUNK ? "" : base.Subtype };
  if (old && JSON.stringify(old) === JSON.stringify(next)) return [config, undefined];
  return [{
    ...listed,
    interfaces: listed.interfaces.map((one) => one === base ? next : one),
  }, undefined];
}

/**
 * Sets an interface up or down persistently: an uplink or downlink is enabled or disabled. One that is
 * not listed yet is added as type Other. Throws Problem 400 for an interface of the router itself.
 */
export function setLinkState(config: Config, name: string, up: boolean): [Config, void] {
  refuseOwnInterface(config, name, "/interface");
  const old = config.interfaces.find(({ Name }) => Name === name);
  if (old && old.Type !== "Other") return setLink(config, { Name: name, Enabled: up });
  // Nothing else decides whether such an interface is up.
  const [listed] = setLink(config, { Name: name, ...(old ? {} : { Type: "Other" }) });
  const State = up ? "up" : "down";
  if (old?.State === State) return [config, undefined];
  return [{
    ...listed,
    interfaces: listed.interfaces.map((one) => one.Name === name ? { ...one, State } : one),
  }, undefined];
}
