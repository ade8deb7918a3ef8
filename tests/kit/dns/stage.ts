import type { Page } from "playwright";
import { ListError } from "../../../system/dns/block/lists/list_error.ts";
import { assertAccessible, assertNoSidewaysScroll, picture } from "../browser/browser.ts";
import { mac } from "../builders/device_config.ts";
import { query } from "./query.ts";
import { onRouter, type RealStage } from "../browser/real_stage.ts";
import { type RunningResolver, runResolver } from "./running_resolver.ts";

/** A block list that cannot be fetched; every other can. */
export const LIST = "https://lists.example.org/ads.txt";
const HOSTILE = '<img src=x onerror="document.title=`gone`">‮gnp';
/** A tablet, and a device whose name would be markup. */
export const DEVICES = {
  "devices/devices.json": {
    [mac(1)]: { MAC: mac(1), Name: "Tablet", RecentIP: "192.168.2.6", Policies: ["wan", "dns"] },
    [mac(2)]: { MAC: mac(2), Name: HOSTILE, RecentIP: "192.168.2.10", Policies: ["dns"] },
  },
};

/** A router with a resolver beside it: its log and its block lists, on their sockets. */
export async function withResolver(
  test: (stage: RealStage & Pick<RunningResolver, "log">) => Promise<void>,
): Promise<void> {
  await onRouter({ files: DEVICES }, async (stage) => {
    await using resolver = await runResolver(stage.router, {
      async fetch({ uri, target }) {
        if (uri === LIST) throw new ListError("The server responded with status 404");
        await Deno.writeTextFile(target, "ads.example\n");
        return { changed: true, bytes: 12, etag: "", modified: "" };
      },
    });
    await test({ ...stage, log: resolver.log });
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
