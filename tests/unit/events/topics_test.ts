import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { externalOpenApi } from "../../../routes/openapi/described.ts";
import { documents } from "../../../system/documents.ts";
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
