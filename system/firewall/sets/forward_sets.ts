import { onceEach } from "../../core/config/memo.ts";
import type {
  Action,
  Chain,
  Element,
  Field,
  KeyType,
  NftSet,
  Rule,
} from "../../core/kernel/ruleset.ts";
import { ALL_PORTS, EVERYWHERE, parsePorts, type PortInterval } from "../address_schema.ts";
import { type HeaderRegion, layeredSets, net, orderedLayers, regionKey } from "./regions.ts";
import { is, rule, within } from "../chains/rule.ts";
import type { ForwardingRule } from "../schema.ts";

/** Where a forward leads: to a port, to ports as far from it as they are, or to the port it is. */
export interface Target {
  readonly address: string;
  /** What is added to the port; "keep" leaves it, "one" sends all to `port`. */
  readonly kind: "keep" | "one" | "shift";
  readonly port: number;
}

function isAll(ports: PortInterval): boolean {
  return ports[0] === ALL_PORTS[0] && ports[1] === ALL_PORTS[1];
}

function targetOf(one: ForwardingRule): Target {
  const from = parsePorts(one.SrcPort), to = parsePorts(one.DstPort);
  if (isAll(to) || (from[0] === to[0] && from[1] === to[1] && from[0] !== from[1])) {
    return { address: one.DstIP, kind: "keep", port: 0 };
  }
  if (to[0] === to[1]) return { address: one.DstIP, kind: "one", port: to[0] };
  return { address: one.DstIP, kind: "shift", port: to[0] - from[0] };
}

/** Ports that a rule moves one by one, each an element of its own. */
export function shiftedPorts(one: ForwardingRule): number {
  if (one.Disabled || targetOf(one).kind !== "shift") return 0;
  const [low, high] = parsePorts(one.SrcPort);
  return (high - low + 1) * Math.max(one.From.length, 1);
}

/** The forwards of one protocol as regions: networks of the remote host and of the address it calls. */
export function forwardRegions(rules: readonly ForwardingRule[]): readonly HeaderRegion<Target>[] {
  return rules.filter((one) => !one.Disabled).flatMap((one) =>
    [...new Set(one.From.length > 0 ? one.From : [EVERYWHERE])].map((
      from,
    ): HeaderRegion<Target> => ({
      nets: [net(from), net(one.SrcIP)],
      other: "",
      ports: parsePorts(one.SrcPort),
      data: targetOf(one),
    }))
  );
}

/** A kind of translation map: which regions it takes, by what they are looked up, and its name. */
interface ForwardMap {
  readonly name: string;
  readonly limited: boolean;
  readonly keep: boolean;
  readonly any: boolean;
}

const FORWARD_MAPS: readonly ForwardMap[] = [false, true].flatMap((any) =>
  [true, false].flatMap((limited) =>
    [false, true].map((keep): ForwardMap => ({
      // The names of the reference for what it knows, others for what it does not.
      name: `${any ? "any" : keep ? "same" : ""}fwd${any && !keep ? "_port" : ""}` +
        `${limited ? "_from" : ""}`,
      limited,
      keep,
      any,
    }))
  )
);

const ALWAYS = new Set(["fwd", "anyfwd"]);

function takes(map: ForwardMap, region: HeaderRegion<Target>): boolean {
  return map.limited === region.nets[0]!.prefix > 0 && map.keep === (region.data.kind === "keep");
}

function elementsOf(map: ForwardMap): (region: HeaderRegion<Target>) => readonly Element[] {
  return (whole) => {
    const { address, kind, port } = whole.data;
    const region = map.limited ? whole : { ...whole, nets: whole.nets.slice(1) };
    if (kind === "keep") return [{ key: regionKey(region, !map.any), value: [address] }];
    if (kind === "one") {
      return [{ key: regionKey(region, !map.any), value: [address, String(port)] }];
    }
    const [low, high] = region.ports;
    return Array.from({ length: high - low + 1 }, (_, i): Element => ({
      key: regionKey({ ...region, ports: [low + i, low + i] }, true),
      value: [address, String(low + i + port)],
    }));
  };
}

function keyOf(map: ForwardMap): readonly KeyType[] {
  return [
    ...(map.limited ? ["ipv4_addr" as const] : []),
    "ipv4_addr",
    ...(map.any ? [] : ["inet_service" as const]),
  ];
}

function fieldsOf(map: ForwardMap): readonly Field[] {
  return [
    ...(map.limited ? ["ip saddr" as const] : []),
    "ip daddr",
    ...(map.any ? [] : ["th dport" as const]),
  ];
}

/** A map with its kind, in the order in which rules look into them. */
interface Step {
  readonly set: NftSet;
  readonly map: ForwardMap;
}

/** The maps of the forwards of one protocol: those of named ports first, then those of any port. */
function stepsOf(protocol: "tcp" | "udp", rules: readonly ForwardingRule[]): readonly Step[] {
  const regions = forwardRegions(rules.filter((one) => one.Protocol === protocol));
  // Of two that are equally special the one with fewer ports wins, then the first.
  const special = [...regions].sort((a, b) =>
    (a.ports[1] - a.ports[0]) - (b.ports[1] - b.ports[0])
  );
  return [false, true].flatMap((any) => {
    const stage = orderedLayers(special.filter((region) => isAll(region.ports) === any));
    const maps = FORWARD_MAPS.filter((map) => map.any === any);
    const count = Math.max(stage.length, 1);
    return Array.from({ length: count }, (_, layer) =>
      maps.flatMap((map): readonly Step[] => {
        const mine = (stage[layer] ?? []).filter((region) => takes(map, region));
        if (mine.length === 0 && !(layer === 0 && ALWAYS.has(map.name))) return [];
        const blank = Array.from({ length: layer }, () => []);
        const sets = layeredSets([...blank, mine], {
          name: `${protocol}${map.name}`,
          key: keyOf(map),
          value: map.keep ? ["ipv4_addr"] : ["ipv4_addr", "inet_service"],
          elements: elementsOf(map),
        });
        return [{ set: sets[layer]!, map }];
      })).flat();
  });
}

/** What the forwards put into `inet nat`. */
export interface Forwards {
  readonly sets: readonly NftSet[];
  readonly chain: Chain;
}

/** The maps and the chain of all forwards; the same object for the same list. */
export const forwards = onceEach((rules: readonly ForwardingRule[]): Forwards => {
  const both = (["tcp", "udp"] as const).map((protocol) => ({
    protocol,
    steps: stepsOf(protocol, rules),
  }));
  return {
    sets: both.flatMap(({ steps }) => steps.map(({ set }) => set)),
    chain: chainOf(both),
  };
});

function chainOf(
  both: readonly { readonly protocol: "tcp" | "udp"; readonly steps: readonly Step[] }[],
): Chain {
  return {
    name: "FORWARDS",
    rules: both.flatMap(({ protocol, steps }) => {
      const when = is("meta l4proto", protocol);
      const translate = ({ set, map }: Step): Rule => {
        const action: Action = { kind: "dnat-map", fields: fieldsOf(map), map: set.name };
        const text = map.any ? "Port forward of all ports" : "Port forward";
        return rule(text, action, when);
      };
      return [
        ...steps.filter(({ map }) => !map.any).map(translate),
        rule(
          "Router ports open to the WAN are not forwarded",
          { kind: "return" },
          when,
          within(`own_${protocol}_ports`, "th dport"),
        ),
        ...(protocol === "tcp" ? [] : [
          rule(
            "Replies of a DHCP server on the WAN are not forwarded",
            { kind: "return" },
            when,
            is("th dport", "68"),
          ),
        ]),
        ...steps.filter(({ map }) => map.any).map(translate),
      ];
    }),
  };
}
