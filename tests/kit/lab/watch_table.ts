import type { Lab } from "./lab.ts";

const NAME = "inet reach_watch";

/** Priorities before and after every table of ours. */
const FIRST = -400, LAST = 400;

function chain(name: string, hook: string, priority: number, set: string): string {
  return [
    `add chain ${NAME} ${name} { type filter hook ${hook} priority ${priority}; policy accept; }`,
    `add rule ${NAME} ${name} meta l4proto { tcp, udp } th sport >= 20000 add @${set} { th sport }`,
    `add rule ${NAME} ${name} icmp type echo-request icmp id >= 20000 add @${set}_ping { icmp id }`,
  ].join("\n");
}

const SETS = ["came", "passed"].flatMap((set) => [set, `${set}_ping`]);

/**
 * A table in the lab's router that notes which packets came, by source port or echo identifier, and
 * which every other table let through.
 */
export async function watchPackets(lab: Lab): Promise<void> {
  const script = [
    `add table ${NAME}`,
    ...SETS.map((set) => {
      const type = set.endsWith("_ping") ? "typeof icmp id" : "type inet_service";
      return `add set ${NAME} ${set} { ${type}; flags dynamic; size 65535; }`;
    }),
    chain("arrive", "prerouting", FIRST, "came"),
    chain("leave", "output", FIRST, "came"),
    chain("in", "input", LAST, "passed"),
    chain("through", "forward", LAST, "passed"),
    chain("out", "postrouting", LAST, "passed"),
  ].join("\n");
  await lab.must("router", "nft", ["-f", "-"], `${script}\n`);
}

/** Identifiers of packets. */
export interface Watched {
  readonly came: ReadonlySet<number>;
  readonly passed: ReadonlySet<number>;
}

/** Which packets came and which passed since they were last forgotten. */
export async function watchedPackets(lab: Lab): Promise<Watched> {
  const listing = JSON.parse(
    await lab.must("router", "nft", ["-j", "list", "table", ...NAME.split(" ")]),
  ) as { nftables: { set?: { name: string; elem?: readonly unknown[] } }[] };
  const ids = (name: string): number[] =>
    listing.nftables.filter(({ set }) => set?.name === name || set?.name === `${name}_ping`)
      .flatMap(({ set }) => set?.elem ?? []).map(idOf);
  return { came: new Set(ids("came")), passed: new Set(ids("passed")) };
}

/** Forgets all packets that were noted. */
export async function forgetPackets(lab: Lab): Promise<void> {
  const flush = SETS.map((set) => `flush set ${NAME} ${set}`).join("\n");
  await lab.must("router", "nft", ["-f", "-"], `${flush}\n`);
}

function idOf(element: unknown): number {
  if (typeof element === "object" && element !== null && "elem" in element) {
    return Number((element.elem as { val: unknown }).val);
  }
  return Number(element);
}
