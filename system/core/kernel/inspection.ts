import * as z from "zod";

/** Name of a table, set or map; families are those of nft(8). */
const Name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,254}$/, {
  error: "Write a name of letters, digits, '_', '.' or '-' that begins with a letter",
});

/** Families of nftables' tables. */
export const TableFamily = z.enum(["inet", "ip", "ip6", "arp", "bridge", "netdev"], {
  error: "Use one of the families inet, ip, ip6, arp, bridge, netdev",
});

/** Name of a table. */
export const TableName = Name;

/**
 * A question to the kernel whose answer is shown as the tool gives it. `addresses`: links with their
 * addresses; `neighbours`: who was found behind them; `table`: a table without the elements of its
 * sets; `set`: one set or map with them.
 */
export const Inspection = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("addresses") }),
  z.object({ kind: z.literal("neighbours") }),
  z.object({ kind: z.literal("tables") }),
  z.object({ kind: z.literal("table"), family: TableFamily, name: Name }),
  z.object({
    kind: z.literal("set"),
    family: TableFamily,
    table: Name,
    name: Name,
    /** A map, rather than a plain set. */
    map: z.boolean(),
  }),
]);
export type Inspection = z.output<typeof Inspection>;

/** One entry of an answer: one of `ip -j address` or `ip -j neighbour`, or an object of `nft -j list`. */
export type InspectionEntry = Readonly<Record<string, unknown>>;

/** A link with its addresses, as `ip -j address show` prints it. */
export const AddressEntry = z.looseObject({
  ifindex: z.int(),
  ifname: z.string(),
  flags: z.array(z.string()),
  mtu: z.int(),
  qdisc: z.string(),
  operstate: z.string(),
  group: z.string(),
  txqlen: z.int().optional(),
  link_type: z.string(),
  address: z.string().optional(),
  broadcast: z.string().optional(),
  addr_info: z.array(z.looseObject({
    family: z.string(),
    local: z.string().optional(),
    prefixlen: z.int(),
    scope: z.string(),
    valid_life_time: z.int().optional(),
    preferred_life_time: z.int().optional(),
  })),
}).meta({ id: "KernelInterface" });
export type AddressEntry = z.output<typeof AddressEntry>;

/** A neighbour, as `ip -j neighbour show` prints it. */
export const NeighbourEntry = z.looseObject({
  dst: z.string(),
  dev: z.string(),
  lladdr: z.string().optional(),
  state: z.array(z.string()).optional(),
});
export type NeighbourEntry = z.output<typeof NeighbourEntry>;
