import assert from "node:assert/strict";
import { PROCESSES } from "../../../system/processes.ts";
import {
  aptArguments,
  installedPackages,
  neededPackages,
} from "../../../system/install/packages.ts";

Deno.test("off with no services needs no Debian package", () => {
  assert.deepEqual(neededPackages(PROCESSES, { network: "off", services: [] }), []);
});

Deno.test("an applied network needs its tools, each with its reason", () => {
  const needs = neededPackages(PROCESSES, { network: "auto", services: [] });
  assert.ok(needs.some(({ name }) => name === "nftables"));
  for (const { name, reason } of needs) assert.ok(reason.length > 10, name);
});

Deno.test("a removed package whose settings remain is not installed", () => {
  const output = "nftables install ok installed\nconntrack deinstall ok config-files\n";
  assert.deepEqual([...installedPackages(output)], ["nftables"]);
});

Deno.test("apt-get asks nothing and waits for another installation", () => {
  const args = aptArguments(["nftables"]);
  assert.ok(args.includes("--yes") && args.includes("DPkg::Lock::Timeout=300"));
  assert.equal(args.at(-1), "nftables");
});
