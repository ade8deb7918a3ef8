import assert from "node:assert/strict";
import {
  isInverted,
  type NamedPolicy,
  POLICIES,
  policiesFor,
  type Policy,
  POLICY_NAMES,
  type PolicyTarget,
} from "../../../system/devices/policies.ts";
import { Device } from "../../../system/devices/schema.ts";
import { isRestrictive } from "../../../system/firewall/sets/transition.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { reach } from "../../../system/reach/reach.ts";
import { ReachQuery } from "../../../system/reach/schema.ts";
import { policiesModule } from "../../../ui/build/policies.ts";
import { custom } from "../../kit/builders/firewall_rules.ts";
import { kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";
import { DEFAULT_FIREWALL } from "../../../system/firewall/schema.ts";

const planner = networkPlanner();

const ROOT = new URL("../../../", import.meta.url);
const A = "02:00:00:00:00:0a", B = "02:00:00:00:00:0b";

/** A connection to each target of a policy. */
const CONNECTIONS: Readonly<Record<PolicyTarget, readonly [to: string, port: string]>> = {
  "internet": ["internet", "443"],
  "upstream-private": ["10.9.9.9", "443"],
  "lan": [B, "443"],
  "resolver": ["router", "53"],
  "admin": ["router", "443"],
};

function answer(from: string, target: PolicyTarget, policies: readonly Policy[]) {
  const config = network({ [A]: { ip: "192.168.2.6", policies }, [B]: { ip: "192.168.2.10" } }, {
    interfaces: [
      link("eth0", "Uplink", { DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" }),
      link("eth1", "Downlink"),
    ],
    firewall: {
      ...DEFAULT_FIREWALL,
      CustomInterfaceRules: [custom("docker0", "172.17.0.2", { Policies: [...policies] })],
    },
  });
  const facts = kernel(["lo", "eth0", "eth1", "docker0"], {
    addresses: [{ link: "docker0", address: "172.17.0.1/16" }],
  });
  const desired = planner.desire(config, seenOn(), facts);
  const [to, port] = CONNECTIONS[target];
  return reach(ReachQuery.parse({ from, to, protocol: "tcp", port }), { config, desired }, planner);
}

/** Policies that a connection to its target needs beside it; one that denies takes permissions back. */
function needs({ effect }: NamedPolicy): readonly Policy[] {
  if (!("target" in effect)) return [];
  const beneath: readonly Policy[] = effect.target === "upstream-private" ? ["wan"] : [];
  if (effect.kind !== "deny") return beneath;
  const permissions = policiesFor("allow", effect.target).filter(({ devices }) => devices !== null);
  return [...beneath, ...permissions.map(({ name }) => name)];
}

for (const policy of POLICIES) {
  const { name, effect, devices, interfaces } = policy;
  if (devices !== null && "target" in effect) {
    Deno.test(`policy ${name} decides about ${effect.target} in reach, and is the reason`, () => {
      const held = answer(A, effect.target, [...needs(policy), name]);
      const absent = answer(A, effect.target, needs(policy));
      const expected = effect.kind === "allow" ? ["accept", "drop"] : ["drop", "accept"];
      assert.deepEqual([held.verdict, absent.verdict], expected);
      const rule = held.rules.find(({ set }) => set === devices.name);
      assert.match(rule?.description ?? "", new RegExp(`by policy ${name} `));
    });
  }
  if (interfaces !== null && effect.kind === "allow") {
    Deno.test(`policy ${name} decides about ${effect.target} for a custom interface`, () => {
      const held = answer("172.17.0.2", effect.target, [...needs(policy), name]);
      const absent = answer("172.17.0.2", effect.target, needs(policy));
      assert.deepEqual([held.verdict, absent.verdict], ["accept", "drop"]);
    });
  }
  if (effect.kind === "isolate" || effect.kind === "disconnect") {
    Deno.test(`policy ${name} blocks every target but its exception in reach`, () => {
      const everything = POLICIES.filter((one) => one.kind === "permission").map((one) => one.name);
      for (const target of Object.keys(CONNECTIONS) as PolicyTarget[]) {
        const { verdict } = answer(A, target, [...everything, name]);
        const open: boolean = effect.kind === "isolate" && effect.except === target;
        assert.equal(verdict, open ? "accept" : "drop", target);
      }
    });
  }
}

Deno.test("every policy has words, and those of one switch do not contradict its kind", () => {
  for (const policy of POLICIES) {
    for (const [field, text] of Object.entries(policy.text)) {
      assert.match(text, /^\S.*[^.\s]$/, `${policy.name} ${field}`);
    }
    if (isInverted(policy)) assert.equal(policy.kind, "restriction", policy.name);
  }
});

Deno.test("the devices schema takes exactly the policies", () => {
  assert.deepEqual(Device.shape.Policies.element.options, POLICY_NAMES);
});

Deno.test("the set of a policy restricts exactly where the policy does", () => {
  for (const { name, kind, devices } of POLICIES) {
    if (devices !== null) assert.equal(isRestrictive(devices.name), kind === "restriction", name);
  }
});

Deno.test("every target of a policy can be allowed or denied by one", () => {
  for (const target of Object.keys(CONNECTIONS) as PolicyTarget[]) {
    const all = [...policiesFor("allow", target), ...policiesFor("deny", target)];
    assert.ok(all.length > 0, target);
  }
});

Deno.test("docs/firewall.md has each policy with its words", async () => {
  const lines = (await Deno.readTextFile(new URL("docs/firewall.md", ROOT))).split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  for (const { name, kind, text } of POLICIES) {
    const row = lines.find((cells) => cells[1] === `\`${name}\``);
    assert.deepEqual(row?.slice(2, 6), [text.title, kind, text.held, text.absent], name);
  }
});

Deno.test("the committed policies of the UI are the records", async () => {
  const committed = await Deno.readTextFile(new URL("ui/generated/policies.ts", ROOT));
  assert.equal(committed, policiesModule());
});

Deno.test("no file but the records lists the policies", async () => {
  const names = ["lan_upstream", "noapi", "guestonly", "dns:family", "quarantine"];
  const lists: string[] = [];
  for (const folder of ["system/", "routes/", "ui/"]) {
    for await (const file of sources(new URL(folder, ROOT))) {
      // Samples for those who work on the UI show devices, not policies.
      if (/devices\/policies\.ts$|ui_parts\/samples\.ts$/.test(file)) continue;
      const text = await Deno.readTextFile(file);
      const named = names.filter((name) =>
        new RegExp(`["\`']${name}["\`']|\\b${name}:`).test(text)
      );
      if (named.length > 2) lists.push(`${file}: ${named.join(", ")}`);
    }
  }
  assert.deepEqual(lists, []);
});

/** The TypeScript files below a folder, but what the build makes. */
async function* sources(folder: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory && name !== "dist" && name !== "generated") {
      yield* sources(new URL(`${name}/`, folder));
    } else if (/\.tsx?$/.test(name)) yield new URL(name, folder).pathname;
  }
}
