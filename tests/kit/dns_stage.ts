import assert from "node:assert/strict";
import type { Page } from "playwright";
import { dnsBlockApp } from "../../routes/services/dns_block.ts";
import { sockets } from "../../system/core/processes.ts";
import { serveUnix } from "../../system/core/unix_socket.ts";
import { Blocking } from "../../system/dns/block/blocking.ts";
import { ListFault } from "../../system/dns/block/list_fault.ts";
import { followQueries } from "../../system/dns/log/follow.ts";
import { assertAccessible, assertNoSidewaysScroll, picture } from "./browser.ts";
import { mac } from "./device_config.ts";
import { runDnsLog } from "./dns_log.ts";
import { query } from "./dns_query.ts";
import { onRouter, type RealStage } from "./real_stage.ts";

/** A block list that cannot be fetched. */
export const LIST = "https://lists.example.org/ads.txt";
const HOSTILE = '<img src=x onerror="document.title=`gone`">‮gnp';
/** A tablet, and a device whose name would be markup. */
export const DEVICES = {
  "devices/devices.json": {
    [mac(1)]: { MAC: mac(1), Name: "Tablet", RecentIP: "192.168.2.6", Policies: ["wan", "dns"] },
    [mac(2)]: { MAC: mac(2), Name: HOSTILE, RecentIP: "192.168.2.10", Policies: ["dns"] },
  },
};

/** The log of the resolver that runs beside the router. */
export interface RunningResolver {
  readonly log: Awaited<ReturnType<typeof runDnsLog>>;
}

/** A router with a resolver beside it: its log and its block lists, on their sockets. */
export async function withResolver(
  test: (stage: RealStage & RunningResolver) => Promise<void>,
): Promise<void> {
  await onRouter({ files: DEVICES }, async (stage) => {
    const { router } = stage;
    const paths = sockets(router.home);
    await using log = await runDnsLog(router.home);
    const blocking = await Blocking.open({
      folder: `${router.home}/state/dns/lists`,
      fetch: () => Promise.reject(new ListFault("It answers 404")),
      now: Date.now,
      log: { info() {}, warn() {} },
    });
    const follow = () => blocking.configure(router.engine.config.dnsBlock, []);
    follow();
    const unsubscribe = router.bus.subscribe(follow);
    const app = dnsBlockApp({ blocking, log: (error) => assert.fail(String(error)) });
    const server = await serveUnix(paths.dnsBlock, (request) => app.fetch(request));
    const ending = new AbortController();
    const following = followQueries({
      socket: paths.dnsLog,
      engine: router.engine,
      undecided: () => false,
      bus: router.bus,
      ending: ending.signal,
    });
    try {
      await test({ ...stage, log });
    } finally {
      ending.abort();
      await following;
      unsubscribe();
      await server.shutdown();
      await blocking.close();
    }
  });
}

/** Leaves four questions in the log. */
export function ask({ store }: RunningResolver["log"]): void {
  store.record(query({ identity: mac(1), name: "www.example.com." }));
  store.record(
    query({ identity: mac(1), name: "ads.example.com.", verdict: "block", by: LIST }),
  );
  store.record(query({ identity: mac(2), client: "192.168.2.10", name: "<b>x</b>.example." }));
  store.record(
    query({ identity: "", client: "192.168.2.77", name: "router.lan.", verdict: "local" }),
  );
}

/** Nothing is wrong with how the page looks; keeps its picture. */
export async function looks(page: Page, name: string): Promise<void> {
  await assertAccessible(page);
  await assertNoSidewaysScroll(page);
  await picture(page, name);
}
