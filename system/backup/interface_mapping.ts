import type { Config } from "../config.ts";
import type { Document, Documents } from "../core/config/document.ts";
import { invalid, pointer } from "../core/errors/problem.ts";
import { InterfaceName } from "../core/net/grammar.ts";
import { LAN_LINK } from "../network/lan_subnets.ts";
import { type InterfaceRole, roleOf } from "../network/interfaces/absent_links.ts";
import { TUNNEL } from "../wireguard/schema.ts";
import { interfaceNamesIn, withInterfaceNames } from "./interface_names.ts";
import type { MachineInterface, MissingInterface } from "./schema.ts";

/** Interfaces of a backup by those of this machine that take their place. */
export type InterfaceMapping = Readonly<Record<string, string>>;

type Parts = Partial<Config>;

/** Interfaces that Sluice makes itself, under the same name on every machine. */
const OWN = new RegExp(`^(${TUNNEL}|${LAN_LINK}|lo|site\\d+|ppp\\d+)$`);

/** Interfaces that a backup names, without those that Sluice makes itself. */
export function interfacesNamed(parts: Parts, documents: Documents<Config>): readonly string[] {
  const names = namesOf(parts, documents);
  return names.filter((name) => !OWN.test(name) && !isPartOfOneOf(name, names));
}

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
  // Without a known card it is the one of its name, unless that is another's.
  for (const name of names) {
    if (places.has(name) || !present.has(name) || taken.has(name)) continue;
    places.set(name, name);
    taken.add(name);
  }
  const missing = names.filter((name) => places.get(name) !== name).map((name) => ({
    name,
    role: roleIn(parts, name),
    mac: macs.get(name) ?? "",
    here: present.has(name),
  }));
  for (const isRadio of [true, false]) {
    const free = here.filter((one) => one.hardware && one.radio === isRadio && !taken.has(one.name))
      .map(({ name }) => name).sort(byNumber);
    // A bridge of containers, for one, has no card.
    const rest = missing.filter(({ name, role }) =>
      !places.has(name) && role !== "other" && (role === "radio") === isRadio
    );
    for (const { name } of rest) {
      const next = free.shift();
      if (next !== undefined) places.set(name, next);
    }
  }
  return missing.map((one) => ({ ...one, suggestion: places.get(one.name) ?? "" }));
}

/**
 * The parts of a backup with their interfaces replaced, VLANs and additional networks on them
 * included. Throws Problem 400 where two would become one, or a name is none of the backup's.
 */
export function mapInterfaces(
  parts: Parts,
  documents: Documents<Config>,
  mapping: InterfaceMapping,
): Parts {
  const names = namesOf(parts, documents);
  for (const name of Object.keys(mapping)) {
    if (names.includes(name)) continue;
    throw invalid(pointer(["Interfaces", name]), `The backup names no interface ${name}`);
  }
  const rename = (name: string): string => placeOf(name, mapping);
  const taken = new Map<string, string>();
  for (const name of names) {
    const next = rename(name);
    const at = pointer(["Interfaces", Object.hasOwn(mapping, name) ? name : next]);
    if (!InterfaceName.safeParse(next).success) {
      throw invalid(at, `${name} would become ${next}, which is no name of an interface`);
    }
    const other = taken.get(next);
    if (other !== undefined) {
      throw invalid(at, `${other} and ${name} of the backup would both become ${next}`);
    }
    taken.set(next, name);
  }
  return mapped(parts, documents, rename);
}

/** The place of an interface, or of what stands on one: `enp3s0.30` for `eth0.30`. */
function placeOf(name: string, mapping: InterfaceMapping): string {
  if (Object.hasOwn(mapping, name)) return mapping[name]!;
  const dot = name.lastIndexOf(".");
  const parent = name.slice(0, Math.max(dot, 0));
  return Object.hasOwn(mapping, parent) ? `${mapping[parent]}${name.slice(dot)}` : name;
}

function isPartOfOneOf(name: string, names: readonly string[]): boolean {
  const dot = name.lastIndexOf(".");
  return dot > 0 && names.includes(name.slice(0, dot));
}

function roleIn({ interfaces, radios, ppp }: Parts, name: string): InterfaceRole {
  const found = interfaces?.find(({ Name }) => Name === name);
  if (found !== undefined) return roleOf(found);
  if (radios !== undefined && Object.hasOwn(radios, name)) return "radio";
  return ppp?.some(({ Iface }) => Iface === name) ? "uplink" : "other";
}

function namesOf(parts: Parts, documents: Documents<Config>): readonly string[] {
  const names = entriesOf(parts, documents).flatMap(([, { schema }, value]) =>
    interfaceNamesIn(schema, value)
  );
  return [...new Set(names)].sort(byNumber);
}

function mapped(
  parts: Parts,
  documents: Documents<Config>,
  rename: (name: string) => string,
): Parts {
  const next = entriesOf(parts, documents).map(([name, { schema }, value]) => [
    name,
    withInterfaceNames(schema, value, rename),
  ]);
  return Object.fromEntries(next);
}

type Entry = readonly [name: string, document: Document<unknown>, value: unknown];

function entriesOf(parts: Parts, documents: Documents<Config>): readonly Entry[] {
  return Object.entries(parts).map(([name, value]) => [
    name,
    documents[name as keyof Config] as Document<unknown>,
    value,
  ]);
}

/** `eth2` before `eth10`. */
function byNumber(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}
