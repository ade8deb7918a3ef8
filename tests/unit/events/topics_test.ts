import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { externalOpenApi } from "../../../routes/openapi/described.ts";
import { documents } from "../../../system/documents.ts";
import { ABSENT_TOPICS } from "../../../system/events/topics/absent.ts";
import { topicOf, TOPICS } from "../../../system/events/topics/topics.ts";
import { topicAccess } from "../../../system/events/topics/topic_access.ts";

Deno.test("each topic has a path that is read by GET, and one record", () => {
  const { paths } = externalOpenApi({ api: "0.0.0", program: "0.0.0" });
  for (const { name, path } of TOPICS) assert.ok(paths[path]?.["get"], `${name}: ${path}`);
  assert.equal(new Set(TOPICS.map(({ name }) => name)).size, TOPICS.length);
  assert.deepEqual(
    TOPICS.map(({ name }) => name),
    TOPICS.map(({ name }) => name).toSorted(),
  );
});

Deno.test("each document's topic has a record", () => {
  for (const { topic } of Object.values(documents)) assert.ok(topicOf(topic), topic);
});

Deno.test("each topic that the code publishes has a record", async () => {
  const PUBLISH = /\bbus\s*\.publish\(\s*(?:"(?<topic>[^"]*)"|`(?<begin>[^`$]*))/g;
  const published = new Set<string>();
  for (const path of globSync("{routes,system}/**/*.ts")) {
    for (const { groups } of (await Deno.readTextFile(path)).matchAll(PUBLISH)) {
      published.add(groups!["topic"] ?? groups!["begin"]!);
    }
  }
  assert.ok(published.size > 30, `only ${published.size} found`);
  assert.deepEqual([...published].filter((topic) => topicOf(topic) === null), []);
});

/** Every topic of the event bus and the packet log that existing clients know. */
const KNOWN_TO_CLIENTS = [
  ...["log:api", "log:www:access", "auth:success", "auth:failure", "auth:logout"],
  ...["auth:webauthn:register", "auth:webauthn:delete", "devices:save", "device:save"],
  ...["device:update", "device:delete", "device:groups:update", "device:tags:update"],
  ...["device:vpn:online", "device:vpn:offline", "wifi:auth:fail", "wifi:auth:success"],
  ...["wifi:station:disconnect", "dhcp:request", "dhcp:response", "dhcp:spoof", "wg:update"],
  ...["plugin:download:exists", "plugin:download:success", "plugin:download:failure"],
  ...["plugin:install:failure", "plugin:install:status", "system:time:sync"],
  ...["ssh:authorized_keys:added", "ssh:authorized_keys:rejected", "firewall:geo_block:refresh"],
  ...["timelimit:reached", "timelimits:save", "wan:uplink:down", "wan:uplink:up", "wan:failover"],
  ...["wan:speedtest", "crashlog:event", "alert:auth:failure:", "superd:attest:ok"],
  ...["superd:attest:failure", "plugin:docker:failure", "plugin:docker:remediation"],
  ...["nft:lan:in", "nft:lan:out", "nft:wan:in", "nft:wan:out", "nft:drop:input"],
  ...["nft:drop:forward", "nft:drop:output", "nft:drop:mac", "nft:drop:private", "nft:drop:pfw"],
  ...["nft:drop:geo", "dns:serve:192.168.2.6", "dns:block:event", "dns:override:event"],
  ...["dns:blockrebind:event", "zeroconf:device", "classify:result"],
];

Deno.test("each topic of existing clients comes, or the documentation says why it does not", () => {
  const isAbsent = (topic: string) =>
    ABSENT_TOPICS.some(({ name }) => name.endsWith(":") ? topic.startsWith(name) : topic === name);
  for (const topic of KNOWN_TO_CLIENTS) {
    assert.notEqual(topicOf(topic) !== null, isAbsent(topic), topic);
  }
});

Deno.test("the longest record that fits a topic counts", () => {
  assert.equal(topicOf("dns:serve:192.168.2.6")?.name, "dns:serve:");
  assert.equal(topicOf("wan:speedtest:start")?.name, "wan:speedtest:start");
  assert.equal(topicOf("devices")?.path, "/devices");
  assert.equal(topicOf("devices:unknown"), null);
  assert.equal(topicOf("dns"), TOPICS.find(({ name }) => name === "dns"));
});

Deno.test("who signed in by nothing but setup or a confirm token reads no topic", () => {
  for (const principal of [{ kind: "setup" }, { kind: "confirm" }, null] as const) {
    assert.equal(topicAccess({ principal })("devices"), false);
  }
});
