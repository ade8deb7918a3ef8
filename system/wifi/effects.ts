import type { Config } from "../config.ts";
import { sameJson } from "../core/config/same_json.ts";
import type { EffectContext } from "../core/engine/change.ts";
import { kindOf } from "../devices/identity.ts";
import { nameList } from "../devices/name_list.ts";
import { titleOf } from "../devices/device.ts";
import { passwordsOf } from "./keys/network_keys.ts";
import { plannedRadios, stationKeys } from "./plan.ts";
import type { PlannedBss, PlannedRadio } from "./plan_schema.ts";

type Change = EffectContext<Config>;

/** What a change does to who is on the Wi-Fi. No password is compared: what is set counts. */
export function wifiEffects(change: Change): readonly string[] {
  return [...radioEffects(change), ...passwordEffects(change), ...reloadEffects(change)];
}

/** hostapd disconnects WPA3 stations of a network whenever it reads the network's WPA2 keys. */
function reloadEffects(change: Change): readonly string[] {
  const { before, after } = change;
  if (before.devices === after.devices) return [];
  const [oldKeys, newKeys] = [stationKeys(before.devices), stationKeys(after.devices)];
  const old = new Map(plannedRadios(before).map((radio) => [radio.name, radio]));
  return plannedRadios(after).flatMap((radio) => {
    const was = old.get(radio.name);
    // One that restarts is said already.
    if (was === undefined || !sameOnAir(was, radio)) return [];
    return radio.networks.flatMap((network) => {
      const isOwn = network.password === "" && network.wpa !== 0;
      if (!isOwn || keyOf(network) !== null) return [];
      const lists = [oldKeys, newKeys].map((keys) =>
        passwordsOf(network, keys).wpa2.map(({ identity, mac }) => `${identity} ${mac}`)
      );
      const identities = new Set(lists.flat().map((entry) => entry.split(" ")[0]!));
      const isReload = lists[0]!.join() !== lists[1]!.join() ||
        [...renewedPasswords(change)].some((identity) => identities.has(identity));
      if (!isReload) return [];
      const dropped = stationsOn(network.name, change).filter((one) =>
        change.observed.devices[one]?.online === true && after.devices[one]?.PSKEntry.Type === "sae"
      );
      if (dropped.length === 0) return [];
      const names = nameList(dropped.map((one) => titleOf(one, after.devices[one])));
      const verb = dropped.length === 1 ? "reconnects" : "reconnect";
      return [`${nameOf(network)} reads its WPA2 passwords anew: ${names} ${verb} by WPA3`];
    });
  });
}

/** Identities whose password a change sets, also to what it is. */
function renewedPasswords({ patch }: Change): ReadonlySet<string> {
  return new Set(
    patch.flatMap(({ document, path }) =>
      document === "devices" && path[1] === "PSKEntry" && path[2] !== "Type" ? [path[0]!] : []
    ),
  );
}

/** Devices of radios that stay on; those of a radio that is turned off lose their interface. */
function radioEffects(change: Change): readonly string[] {
  const { before, after } = change;
  if (before.radios === after.radios && before.interfaces === after.interfaces) return [];
  const old = new Map(plannedRadios(before).map((radio) => [radio.name, radio]));
  return plannedRadios(after).flatMap((radio) => {
    const was = old.get(radio.name);
    return was === undefined ? [] : oneRadio(change, was, radio);
  });
}

function oneRadio(change: Change, was: PlannedRadio, is: PlannedRadio): readonly string[] {
  const { after } = change;
  const listed = new Set<string>();
  const sentences: string[] = [];
  const list = (sentence: (names: string) => string, identities: readonly string[]): void => {
    if (identities.length === 0) return;
    for (const identity of identities) listed.add(identity);
    sentences.push(sentence(nameList(identities.map((one) => titleOf(one, after.devices[one])))));
  };
  for (const network of is.networks) {
    const other = was.networks.find(({ name }) => name === network.name);
    if (other === undefined) continue;
    const stations = stationsOn(network.name, change);
    if (nameOf(other) !== nameOf(network)) {
      list(
        (names) => `${nameOf(network)} replaces ${nameOf(other)}: ${names} must join it anew`,
        stations,
      );
    }
    const [needs, needed] = [keyOf(network), keyOf(other)];
    if (needs !== null && needed !== needs) {
      list(
        (names) => `${nameOf(network)} takes ${needs} only, with which ${names} cannot join`,
        stations.filter((one) => !fits(after.devices[one]?.PSKEntry.Type ?? "", needs)),
      );
    }
    if (other.wpa > 0 && network.wpa === 0) {
      sentences.push(`${nameOf(network)} is open to everyone, without a password`);
    }
    if (other.isolated && !network.isolated) {
      sentences.push(`Devices on ${nameOf(network)} reach each other past the firewall`);
    }
    if (setsGuestPassword(change, is.name, network)) {
      list(
        (names) => `${names}: the new password of ${nameOf(network)} is needed to join`,
        stations,
      );
    }
  }
  if (sameOnAir(was, is)) return sentences;
  const rest = is.networks.flatMap(({ name }) => stationsOn(name, change)).filter((one) =>
    !listed.has(one) && change.observed.devices[one]?.online === true
  );
  list(
    (names) => `The radio ${is.name} restarts: ${names} reconnect${rest.length === 1 ? "s" : ""}`,
    rest,
  );
  return sentences;
}

/** Equal beside the passwords, which are loaded without a restart. */
function sameOnAir(was: PlannedRadio, is: PlannedRadio): boolean {
  const shown = ({ networks, ...radio }: PlannedRadio) => ({
    ...radio,
    networks: networks.map(({ password: _, ...network }) => network),
  });
  return sameJson(shown(was), shown(is));
}

function nameOf({ ssid, ssidHex }: PlannedBss): string {
  return ssidHex === "" ? ssid : `0x${ssidHex}`;
}

/** The one kind of password that a network takes; null where devices of both kinds join. */
function keyOf({ keyManagement, wpa }: PlannedBss): "WPA2" | "WPA3" | null {
  if (wpa === 0 || keyManagement.length === 0) return null;
  const takesSae = keyManagement.includes("SAE");
  const takesPsk = keyManagement.some((one) => one !== "SAE");
  return takesSae === takesPsk ? null : takesSae ? "WPA3" : "WPA2";
}

function fits(type: string, needs: "WPA2" | "WPA3"): boolean {
  // A device for WPA3 has its password under WPA2 as well.
  return type === "" || needs === "WPA2" || type === "sae";
}

/** Devices that were seen on a radio, or on one of its additional networks. */
function stationsOn(name: string, { before, after, observed }: Change): readonly string[] {
  const isExtra = name.includes(".ap");
  return Object.keys(before.devices).filter((identity) => {
    const link = observed.devices[identity]?.link;
    if (typeof link !== "string" || after.devices[identity] === undefined) return false;
    if (link !== name && !link.startsWith(`${name}.`)) return false;
    return isExtra || !link.startsWith(`${name}.ap`);
  });
}

/** True where a change sets the one password of an additional network, also to what it is. */
function setsGuestPassword({ patch }: Change, radio: string, network: PlannedBss): boolean {
  if (network.password === "" || network.name === radio) return false;
  return patch.some(({ document, path }) =>
    document === "interfaces" && path[0] === radio && path[1] === "ExtraBSS" &&
    path[2] === network.ssid && path[3] === "GuestPassword"
  );
}

/** Devices that need a new password. */
function passwordEffects(change: Change): readonly string[] {
  const { before, after } = change;
  const renewed: string[] = [], lost: string[] = [];
  for (const identity of renewedPasswords(change)) {
    const was = before.devices[identity], is = after.devices[identity];
    if (was === undefined || is === undefined || was.PSKEntry.Psk === "") continue;
    if (kindOf(identity) === "pending") continue;
    (is.PSKEntry.Psk === "" ? lost : renewed).push(titleOf(identity, is));
  }
  const verb = (names: readonly string[], one: string, many: string) =>
    `${nameList(names)} ${names.length === 1 ? one : many}`;
  return [
    ...(renewed.length > 0
      ? [verb(renewed, "needs its new Wi-Fi password", "need their new Wi-Fi passwords")]
      : []),
    ...(lost.length > 0
      ? [verb(lost, "can no longer join the Wi-Fi", "can no longer join the Wi-Fi")]
      : []),
  ];
}
