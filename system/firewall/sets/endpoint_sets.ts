import { onceEach } from "../../core/config/memo.ts";
import type { Chain, Element, KeyType, NftSet } from "../../core/kernel/ruleset.ts";
import { isolationOf } from "../../devices/policies.ts";
import type { Device } from "../../devices/schema.ts";
import { parsePorts } from "../address_schema.ts";
import { type HeaderRegion, layerName, layers, net, regionKey } from "./regions.ts";
import type { LocatedDevice } from "./device_elements.ts";
import { is, lookup, rule } from "../chains/rule.ts";
import type { Endpoint } from "../schema.ts";

const PROTOCOLS = ["tcp", "udp"] as const;
const KEY: readonly KeyType[] = ["ipv4_addr", "ipv4_addr", "inet_service"];
const FIELDS = ["ip saddr", "ip daddr", "th dport"] as const;
const ACCEPT = { kind: "accept" } as const;

type ByTag = ReadonlyMap<string, readonly Endpoint[]>;

/** The endpoints that open something, by each of their tags. */
const byTag = onceEach((endpoints: readonly Endpoint[]): ByTag => {
  const pairs = endpoints.filter((one) => !one.Disabled && one.IP !== "")
    .flatMap((one) => one.Tags.map((tag) => ({ tag, one })));
  const grouped = [...Map.groupBy(pairs, ({ tag }) => tag)]
    .map(([tag, list]) => [tag, list.map(({ one }) => one)] as const);
  return new Map(grouped);
});

interface Opened {
  readonly base: string;
  readonly layer: number;
  readonly element: Element;
}

/** What one device is opened to. Regions of different devices never overlap. */
const openedTo = onceEach((endpoints: readonly Endpoint[]) =>
  onceEach((device: Device): readonly Opened[] => {
    const index = byTag(endpoints);
    const shared = new Set(device.DeviceTags.flatMap((tag) => index.get(tag) ?? []));
    return PROTOCOLS.flatMap((protocol) => {
      const regions = [...shared].filter((one) => one.Protocol === protocol)
        .map((one): HeaderRegion<null> => ({
          nets: [net(device.RecentIP), net(one.IP)],
          other: "",
          ports: parsePorts(one.Port),
          data: null,
        }));
      return layers(regions).flatMap((layer, i) =>
        layer.map((region): Opened => ({
          base: `ept_${protocol}fwd`,
          layer: i,
          element: { key: regionKey(region, true), value: ACCEPT },
        }))
      );
    });
  })
);

/** True for a device that endpoints may open something to. */
function mayOpen({ DeviceTags, Policies }: Device): boolean {
  return DeviceTags.length > 0 && isolationOf(Policies)?.kind !== "isolate";
}

/** Computes what endpoints open to a device, which is kept with it. */
export function prepareEndpoints(device: Device, endpoints: readonly Endpoint[]): void {
  if (byTag(endpoints).size > 0 && mayOpen(device)) openedTo(endpoints)(device);
}

/** The maps of endpoints: which devices reach which destinations because they share a tag. */
export function endpointSets(
  devices: readonly Pick<LocatedDevice, "device">[],
  endpoints: readonly Endpoint[],
): readonly NftSet[] {
  const filled = new Map<string, Map<string, Element>[]>(
    PROTOCOLS.map((protocol) => [`ept_${protocol}fwd`, [new Map()]]),
  );
  if (byTag(endpoints).size > 0) {
    for (const { device } of devices) {
      if (!mayOpen(device)) continue;
      for (const { base, layer, element } of openedTo(endpoints)(device)) {
        const list = filled.get(base)!;
        while (list.length <= layer) list.push(new Map());
        list[layer]!.set(element.key.join(" . "), element);
      }
    }
  }
  return [...filled].flatMap(([base, list]) =>
    list.map((elements, layer): NftSet => ({
      name: layerName(base, layer),
      key: KEY,
      value: "verdict",
      interval: true,
      counter: true,
      elements,
    }))
  );
}

/** Looks a connection up among what endpoints open. */
export function endpointChain(sets: readonly NftSet[]): Chain {
  return {
    name: "ENDPOINTS",
    rules: sets.map((set) =>
      rule(
        "Allowed by an endpoint with a shared tag",
        lookup(set.name, ...FIELDS),
        is("meta l4proto", set.name.startsWith("ept_tcp") ? "tcp" : "udp"),
      )
    ),
  };
}
