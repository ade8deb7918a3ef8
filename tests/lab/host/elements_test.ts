import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { RulesetOp } from "../../../system/core/kernel/plan.ts";
import type { Element, NftSet, Ruleset } from "../../../system/core/kernel/ruleset.ts";
import { renderLoad } from "../../../system/core/kernel/nft/text.ts";
import { must } from "../../kit/lab/command.ts";
import { listedElements, plannedElements } from "../../kit/builders/nft_elements.ts";

const PROGRAM = fileURLToPath(new URL("../../kit/lab/element_changes.ts", import.meta.url));
const VERDICTS = ["accept", "drop", "return", "continue"] as const;

const SETS: readonly Omit<NftSet, "elements">[] = [
  { name: "hosts", key: ["ipv4_addr"] },
  { name: "links", key: ["ifname"] },
  { name: "cards", key: ["ether_addr"] },
  { name: "protocols", key: ["inet_proto"] },
  { name: "ports", key: ["inet_service"], value: "verdict", counter: true },
  { name: "places", key: ["ipv4_addr", "ifname"], value: "verdict" },
  { name: "sources", key: ["ipv4_addr", "ifname", "ether_addr"], value: "verdict" },
  { name: "services", key: ["inet_proto", "ipv4_addr", "inet_service", "ifname"] },
];

const PARTS = {
  ipv4_addr: (n: number) => `192.168.${n}.6`,
  ifname: (n: number) => ["lan0", "wlan0.4096", "a-15-bytes.name"][n % 3]!,
  ether_addr: (n: number) => `02:00:00:00:0a:0${n}`,
  inet_proto: (n: number) => ["tcp", "udp", "icmp"][n % 3]!,
  inet_service: (n: number) => String(n * 256 + 80),
};

function element(set: Omit<NftSet, "elements">, n: number): Element {
  const key = set.key.map((type) => PARTS[type](n));
  return set.value === undefined ? { key } : { key, value: { kind: VERDICTS[n % 4]! } };
}

function ruleset(numbers: readonly number[]): Ruleset {
  const sets = SETS.map((set) => ({
    ...set,
    elements: new Map(numbers.map((n) => {
      const one = element(set, n);
      return [one.key.join(" . "), one] as const;
    })),
  }));
  return { tables: [{ family: "inet", name: "small", sets, chains: [] }] };
}

function changes(
  op: "add-elements" | "delete-elements",
  ...numbers: readonly number[]
): RulesetOp[] {
  return SETS.map(({ name, key, value, ...set }) => ({
    ...{ op, family: "inet", table: "small", set: name },
    shape: { key, ...(value === undefined ? {} : { value }) },
    elements: numbers.map((n) => element({ name, key, ...set, ...(value && { value }) }, n)),
  }));
}

Deno.test("elements changed without nft are listed by it as if it had changed them itself", async () => {
  const name = `elements-${Deno.pid}`;
  await must("ip", ["netns", "add", name]);
  const inside = (program: string, args: readonly string[], stdin?: string): Promise<string> =>
    must("ip", ["netns", "exec", name, program, ...args], stdin);
  const change = async (ops: readonly RulesetOp[]): Promise<string> =>
    (await inside(Deno.execPath(), ["run", "-q", "-A", PROGRAM], JSON.stringify(ops))).trim();
  const listed = async () => listedElements(await inside("nft", ["-j", "list", "ruleset"]));
  const rules = async () => await inside("nft", ["-s", "list", "ruleset"]);
  try {
    await inside("nft", ["-f", "-"], renderLoad(ruleset([0, 1])));
    assert.equal(
      await change([...changes("delete-elements", 0), ...changes("add-elements", 2)]),
      "taken",
    );
    assert.deepEqual(await listed(), plannedElements(ruleset([1, 2])));
    const text = await rules();
    await inside("nft", ["-f", "-"], renderLoad(ruleset([1, 2])));
    assert.equal(text, await rules(), "counters of elements included");
    assert.equal(await change(changes("add-elements", 1)), "taken", "what is there already");
    for (
      const [what, refused] of Object.entries({
        "an element that is not there": changes("delete-elements", 0),
        "a set that is not there": [{ ...changes("add-elements", 0)[5]!, set: "others" }],
        "another form of key": [{ ...changes("add-elements", 0)[0]!, set: "places" }],
        "another verdict of the same key": [{
          ...{ op: "add-elements", family: "inet", table: "small", set: "places" },
          shape: { key: SETS[5]!.key, value: "verdict" },
          elements: [{ ...element(SETS[5]!, 1), value: { kind: "accept" } }],
        }],
      }) as [string, RulesetOp[]][]
    ) {
      const answer = await change([...changes("add-elements", 0, 2).slice(0, 5), ...refused]);
      assert.match(answer, /^The kernel refused/, what);
      assert.deepEqual(
        await listed(),
        plannedElements(ruleset([1, 2])),
        `${what}: nothing changed`,
      );
    }
  } finally {
    await must("ip", ["netns", "delete", name]);
  }
});
