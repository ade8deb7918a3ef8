import type { Config } from "../../config.ts";
import type { Document, Documents } from "../../core/config/document.ts";
import { invalid, pointer } from "../../core/errors/problem.ts";
import { InterfaceName } from "../../core/net/grammar.ts";
import { TUNNEL } from "../../wireguard/schema.ts";
import { LAN_LINK } from "../lan_subnets.ts";
import { interfaceNamesIn, withInterfaceNames } from "./interface_names.ts";

/** Interfaces of this machine, by those that settings name and that they replace. */
export type InterfaceMapping = Readonly<Record<string, string>>;

type Parts = Partial<Config>;

/** Interfaces that Sluice makes itself, under the same name on every machine. */
const OWN = new RegExp(`^(${TUNNEL}|${LAN_LINK}|lo|site\\d+|ppp\\d+)$`);

/** Interfaces that settings name, without those that Sluice makes itself. */
export function interfacesNamed(parts: Parts, documents: Documents<Config>): readonly string[] {
  const names = namesOf(parts, documents);
  return names.filter((name) => !OWN.test(name) && !isPartOfOneOf(name, names));
}

/**
 * The settings with their interfaces replaced, VLANs and additional networks on them
 * included. Throws Problem 400 where two would become one, or a name is none of theirs.
 */
export function mapInterfaces(
  parts: Parts,
  documents: Documents<Config>,
  mapping: InterfaceMapping,
): Parts {
  const names = namesOf(parts, documents);
  for (const name of Object.keys(mapping)) {
    if (names.includes(name)) continue;
    throw invalid(pointer(["Interfaces", name]), `The settings name no interface ${name}`);
  }
  const rename = (name: string): string => mappedName(name, mapping);
  const taken = new Map<string, string>();
  for (const name of names) {
    const next = rename(name);
    const at = pointer(["Interfaces", Object.hasOwn(mapping, name) ? name : next]);
    if (!InterfaceName.safeParse(next).success) {
      throw invalid(at, `${name} would become ${next}, which is no name of an interface`);
    }
    const other = taken.get(next);
    if (other !== undefined) {
      throw invalid(at, `${other} and ${name} of the settings would both become ${next}`);
    }
    taken.set(next, name);
  }
  return mapped(parts, documents, rename);
}

/** The name of an interface, or of what stands on one, by a mapping: `enp3s0.30` for `eth0.30`. */
export function mappedName(name: string, mapping: InterfaceMapping): string {
  if (Object.hasOwn(mapping, name)) return mapping[name]!;
  const dot = name.lastIndexOf(".");
  const parent = name.slice(0, Math.max(dot, 0));
  return Object.hasOwn(mapping, parent) ? `${mapping[parent]}${name.slice(dot)}` : name;
}

function isPartOfOneOf(name: string, names: readonly string[]): boolean {
  const dot = name.lastIndexOf(".");
  return dot > 0 && names.includes(name.slice(0, dot));
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
export function byNumber(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}
