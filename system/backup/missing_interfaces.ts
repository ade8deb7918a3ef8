import type { Config } from "../config.ts";
import type { Documents } from "../core/config/document.ts";
import { type InterfaceRole, roleOf } from "../network/interfaces/absent_links.ts";
import { byNumber, interfacesNamed } from "../network/interfaces/interface_mapping.ts";
import type { MachineInterface, MissingInterface } from "./schema.ts";

type Parts = Partial<Config>;

/**
 * Interfaces of a backup that are not on this machine, or whose MAC address is that of another one
 * here, each with the one that probably takes its place: that of the same MAC address, otherwise the
 * next of the same kind. `macs`: the hardware addresses of the machine that the backup was made on.
 */
export function missingInterfaces(
  { parts, documents, macs }: {
    readonly parts: Parts;
    readonly documents: Documents<Config>;
    readonly macs: ReadonlyMap<string, string>;
  },
  here: readonly MachineInterface[],
): readonly MissingInterface[] {
  const names = interfacesNamed(parts, documents);
  const present = new Set(here.map(({ name }) => name));
  const byMac = new Map(
    here.filter(({ hardware }) => hardware).map(({ mac, name }) => [mac, name]),
  );
  const places = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of names) {
    const place = byMac.get(macs.get(name) ?? "");
    if (place === undefined || taken.has(place)) continue;
    places.set(name, place);
    taken.add(place);
  }
  // Without a known adapter it is the one of its name, unless that is another's.
  for (const name of names) {
    if (places.has(name) || !present.has(name) || taken.has(name)) continue;
    places.set(name, name);
    taken.add(name);
  }
  const missing = names.filter((name) => places.get(name) !== name).map((name) => ({
    name,
    role: roleIn(parts, name),
    // One that joins networks by Wi-Fi is an uplink and a radio.
    isRadio: roleIn(parts, name) === "radio" ||
      (parts.wpa?.some(({ Iface }) => Iface === name) ?? false),
    mac: macs.get(name) ?? "",
    here: present.has(name),
  }));
  for (const isRadio of [true, false]) {
    const free = here.filter((one) => one.hardware && one.radio === isRadio && !taken.has(one.name))
      .map(({ name }) => name).sort(byNumber);
    // A bridge of containers, for one, has no adapter.
    const rest = missing.filter((one) =>
      !places.has(one.name) && one.role !== "other" && one.isRadio === isRadio
    );
    for (const { name } of rest) {
      const next = free.shift();
      if (next !== undefined) places.set(name, next);
    }
  }
  return missing.map(({ isRadio: _, ...one }) => ({
    ...one,
    suggestion: places.get(one.name) ?? "",
  }));
}

function roleIn({ interfaces, radios, ppp }: Parts, name: string): InterfaceRole {
  const found = interfaces?.find(({ Name }) => Name === name);
  if (found !== undefined) return roleOf(found);
  if (radios !== undefined && Object.hasOwn(radios, name)) return "radio";
  return ppp?.some(({ Iface }) => Iface === name) ? "uplink" : "other";
}
