import * as z from "zod";
import { Mac } from "../core/net/grammar.ts";
import { TopologyNode } from "../topology/schema.ts";

/** Nodes of one leaf that are looked at. */
const MAX_NODES = 5000;
/** Characters of a name that another router sends. */
const MAX_NAME = 250;

/** What is read of the topology of a leaf. */
const Read = z.object({ Nodes: z.array(z.unknown()).max(MAX_NODES) });

/** A station of a leaf. */
export interface LeafStation {
  readonly MAC: string;
  readonly Name: string;
  /** Network of the leaf, such as `wlan0`. */
  readonly Iface: string;
  readonly SSID: string;
  /** dBm; null where it is not known. */
  readonly RSSI: number | null;
}

/** A radio of a leaf. */
export interface LeafRadio {
  readonly Iface: string;
  readonly SSID: string;
  readonly Radio: TopologyNode["Radio"];
}

/** What a leaf has on the air. */
export interface LeafAir {
  readonly radios: readonly LeafRadio[];
  readonly stations: readonly LeafStation[];
}

/** Radios and stations in the topology of a leaf; what is none is left out, whatever it sent. */
export function leafAir(topology: unknown): LeafAir {
  const read = Read.safeParse(topology);
  if (!read.success) return { radios: [], stations: [] };
  const nodes = read.data.Nodes.flatMap((raw) => {
    const node = TopologyNode.safeParse(raw);
    return node.success ? [node.data] : [];
  });
  const radios = nodes.filter(({ Kind }) => Kind === "ap_radio").map((
    { Name, Iface, SSID, Radio },
  ) => ({ Iface: short(Iface ?? Name), SSID: short(SSID ?? ""), Radio }));
  const networks = new Map(radios.map(({ Iface, SSID }) => [Iface, SSID]));
  const stations = nodes.flatMap((node): LeafStation[] => {
    const mac = Mac.safeParse(node.MAC ?? "");
    if (node.Kind !== "device" || node.ConnType !== "wifi" || !node.Online || !mac.success) {
      return [];
    }
    const Iface = short(node.Iface ?? "");
    return [{
      MAC: mac.data,
      Name: short(node.Name),
      Iface,
      SSID: networks.get(Iface.split(".")[0]!) ?? "",
      RSSI: node.Signal?.RSSI ?? null,
    }];
  });
  return { radios, stations };
}

function short(text: string): string {
  return text.slice(0, MAX_NAME);
}
