import assert from "node:assert/strict";
import fc from "fast-check";
import { compareVersions } from "../../../system/plugins/install/version.ts";
import { installPlugin } from "../../../system/plugins/rules.ts";
import { Plugin } from "../../../system/plugins/schema.ts";
import { configWith } from "../../kit/builders/device_config.ts";

/** Each lower than the next. */
const ASCENDING = [
  ...[
    "0.9.9",
    "1.0.0-1",
    "1.0.0-2",
    "1.0.0-11",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
  ],
  ...[
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc1",
    "1.0.0-rc2",
    "1.0.0-rc10",
    "1.0.0",
  ],
  ...["1.0.1", "1.1", "1.2.0", "1.10.0", "2.0.0-0", "2.0", "9", "10.0.0", "2024-1-5", "2024-10-1"],
  "99999999999999999998.0.0",
  "99999999999999999999.0.0",
];

Deno.test("versions are ordered as in SemVer, and what is none as people count", () => {
  for (const [i, one] of ASCENDING.entries()) {
    for (const [j, other] of ASCENDING.entries()) {
      assert.equal(Math.sign(compareVersions(one, other)), Math.sign(i - j), `${one} ${other}`);
    }
  }
  for (
    const [one, other] of [["1.0", "1.0.0"], ["v1.2", "1.2"], ["1.0.0+a", "1.0.0+b"], ["01.0", "1"]]
  ) {
    assert.equal(compareVersions(one!, other!), 0, `${one} ${other}`);
  }
});

Deno.test("the order of any two versions does not depend on which is asked about first", () => {
  const version = fc.stringMatching(/^[0-9A-Za-z][0-9a-z.+-]{0,8}$/);
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      assert.equal(Math.sign(compareVersions(a, b)), -Math.sign(compareVersions(b, a)) || 0);
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) {
        assert.ok(compareVersions(a, c) <= 0, `${a} ${b} ${c}`);
      }
    }),
    { numRuns: 3000 },
  );
});

Deno.test("an entry that was written before entries had a version is compared by that of its files", () => {
  const base = configWith(), signer = "a".repeat(64);
  const entry = (version: string) =>
    Plugin.parse({ Name: "sample", URI: "sample", Enabled: true, signer, version });
  const config = { ...base, plugins: { ...base.plugins, Plugins: [entry("")] } };
  const install = (versionBefore: string, older: boolean) =>
    installPlugin(config, entry("1.0.0"), { accepts: { signer: false, older }, versionBefore });
  assert.throws(() => install("2.0.0", false), /older than 2\.0\.0/);
  for (const [before, older] of [["2.0.0", true], ["1.0.0", false], ["", false]] as const) {
    const [{ plugins }] = install(before, older);
    assert.equal(plugins.Plugins[0]!.version, "1.0.0");
  }
});
