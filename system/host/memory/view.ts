import type { Facts, LinkFact, NeighbourFact } from "../../core/kernel/facts.ts";
import type {
  AddressEntry,
  Inspection,
  InspectionEntry,
  NeighbourEntry,
} from "../../core/kernel/inspection.ts";
import { parseAddress, parseRange4 } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Chain, Element, NftSet, Table, Verdict } from "../../core/kernel/ruleset.ts";

/** What a modelled kernel shows, in the output format of the tools. Throws Problem 404. */
export function inspectModel(
  what: Exclude<Inspection, { readonly kind: "tables" }>,
  model: {
    readonly facts: Pick<Facts, "links" | "addresses" | "neighbours">;
    readonly tables: readonly Table[];
  },
): readonly InspectionEntry[] {
  if (what.kind === "addresses") {
    return model.facts.links.map((link) => linkEntry(link, model.facts));
  }
  if (what.kind === "neighbours") return model.facts.neighbours.map(neighbourEntry);
  const name = what.kind === "table" ? what.name : what.table;
  const table = model.tables.find((one) => one.family === what.family && one.name === name);
  if (!table) throw new Problem(404, `The kernel has no table ${what.family} ${name}`);
  if (what.kind === "table") return [METAINFO, ...tableEntries(table)];
  const set = table.sets.find((one) =>
    one.name === what.name && (one.value !== undefined) === what.map
  );
  if (!set) {
    const kind = what.map ? "map" : "set";
    throw new Problem(404, `The kernel has no ${kind} ${what.family} ${name} ${what.name}`);
  }
  return [METAINFO, setEntry(table, set, true)];
}

const METAINFO = { metainfo: { json_schema_version: 1 } };
const FOREVER = 4294967295; // Lifetime of a permanent address, as ip(8) prints it.

function linkEntry(link: LinkFact, facts: Pick<Facts, "addresses">): AddressEntry {
  const loopback = link.name === "lo";
  const flags = [
    ...(loopback ? ["LOOPBACK"] : ["BROADCAST", "MULTICAST"]),
    ...(link.up ? ["UP"] : []),
    ...(link.running ? ["LOWER_UP"] : []),
  ];
  return {
    ifindex: link.index,
    ifname: link.name,
    flags,
    mtu: loopback ? 65536 : 1500,
    qdisc: loopback ? "noqueue" : "pfifo_fast",
    operstate: loopback ? "UNKNOWN" : link.up && link.running ? "UP" : "DOWN",
    group: "default",
    txqlen: 1000,
    link_type: loopback ? "loopback" : "ether",
    address: link.mac ?? "00:00:00:00:00:00",
    broadcast: loopback ? "00:00:00:00:00:00" : "ff:ff:ff:ff:ff:ff",
    addr_info: facts.addresses.filter((one) => one.link === link.name).map(({ address }) => {
      const [local = "", prefix = "32"] = address.split("/");
      return {
        family: parseAddress(local)?.family === 6 ? "inet6" : "inet",
        local,
        prefixlen: Number(prefix),
        scope: loopback ? "host" : "global",
        label: link.name,
        valid_life_time: FOREVER,
        preferred_life_time: FOREVER,
      };
    }),
  };
}

function neighbourEntry({ address, link, mac, permanent }: NeighbourFact): NeighbourEntry {
  const state = permanent ? "PERMANENT" : mac === null ? "FAILED" : "REACHABLE";
  return { dst: address, dev: link, ...(mac === null ? {} : { lladdr: mac }), state: [state] };
}

function tableEntries(table: Table): readonly InspectionEntry[] {
  const { family, name } = table;
  return [
    { table: { family, name } },
    ...table.sets.map((set) => setEntry(table, set, false)),
    ...table.chains.map((chain) => chainEntry(table, chain)),
    ...table.chains.flatMap((chain) =>
      chain.rules.map((rule) => ({
        rule: { family, table: name, chain: chain.name, comment: rule.comment },
      }))
    ),
  ];
}

function chainEntry(table: Table, chain: Chain): InspectionEntry {
  const { hook } = chain;
  return {
    chain: {
      family: table.family,
      table: table.name,
      name: chain.name,
      ...(hook
        ? { type: hook.type, hook: hook.hook, prio: hook.priority, policy: hook.policy }
        : {}),
    },
  };
}

function setEntry(table: Table, set: NftSet, whole: boolean): InspectionEntry {
  const types = set.key.length === 1 ? set.key[0]! : [...set.key];
  const elem = [...set.elements.values()].map((element) => elementEntry(set, element));
  return {
    [set.value === undefined ? "set" : "map"]: {
      family: table.family,
      name: set.name,
      table: table.name,
      type: types,
      ...(set.value === undefined
        ? {}
        : { map: set.value === "verdict" ? "verdict" : set.value.join(" . ") }),
      ...(set.interval ? { flags: ["interval"] } : {}),
      ...(whole && elem.length > 0 ? { elem } : {}),
    },
  };
}

function elementEntry(set: NftSet, { key, value }: Element): unknown {
  const parts = key.map(partEntry);
  const left = parts.length === 1 ? parts[0] : { concat: parts };
  if (set.value === undefined || value === undefined) return left;
  return [left, "kind" in value ? verdictEntry(value) : joinedParts(value)];
}

function joinedParts(value: readonly string[]): unknown {
  return value.length === 1 ? partEntry(value[0]!) : { concat: value.map(partEntry) };
}

function partEntry(text: string): unknown {
  const range = text.includes("/") ? parseRange4(text) : null;
  if (range) return { prefix: { addr: text.slice(0, text.indexOf("/")), len: range.prefix } };
  const [low = "", high] = text.split("-");
  if (high !== undefined && /^[\d.]+-[\d.]+$/.test(text)) {
    return { range: [numberOr(low), numberOr(high)] };
  }
  return numberOr(text);
}

function numberOr(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function verdictEntry(verdict: Verdict): unknown {
  return verdict.kind === "jump" || verdict.kind === "goto"
    ? { [verdict.kind]: { target: verdict.chain } }
    : { [verdict.kind]: null };
}
