import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import { derive } from "../../../system/core/config/memo.ts";
import { skeleton } from "../../../system/core/net/look_alike.ts";
import { lookAlikeGuard } from "../../../system/devices/look_alikes.ts";
import { DEFAULT_BLOCK_CONFIG } from "../../../system/dns/block/document.ts";
import { blockList, overrideList } from "../../kit/dns/block.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";
import { group } from "../../kit/builders/small_network.ts";

const TABLET = mac(1), TV = mac(2);

function home(tags: string[], groups: string[] = [], parts: Partial<Config> = {}): Config {
  return configWith({
    devices: {
      [TABLET]: device(TABLET, { DeviceTags: ["kids"], Groups: ["media"] }),
      [TV]: device(TV, { DeviceTags: tags, Groups: groups }),
    },
    groups: [group("media"), ...groups.filter((one) => one !== "media").map((one) => group(one))],
    ...parts,
  });
}

const refusal = (before: Config, after: Config) => lookAlikeGuard(before, after)?.message ?? null;

Deno.test("a new label that looks like one that exists is refused wherever it comes from", () => {
  const twin = "kіds"; // Cyrillic і
  const before = home([]);
  assert.match(refusal(before, home([twin]))!, /^The tag kіds looks like kids/);
  assert.match(refusal(before, home([], ["mеdia"]))!, /^The group mеdia looks like media/);
  const list = (Tags: string[]) => ({
    dnsBlock: { ...DEFAULT_BLOCK_CONFIG, BlockLists: [blockList("upload:x", { Tags })] },
  });
  assert.match(refusal(before, home([], [], list([twin])))!, /^The tag/);
  assert.equal(refusal(before, home([], [], list(["kids"]))), null);
});

Deno.test("a change of other fields hides no new label behind it", () => {
  const label = fc.subarray(["kids", "kіds", "media", "mеdia"]);
  const change = fc.record({ DeviceTags: label, Groups: label, Name: fc.constantFrom("a", "b") });
  fc.assert(
    fc.property(change, change, fc.boolean(), (one, other, isBoth) => {
      const before = home([]);
      const devices = derive(before.devices, {
        [TABLET]: { ...before.devices[TABLET]!, ...one },
        ...(isBoth ? { [TV]: { ...before.devices[TV]!, ...other } } : {}),
      });
      const after = { ...before, devices };
      const names = (config: Config, field: "DeviceTags" | "Groups") => [
        ...Object.values(config.devices).flatMap((device) => device[field]),
        ...(field === "Groups" ? config.groups.map(({ Name }) => Name) : []),
      ];
      const twin = (["DeviceTags", "Groups"] as const).some((field) => {
        const known = new Set(names(before, field)), now = new Set(names(after, field));
        return [...now].some((name) =>
          !known.has(name) &&
          [...now].some((other) => other !== name && skeleton(other) === skeleton(name))
        );
      });
      assert.equal(refusal(before, after) !== null, twin);
    }),
  );
});

Deno.test("a list that looks like another is refused, and another spelling of it is not", () => {
  const lists = (...names: string[]) =>
    home([], [], {
      dnsBlock: {
        ...DEFAULT_BLOCK_CONFIG,
        OverrideLists: names.map((Name) => overrideList([], { Name })),
      },
    });
  assert.match(refusal(lists("School"), lists("School", "school"))!, /^The list of custom rules/);
  assert.equal(refusal(lists("School"), lists("School", "Schools")), null);
  assert.equal(refusal(lists("School"), lists("school")), null, "renamed");
});

Deno.test("what exists already is no reason to refuse something else", () => {
  const before = home(["kіds"]);
  assert.equal(refusal(before, home(["kіds", "new"])), null);
  assert.equal(refusal(before, before), null);
});
