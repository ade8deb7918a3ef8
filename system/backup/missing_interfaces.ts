import type { Config } from "../config.ts";
import type { Documents } from "../core/config/document.ts";
import { type InterfaceRole, roleOf } from "../network/interfaces/absent_links.ts";
import { byNumber, interfacesNamed } from "../network/interfaces/interface_mapping.ts";
import type { MachineInterface, MissingInterface } from "./schema.ts";

type Parts = Partial<Config>;

/**
 * Interfaces of a backup that are not on this machine, or whose MAC address is that of another one
 * here, each with the one that probably replaces it: that of the same MAC address, otherwise the
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
  const replacements = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of names) {
    const replacement = byMac.get(macs.get(name) ?? "");
    if (replacement === undefined || taken.has(replacement)) continue;
    replacements.set(name, replacement);
    taken.add(replacement);
  }
  // Without a known adapter it is the one of its name, unless that is another's.
  for (const name of names) {
    if (replacements.has(name) || !present.has(name) || taken.has(name)) continue;
    replacements.set(name, name);
    taken.add(name);
  }
  const missing = names.filter((name) => replacements.get(name) !== name).map((name) => ({
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
      !replacements.has(one.name) && one.role !== "other" && one.isRadio === isRadio
    );
    for (const { name } of rest) {
      const next = free.shift();
      if (next !== undefined) replacements.set(name, next);
    }
  }
  return missing.map(({ isRadio: _, ...one }) => ({
    ...one,
    suggestion: replacements.get(one.name) ?? "",
  }));
}

function roleIn({ interfaces, radios, ppp }: Parts, name: string): InterfaceRole {
  const found = interfaces?.find(({ Name }) => Name === name);
  if (found !== undefined) return roleOf(found);
  if (radios !== undefined && Object.hasOwn(radios, name)) return "radio";
  return ppp?.some(({ Iface }) => Iface === name) ? "uplink" : "other";
}
