import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import { dnsEffects as dnsEffectSteps } from "../../../system/dns/config/effects.ts";
import { DEFAULT_BLOCK_CONFIG } from "../../../system/dns/block/document.ts";
import type { BlockConfig } from "../../../system/dns/block/schema.ts";
import type { Device } from "../../../system/devices/schema.ts";
import { blockList, override, overrideList } from "../../kit/dns/block.ts";
import { sentencesOf } from "../../kit/builders/effects.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";

function dnsEffects(before: Config, after: Config): readonly string[] {
  return sentencesOf(dnsEffectSteps({ before, after }));
}

const ADS = "https://lists.example/ads";
const TABLET = mac(1), TV = mac(2);

function config(block: Partial<BlockConfig> = {}, tablet: Partial<Device> = {}): Config {
  return configWith({
    dnsBlock: { ...DEFAULT_BLOCK_CONFIG, ...block },
    devices: {
      [TABLET]: device(TABLET, { Name: "Tablet", RecentIP: "192.168.2.6", ...tablet }),
      [TV]: device(TV, { Name: "TV", RecentIP: "192.168.2.10", DeviceTags: ["media"] }),
    },
  });
}

const lists = (...all: Parameters<typeof blockList>[]) => ({
  BlockLists: all.map((one) => blockList(...one)),
});
const rules = (...all: Parameters<typeof override>[]) => ({
  OverrideLists: [overrideList(all.map((one) => override(...one)))],
});

Deno.test("a tag that switches lists or rules on for a device says so", () => {
  const block = {
    ...lists([ADS, { Tags: ["kids"] }], ["upload:all"], ["upload:log", {
      Tags: ["kids"],
      DontBlock: true,
    }]),
    OverrideLists: [overrideList([override("games.example.")], { Tags: ["kids"], Name: "School" })],
  };
  assert.deepEqual(dnsEffects(config(block), config(block, { DeviceTags: ["kids"] })), [
    `The block list ${ADS} blocks its domains for Tablet`,
    "The custom rules School apply to Tablet",
  ]);
  assert.deepEqual(dnsEffects(config(block, { DeviceTags: ["kids"] }), config(block)), [
    `The block list ${ADS} no longer blocks for Tablet`,
    "The custom rules School no longer apply to Tablet",
  ]);
  assert.deepEqual(dnsEffects(config(block), config(block, { DeviceTags: ["other"] })), []);
  const excluded = { ...block, ClientIPExclusions: ["192.168.2.6"] };
  assert.deepEqual(dnsEffects(config(excluded), config(excluded, { DeviceTags: ["kids"] })), []);
});

Deno.test("a block list says for whom it blocks, and for whom no longer", () => {
  const all = config(lists([ADS]));
  const tagged = config(lists([ADS, { Tags: ["media"] }]));
  const one = (before: Config, after: Config) => dnsEffects(before, after).join();
  assert.equal(one(config(), all), `The block list ${ADS} blocks its domains for all devices`);
  assert.equal(one(config(), tagged), `The block list ${ADS} blocks its domains for TV`);
  assert.equal(one(all, tagged), `The block list ${ADS} no longer blocks for Tablet`);
  assert.equal(one(tagged, all), `The block list ${ADS} blocks its domains for all devices`);
  assert.equal(
    one(all, config(lists([ADS, { Enabled: false }]))),
    `The block list ${ADS} no longer blocks for all devices`,
  );
  assert.match(
    one(config(), config(lists([ADS, { Tags: ["x"] }]))),
    /tag x, of which there are none/,
  );
  assert.match(
    one(
      config({ ClientIPExclusions: ["192.168.2.10"] }),
      config({ ...lists([ADS]), ClientIPExclusions: ["192.168.2.10"] }),
    ),
    /all devices but TV$/,
  );
});

Deno.test("custom rules and exclusions name domain and device", () => {
  assert.deepEqual(
    dnsEffects(
      config(rules(["old.example."])),
      config({
        ...rules(
          ["ads.example.", { ClientIP: "192.168.2.6" }],
          ["good.example.", { Type: "permit", Tags: ["media"] }],
          ["nas.example.", { ResultIP: "192.168.2.9" }],
        ),
        ClientIPExclusions: ["192.168.2.10"],
      }),
    ),
    [
      "old.example is no longer blocked for all devices",
      "good.example is allowed for devices with the tag media, of which there are none",
      "ads.example is blocked for Tablet",
      "nas.example is rewritten to 192.168.2.9 for all devices but TV",
      "Nothing is blocked for TV",
    ],
  );
  const many = rules(...Array.from({ length: 30 }, (_, i) => [`a${i}.example.`] as [string]));
  assert.deepEqual(dnsEffects(config(), config(many)), ["30 custom rules of Default are new"]);
});

Deno.test("what moves with a device or only expires later is no effect", () => {
  const at = (address: string) =>
    config(
      { ...rules(["ads.example.", { ClientIP: address }]), ClientIPExclusions: [address] },
      { RecentIP: address },
    );
  assert.deepEqual(dnsEffects(at("192.168.2.6"), at("192.168.2.70")), []);
  assert.deepEqual(
    dnsEffects(config(rules(["a.example."])), config(rules(["a.example.", { Expiration: 2e9 }]))),
    [],
  );
});

Deno.test("policies, a resolver of its own and a new name of a device are listed", () => {
  const of = (before: Partial<Device>, after: Partial<Device>) =>
    dnsEffects(config({}, before), config({}, after));
  assert.deepEqual(of({}, { Policies: ["dns", "dns:family"] }), [
    "Family DNS (1.1.1.3, 1.0.0.3) filters the names of Tablet",
  ]);
  assert.deepEqual(of({}, { Policies: ["quarantine"] }), ["No name resolves for Tablet"]);
  assert.deepEqual(of({ Policies: ["quarantine"] }, {}), ["Names are resolved again for Tablet"]);
  assert.deepEqual(of({}, { DNSCustom: "8.8.8.8" }), ["8.8.8.8 resolves the names of Tablet"]);
  assert.deepEqual(of({}, { Name: "Big Tablet" }), ["The name tablet.lan becomes big-tablet.lan"]);
  assert.deepEqual(of({}, { Policies: ["wan"] }), []);
});

Deno.test("whether the provider's resolvers see names is reported", () => {
  const before = config();
  const after = { ...before, dns: { ...before.dns, ProviderResolvers: "first" as const } };
  assert.deepEqual(dnsEffects(before, after), [
    "ISP resolvers are used before others, and see all names",
  ]);
  assert.deepEqual(dnsEffects(after, before), ["ISP resolvers are not used"]);
});

Deno.test("a thousand devices and many lists are computed in short steps", () => {
  const many = (tag: string): Config =>
    configWith({
      devices: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [
        mac(i),
        device(mac(i), { Name: `Device ${i}`, DeviceTags: [tag] }),
      ])),
      dnsBlock: {
        ...DEFAULT_BLOCK_CONFIG,
        ...lists(...Array.from({ length: 60 }, (_, i) =>
          [`upload:${i}`, { Tags: ["kids"] }] as [string, object])),
      },
    });
  let steps = 0, sentences = 0;
  for (const sentence of dnsEffectSteps({ before: many("adults"), after: many("kids") })) {
    steps++;
    if (sentence !== undefined) sentences++;
  }
  assert.equal(sentences, 60);
  assert.ok(steps >= 120, "one step for each list at least");
});

Deno.test("other resolvers are listed", () => {
  const before = config();
  const UpstreamProviders = [{ IPAddress: "9.9.9.9", TLSHost: "", DisableTls: true }];
  assert.deepEqual(dnsEffects(before, { ...before, dns: { ...before.dns, UpstreamProviders } }), [
    "Names are resolved by 9.9.9.9 (unencrypted) instead of 1.1.1.1, 1.0.0.1",
  ]);
});
