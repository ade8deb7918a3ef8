import { Hono } from "hono";
import { notFound } from "../../system/core/errors/problem.ts";
import {
  ClientPath,
  EventsAsk,
  KeepAsk,
  LogAsk,
  StatusAsk,
} from "../../system/dns/log/search/request_schema.ts";
import type { LogStore } from "../../system/dns/log/writer/store.ts";
import { empty, errorAnswer, json, problemAnswer } from "../http/answer.ts";
import { jsonBody, validate } from "../http/body.ts";

/** What the socket of the query log needs from outside. */
export interface DnsLogDeps {
  readonly store: Pick<
    LogStore,
    "config" | "dropped" | "page" | "status" | "forget" | "keepOnly" | "events"
  >;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: (error: unknown) => void;
}

/** Queries that a history holds, as existing clients know it. */
const HISTORY = 1024;
/** Entries of one part of the log, and events of one answer, where nothing is said. */
const PART = 100;
/** Milliseconds of the counts where nothing is said. */
const DAY = 86_400_000;

/** The resolver's own socket for the query log: what it alone knows, and what is to be forgotten. */
export function dnsLogApp({ store, now, log }: DnsLogDeps): Hono {
  const app = new Hono();
  app.get("/config", () => {
    const { HostPrivacyIPList, DomainIgnoreList } = store.config;
    return json([{ HostPrivacyIPList }, { DomainIgnoreList }]);
  });
  app.get("/host_privacy_list", () => json(store.config.HostPrivacyIPList));
  app.get("/domain_ignores", () => json(store.config.DomainIgnoreList));
  app.get("/history/:ip", async (c) => {
    const { ip } = validate(ClientPath, c.req.param());
    const part = { client: ip, name: "", verdicts: [], before: null, limit: HISTORY };
    return json((await store.page(part)).items);
  });
  app.delete("/history/:ip", async (c) => {
    await store.forget(validate(ClientPath, c.req.param()).ip);
    return empty();
  });
  app.get("/entries", async (c) => {
    const { client, name, verdict, after, limit } = validate(LogAsk, c.req.query());
    return json(
      await store.page({
        client,
        name,
        verdicts: verdict,
        before: after ?? null,
        limit: Math.max(1, limit ?? PART),
      }),
    );
  });
  app.delete("/entries", async () => {
    await store.forget("");
    return empty();
  });
  app.get("/status", async (c) => {
    const { client, since } = validate(StatusAsk, c.req.query());
    const status = await store.status(client, since ?? now() - DAY);
    return json({ ...status, dropped: store.dropped });
  });
  app.get("/events", async (c) => {
    const { after, wait, most } = validate(EventsAsk, c.req.query());
    return json(await store.events(after ?? null, { wait: wait ?? 0, most: most ?? PART }));
  });
  app.put("/keep", async (c) => {
    const { identities } = (await jsonBody(c.req.raw, KeepAsk, { limit: 1 << 23 }))!;
    await store.keepOnly(identities);
    return empty();
  });
  app.onError((error) => errorAnswer(error, log));
  app.notFound(() => problemAnswer(notFound("There is nothing at this path of this socket")));
  return app;
}
