import type { Config } from "../config.ts";
import { invalid, notFound } from "../core/errors/problem.ts";
import { refuseOwn, setLink } from "./links/link_rules.ts";
import { Interface } from "./schema.ts";
import { TRUNK } from "./links/vlan_links.ts";

/**
 * Makes a link one that carries tagged devices, or no longer. Throws Problem 400 for an uplink or an
 * access point, 404 when one that is not listed is to carry none.
 */
export function setTrunk(config: Config, name: string, enabled: boolean): [Config, void] {
  refuseOwn(config, name, "/interface");
  const old = config.interfaces.find(({ Name }) => Name === name);
  if (old?.Type === "AP" || old?.Type === "Uplink") {
    const words = old.Type === "AP" ? "an access point" : "an uplink";
    throw invalid("/interface", `${name} is ${words}; VLANs of devices are on downlinks`);
  }
  if (!old && !enabled) throw notFound(`There is no interface ${name}`);
  // The rules of every link hold, whatever its subtype.
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
 * Brings a link up or down, for good: an uplink or downlink is enabled or not. One that is not listed
 * yet is added, for nothing in particular, and kept at what was said.
 * Throws Problem 400 for a link of the router itself.
 */
export function setLinkState(config: Config, name: string, up: boolean): [Config, void] {
  refuseOwn(config, name, "/interface");
  const old = config.interfaces.find(({ Name }) => Name === name);
  if (old && old.Type !== "Other") return setLink(config, { Name: name, Enabled: up });
  // Of such a link nothing else says whether it is to be up.
  const [listed] = setLink(config, { Name: name, ...(old ? {} : { Type: "Other" }) });
  const State = up ? "up" : "down";
  if (old?.State === State) return [config, undefined];
  return [{
    ...listed,
    interfaces: listed.interfaces.map((one) => one.Name === name ? { ...one, State } : one),
  }, undefined];
}
