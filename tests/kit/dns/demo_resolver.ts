import type { FetchOptions, FetchResult } from "../../../system/dns/block/lists/fetch_list.ts";
import { ListError } from "../../../system/dns/block/lists/list_error.ts";
import type { DnsStatus } from "../../../system/dns/config/status_schema.ts";
import type { DnsSettings } from "../../../system/dns/config/schema.ts";
import { demoId } from "../builders/demo_home.ts";
import { answerBytes, query } from "./query.ts";
import type { TestRouter } from "../router.ts";
import { type RunningResolver, runResolver } from "./running_resolver.ts";

const ADS = "https://lists.example.org/ads.txt";
const TRACKING = "https://lists.example.net/tracking/hosts.txt";
const GAMES = "https://lists.example.org/games.txt";

/** Place of the home server in the demo home. */
const SERVER = 4;

/** How many names the lists of the demo hold; those that are not here cannot be fetched. */
const NAMES: Readonly<Record<string, number>> = { [ADS]: 48_211, [TRACKING]: 9_764 };

/** Seconds ago, index of the client, query name, verdict, and why or by which upstream. */
type DemoQuery = readonly [
  ago: number,
  device: number,
  name: string,
  verdict: "pass" | "block" | "local" | "permit" | "rewrite" | "rebind",
  by: string,
];

const QUERIES: readonly DemoQuery[] = [
  [4, 6, "ads.tv.example.com.", "block", ADS],
  [6, 1, "www.example.org.", "pass", "9.9.9.9"],
  [9, 3, "match.games.example.net.", "pass", ""],
  [15, 0, "server.lan.", "local", "server.lan"],
  [21, 9, "cloud.heatpump.example.", "pass", "1.1.1.1"],
  [26, 2, "xn--bcher-kva.example.", "pass", "9.9.9.9"],
  [31, 2, "metrics.social.example.com.", "block", TRACKING],
  [44, 0, "mail.example.com.", "pass", ""],
  [52, 6, "metrics.tv.example.com.", "block", TRACKING],
  [58, 1, "school.example.org.", "permit", "school.example.org"],
  [71, 8, "firmware.doorbell.example.", "pass", "1.1.1.1"],
  [83, 3, "ads.games.example.net.", "block", ADS],
  [95, 2, "photos.example.com.", "rewrite", "photos.example.com"],
  [118, 9, "panel.heatpump.example.", "rebind", ""],
  [140, 4, "mirror.example.org.", "pass", "9.9.9.9"],
];

/**
 * A resolver beside a demo home that is at work: lists in force, decisions, questions of all kinds,
 * and resolvers outside of which one does not answer. Nothing of it leaves the machine.
 */
export async function demoResolver(router: TestRouter): Promise<RunningResolver> {
  const started = Date.now() - 5 * 86_400_000;
  const resolver = await runResolver(router, {
    fetch: writeList,
    status: () => statusOf(router.engine.config.dns, started),
  });
  const devices = await router.json<Record<string, { RecentIP: string }>>("GET", "/devices");
  const server = devices[demoId(SERVER)]?.RecentIP ?? "";
  await decide(router, server);
  const now = Date.now();
  for (const [ago, device, name, verdict, by] of QUERIES.toReversed()) {
    const isPublic = verdict === "pass" || verdict === "permit" || verdict === "rebind";
    const answers = verdict === "block" || verdict === "rebind"
      ? []
      : [{ type: 1, data: isPublic ? [192, 0, 2, ago % 250] : server.split(".").map(Number) }];
    resolver.log.store.record(query({
      at: now - ago * 1000,
      identity: demoId(device),
      client: devices[demoId(device)]?.RecentIP ?? "",
      name,
      verdict,
      by: verdict === "pass" ? "" : by,
      upstream: verdict === "pass" ? by : "",
      categories: [],
      ms: verdict === "pass" && by !== "" ? 9 + ago % 17 : 0.04,
      message: answerBytes(name, { rcode: answers.length === 0 ? 3 : 0, answers }),
    }));
  }
  return resolver;
}

/** A list of as many names as it is said to hold. */
async function writeList({ uri, target }: FetchOptions): Promise<FetchResult> {
  const names = NAMES[uri];
  if (names === undefined) throw new ListError("The server responded with status 404");
  const listed = QUERIES.flatMap(([, , name, , by]) => by === uri ? [name] : []);
  const lines = Array.from(
    { length: names },
    (_, number) => `0.0.0.0 ${listed[number] ?? `n${number}.example.com`}`,
  );
  const text = `${lines.join("\n")}\n`;
  await Deno.writeTextFile(target, text);
  return { changed: true, bytes: text.length, etag: "", modified: "" };
}

async function decide(router: TestRouter, server: string): Promise<void> {
  const put = async (path: string, body: unknown): Promise<void> => {
    const answer = await router.ask("PUT", path, { body });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    await answer.body?.cancel();
  };
  const block = "/plugins/dns/block";
  await put(`${block}/blocklists`, { URI: ADS, Category: "Advertising" });
  await put(`${block}/blocklists`, { URI: TRACKING, Category: "Tracking" });
  await put(`${block}/blocklists`, { URI: GAMES, Category: "Games", Tags: ["school"] });
  await put(`${block}/override/Default`, { Type: "permit", Domain: "school.example.org." });
  await put(`${block}/override/Default`, {
    Type: "block",
    Domain: "bücher.example",
    Expiration: 3600,
  });
  await put(`${block}/override/Default`, {
    Type: "block",
    Domain: "photos.example.com.",
    ResultIP: server,
  });
  await put("/dns/hostnames/photos.lan", { IPAddress: server });
  await put("/dns/hostnames/music.lan", { IPAddress: server });
}

function statusOf(settings: DnsSettings, started: number): DnsStatus {
  const resolver = (
    { IPAddress, TLSHost }: DnsSettings["UpstreamProviders"][number],
    index: number,
  ) => ({
    address: IPAddress,
    tlsHost: TLSHost === "" ? null : TLSHost,
    state: "up" as const,
    latency: 11 + 6 * index,
    connections: TLSHost === "" ? 0 : 1,
    queries: 41_280 - 38_000 * index,
    failed: 12 * index,
    consecutiveFailures: 0,
    lastError: null,
  });
  return {
    started,
    apiConnected: true,
    listening: ["192.168.2.1"],
    listenErrors: {},
    upstreams: [
      {
        name: "default",
        clockUntrusted: false,
        resolvers: settings.UpstreamProviders.map(resolver),
      },
      { name: "family", clockUntrusted: false, resolvers: settings.FamilyProviders.map(resolver) },
    ],
    cache: { entries: 4318, bytes: 1_204_000 },
    pending: 0,
    connections: 2,
    counters: {},
    unlogged: 0,
  };
}
