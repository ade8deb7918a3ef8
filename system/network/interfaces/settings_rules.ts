import type { Config } from "../../config.ts";
import { invalid, pointingTo } from "../../core/errors/problem.ts";
import { deletePpp, setPpp } from "../../uplink/ppp/ppp_rules.ts";
import { setLink, setLinkAddress, setRole } from "./link_rules.ts";
import type { Interface } from "./schema.ts";
import type { InterfaceSettings } from "./settings_schema.ts";
import { setTrunk } from "./state_rules.ts";
import { TRUNK } from "./vlan_links.ts";

/**
 * Sets all of an interface at once: its role, then addresses, VLANs and PPPoE account as they fit that
 * role. `random`: a random MAC address, in case one is needed. Throws Problem 400 at the field that is
 * wrong.
 */
export function setInterface(
  config: Config,
  update: InterfaceSettings,
  random = "",
): [Config, void] {
  const { Addressing, Trunk, PPPoE, IP, Router, AdditionalIPs, ...link } = update;
  const { Name } = link;
  const setPlain = IP === undefined ? setLink : setRole;
  [config] = setPlain(config, link, random);
  const { Type, Enabled } = interfaceOf(config, Name);
  if (Type !== "Uplink" && Addressing !== undefined) {
    throw invalid("/Addressing", "Only an uplink gets its address in another way; leave it out");
  }
  if (Trunk === true && Type !== "Downlink") {
    throw invalid("/Trunk", "Only a LAN interface (Downlink) is a VLAN trunk; leave it out");
  }
  if (PPPoE !== undefined && Addressing !== "pppoe") {
    throw invalid("/PPPoE", "A PPPoE account needs Addressing pppoe");
  }
  const account = config.ppp.find(({ Iface }) => Iface === Name);
  const connects = Addressing === "pppoe" ||
    (Type === "Uplink" && account !== undefined && Addressing === undefined);
  if (account !== undefined && !connects) {
    [config] = deletePpp(config, Name);
    [config] = setPlain(config, { Name, Enabled });
  }
  if ([Addressing, IP, Router, AdditionalIPs].some((value) => value !== undefined)) {
    [config] = setLinkAddress(config, {
      Name,
      ...(Addressing === undefined ? {} : { DisableDHCP: Addressing === "static" }),
      ...(IP === undefined ? {} : { IP }),
      ...(Router === undefined ? {} : { Router }),
      ...(AdditionalIPs === undefined ? {} : { AdditionalIPs }),
    });
  }
  if (connects) {
    [config] = pointingTo(
      (at) => at === "/Iface" ? "/Name" : `/PPPoE${at}`,
      () => setPpp(config, { ...PPPoE, Iface: Name, Enabled }),
    );
  }
  if (Trunk !== undefined && Trunk !== (interfaceOf(config, Name).Subtype === TRUNK)) {
    [config] = pointingTo(() => "/Trunk", () => setTrunk(config, Name, Trunk));
    [config] = setLink(config, { Name, Enabled });
  }
  return [config, undefined];
}

function interfaceOf(config: Config, name: string): Interface {
  return config.interfaces.find(({ Name }) => Name === name)!;
}
