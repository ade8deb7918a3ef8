import assert from "node:assert/strict";
import { AddressEntry, type InspectionEntry } from "../../../system/core/kernel/inspection.ts";
import type { Ruleset } from "../../../system/core/kernel/ruleset.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { mapListing, tableListing } from "../../../system/network/kernel/inspect.ts";
import { inLabWithNetd } from "../../kit/lab/netd.ts";
import { configWith } from "../../kit/builders/device_config.ts";
import { smallRuleset } from "../../kit/builders/small_ruleset.ts";

const SET = { kind: "set", family: "inet", table: "small", name: "passes", map: true } as const;

function mapOf(entries: readonly InspectionEntry[]): Record<string, unknown> {
  const { handle: _, ...map } = entries.find((entry) => entry["map"])!["map"] as Record<
    string,
    unknown
  >;
  return map;
}

Deno.test("netd shows the kernel's own tables and addresses, as the model does", () =>
  inLabWithNetd(async (lab, netd) => {
    const ruleset = smallRuleset(["192.168.2.6", "lan0"], ["192.168.2.10", "lan1"]);
    await netd.host.apply({ kind: "load", ruleset });
    const model = memoryHost();
    await model.apply({ kind: "load", ruleset });
    const shown = mapOf(await netd.host.inspect(SET));
    const elements = (map: Record<string, unknown>) =>
      (map["elem"] as unknown[]).map((one) => JSON.stringify(one)).sort();
    assert.deepEqual(elements(shown), elements(mapOf(await model.inspect(SET))));
    const { nftables } = await tableListing(netd.host, ruleset, { family: "inet", name: "small" });
    assert.equal((mapOf(nftables)["elem"] as unknown[]).length, 2);
    const counted: Ruleset = {
      tables: [{
        family: "inet",
        name: "small",
        chains: [],
        sets: [{
          name: "ports",
          key: ["inet_service"],
          value: "verdict",
          counter: true,
          elements: new Map([["22", { key: ["22"], value: { kind: "accept" } }]]),
        }],
      }],
    };
    const rules = nftables.filter((entry) => entry["rule"]);
    assert.match(JSON.stringify(rules), /"counter":\{"packets"/);
    await assert.rejects(netd.host.inspect({ ...SET, name: "nothing" }), { status: 404 });
    await netd.host.apply({ kind: "load", ruleset: counted });
    const config = configWith();
    const ports = await mapListing({ host: netd.host, ruleset: counted, config }, "ports");
    assert.deepEqual(mapOf(ports.nftables)["elem"], [[22, { accept: null }]]);
    const links = await netd.host.inspect({ kind: "addresses" });
    for (const link of links) AddressEntry.parse(link);
    const wan = links.find(({ ifname }) => ifname === "wan0") as AddressEntry | undefined;
    assert.ok(wan?.flags.includes("UP"), lab.name);
    assert.ok(wan?.addr_info.some(({ local }) => local === "203.0.113.2"));
  }));
