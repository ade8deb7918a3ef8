import assert from "node:assert/strict";
import { hindrances, newsOf } from "../../../system/dns/config/health_issues.ts";
import type { UpstreamState } from "../../../system/dns/upstream/group.ts";
import { createHindranceNotices } from "../../../system/dns/config/health_issue_notices.ts";

Deno.test("a hindrance that could not be told of is told of when it is reported again", async () => {
  const open = new Map<string, string>();
  let fails = true;
  const report = createHindranceNotices({
    open(_kind, detail, { subject } = {}) {
      if (fails) return Promise.reject(new Error("The store is busy"));
      open.set(String(subject), detail);
      return Promise.resolve();
    },
    settle(_kind, subject) {
      if (subject === undefined) open.clear();
      else open.delete(subject);
      return Promise.resolve();
    },
  });
  const items = [{ subject: "default", detail: "No resolver outside answers" }];
  await assert.rejects(report({ items }), /busy/);
  fails = false;
  await report({ items });
  assert.deepEqual([...open], [["default", "No resolver outside answers"]]);
  await report({ items: [] });
  assert.deepEqual([...open], []);
});

Deno.test("that the provider's resolvers are gone as well is news, what a resolver said last is not", () => {
  const one = (state: UpstreamState["state"], lastError: string): UpstreamState => ({
    ...{ address: "192.0.2.1", tlsHost: null, connections: 0, state, latency: null },
    ...{ asked: 1, failed: 1, failures: 1, lastError },
  });
  const news = (provider: UpstreamState["state"], lastError: string): string =>
    newsOf(hindrances({}, [
      { name: "default", resolvers: [one("down", lastError)] },
      { name: "provider", resolvers: [one(provider, lastError)] },
    ], 0));
  assert.equal(news("up", "no answer"), news("up", "refused"));
  assert.notEqual(news("up", "no answer"), news("down", "no answer"));
});
