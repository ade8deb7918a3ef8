import assert from "node:assert/strict";
import { healthIssues, issuesKey } from "../../../system/dns/config/health_issues.ts";
import type { UpstreamState } from "../../../system/dns/upstream/group.ts";
import { createHealthIssueNotices } from "../../../system/dns/config/health_issue_notices.ts";

Deno.test("a health issue whose notice could not be opened gets one with the next report", async () => {
  const open = new Map<string, string>();
  let fails = true;
  const report = createHealthIssueNotices({
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
  const items = [{ subject: "default", detail: "No upstream resolver responds" }];
  await assert.rejects(report({ items }), /busy/);
  fails = false;
  await report({ items });
  assert.deepEqual([...open], [["default", "No upstream resolver responds"]]);
  await report({ items: [] });
  assert.deepEqual([...open], []);
});

Deno.test("an address that another program uses is an issue, one that appears later is none", () => {
  const issues = healthIssues(
    {
      "192.0.2.1": {
        reason: "inUse",
        message: "Port 53 of 192.0.2.1 is in use by another program",
      },
      "192.0.2.2": { reason: "noAddress", message: "192.0.2.2 is not an address of this router" },
    },
    [],
    0,
  );
  assert.deepEqual(issues, [
    { subject: "192.0.2.1", detail: "Port 53 of 192.0.2.1 is in use by another program" },
  ]);
});

Deno.test("ISP resolvers going down is reported anew, another error of a resolver is not", () => {
  const resolver = (state: UpstreamState["state"], lastError: string): UpstreamState => ({
    ...{ address: "192.0.2.1", tlsHost: null, connections: 0, state, latency: null },
    ...{ queries: 1, failed: 1, consecutiveFailures: 1, lastError },
  });
  const key = (isp: UpstreamState["state"], lastError: string): string =>
    issuesKey(healthIssues({}, [
      { name: "default", resolvers: [resolver("down", lastError)] },
      { name: "provider", resolvers: [resolver(isp, lastError)] },
    ], 0));
  assert.equal(key("up", "no answer"), key("up", "refused"));
  assert.notEqual(key("up", "no answer"), key("down", "no answer"));
});
