import { join } from "node:path";
import { openStore } from "../../../system/core/store/open.ts";
import { notices } from "../../../system/core/store/schema/notices.ts";
import { History } from "../../../system/events/store/history.ts";
import { EVENTS } from "../load/home.ts";

/** Topic of events of half a kilobyte each. */
export const LARGE_EVENTS = "dns:serve:event";
const LARGE_ONES = 10_000, NOTICES = 10_000, ALERT_RULES = 200;
const PER_INSERT = 500;

/** Adds what long lists are made of to a home: large events, notices, and as many rules as there may be. */
export async function writeMuchToTell(home: string): Promise<void> {
  await Deno.writeTextFile(join(home, "configs/base/alerts.json"), JSON.stringify(alertRules()));
  const history = await History.open(join(home, "state/history.db"));
  for (const part of parts(LARGE_ONES)) {
    await history.append(part.map((n) => ({
      ...{ id: EVENTS + n + 1, topic: LARGE_EVENTS, at: Date.now() - LARGE_ONES + n },
      ...{ nanos: 0, key: null, published: true, data: JSON.stringify(largeEvent(n)) },
    })));
  }
  history.close();
  const store = await openStore(join(home, "state/sluice.db"));
  for (const part of parts(NOTICES)) {
    await store.db.insert(notices).values(part.map((n) => ({
      ...{ id: `notice ${n}`, kind: "alert-rule", subject: `rule ${n}`, data: { n } },
      ...{ detail: `Something happened for the ${n}th time`, at: n, lastAt: n, count: 1 },
      ...(n % 2 === 0 ? {} : { resolvedAt: Date.now(), resolvedBy: "admin" }),
    })));
  }
  store.close();
}

function parts(count: number): readonly (readonly number[])[] {
  return Array.from(
    { length: count / PER_INSERT },
    (_, part) => Array.from({ length: PER_INSERT }, (_, n) => part * PER_INSERT + n),
  );
}

function largeEvent(n: number): unknown {
  return {
    ...{ n, Remote: "192.168.2.6:4242", Q: [{ Name: `host-${n}.example.test.`, Qtype: 1 }] },
    A: Array.from(
      { length: 6 },
      (_, i) => ({ Name: `answer ${i}`, Type: 1, Ttl: 60, Data: "192.0.2.1" }),
    ),
  };
}

function alertRules(): unknown {
  return Array.from({ length: ALERT_RULES }, (_, i) => ({
    ...{ Name: `rule ${i}`, RuleId: crypto.randomUUID(), TopicPrefix: "device:" },
    Conditions: [{ JPath: `$[?(@.Name=="device ${i}")]` }],
    Actions: [{ StoreAlert: true, MessageTitle: "{{Name}}" }],
  }));
}
