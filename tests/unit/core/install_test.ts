import assert from "node:assert/strict";
import { PROCESSES, SERVICES } from "../../../system/processes.ts";
import {
  aptArguments,
  installedPackages,
  neededPackages,
  packageText,
  withInstalled,
} from "../../../system/install/packages.ts";

Deno.test("demo mode needs no Debian package, whatever runs", () => {
  for (const services of [[], SERVICES]) {
    assert.deepEqual(neededPackages(PROCESSES, { network: "off", services }), []);
  }
});

Deno.test("a package is needed once, by each process that runs and names it, with its reason", () => {
  const needs = neededPackages(PROCESSES, { network: "auto", services: ["uplinkd"] });
  const by = new Map(needs.map(({ name, neededBy }) => [name, neededBy]));
  assert.equal(by.size, needs.length);
  assert.deepEqual(by.get("nftables"), [{ process: "netd", why: "loads the firewall rules" }]);
  assert.deepEqual(by.get("procps")?.map(({ process }) => process), ["netd", "uplinkd"]);
  assert.ok(by.has("ppp") && !by.has("hostapd"), "wifid does not run");
  for (
    const { process, packages } of PROCESSES.map(({ name, packages }) => ({
      process: name,
      packages,
    }))
  ) {
    for (const { reason } of packages) assert.ok(reason.length > 10, `${process}: ${reason}`);
  }
});

Deno.test("the output of dpkg separates installed packages from missing ones; without it both are unknown", () => {
  const needs = neededPackages(PROCESSES, { network: "auto", services: [] });
  const output = "nftables install ok installed\nconntrack deinstall ok config-files\n";
  const found = new Map(
    withInstalled(needs, output).map(({ name, installed }) => [name, installed]),
  );
  assert.deepEqual([found.get("nftables"), found.get("conntrack")], [true, false]);
  assert.ok(withInstalled(needs, null).every(({ installed }) => installed === null));
});

Deno.test("a need in words names the package, who needs it and why", () => {
  const neededBy = [{ process: "netd", why: "a" }, { process: "uplinkd", why: "b" }];
  assert.equal(packageText({ name: "procps", neededBy }), "procps, for netd: a; for uplinkd: b");
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
