import * as z from "zod";
import { invalid, notFound } from "../../system/core/errors/problem.ts";
import { deleteBlockList, putBlockList } from "../../system/dns/block/rules.ts";
import { BlockConfig, BlockList, ListUri } from "../../system/dns/block/schema.ts";
import { isUpload } from "../../system/dns/block/lists/source.ts";
import { checkUpload, MAX_UPLOAD_BYTES, stageUpload } from "../../system/dns/block/lists/upload.ts";
import {
  BlockListName,
  BlockMetrics,
  Explanation,
  ListStatus,
  ListTrial,
  ListTrialResult,
  statusOfLists,
} from "../../system/dns/block/api_schema.ts";
import { flag } from "../http/decide.ts";
import { type Route, route } from "../http/route.ts";
import { BLOCK_PATH, BLOCK_ROUTE, type DnsBlockRouteDeps } from "./block_deps.ts";

/** Milliseconds within which the resolver has tried a list: its own limit and some more. */
const TRIAL_TIMEOUT_MS = 50_000;

const Lists = BlockConfig.shape.BlockLists;

/** The name of an uploaded list, as in a path. */
const UploadName = z.object({
  name: z.string().meta({ pattern: "^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}\\s*$" }).transform((name) =>
    `upload:${name}`
  ).pipe(ListUri),
});

/** Settings that may be sent with an upload; absent ones stay unchanged. */
const { Enabled, Tags, Category, DontBlock } = BlockList.shape;
const UploadSettings = {
  Enabled: Enabled.unwrap().optional(),
  Tags: Tags.unwrap().optional(),
  Category: Category.unwrap().optional(),
  DontBlock: DontBlock.unwrap().optional(),
};

/** Block lists and uploads. */
export function blockListRoutes(deps: DnsBlockRouteDeps): Route[] {
  return [...listRoutes(deps, "blocklists"), ...listRoutes(deps, "blocklist"), uploadRoute(deps)];
}

function listRoutes({ engine }: DnsBlockRouteDeps, word: string): Route[] {
  const common = { ...BLOCK_ROUTE, path: `${BLOCK_PATH}/${word}`, response: Lists } as const;
  return [
    route(
      {
        ...common,
        method: "GET",
        summary: "Block lists",
        description:
          "Returns the configured block lists in their order; see `/plugins/dns/block/lists` for what " +
          "each contains.",
      },
      () => engine.config.dnsBlock.BlockLists,
    ),
    route({
      ...common,
      method: "PUT",
      summary: "Add or change a block list",
      description:
        "A list is known by its URI: http, https, or `upload:<name>` for an uploaded one. Returns " +
        "all lists. A new list is fetched within seconds.",
      body: BlockList,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block-list.put",
        summary: `${call.body.Enabled ? "Enabled" : "Disabled"} the block list ${call.body.URI}`,
        reduce: (config) => putBlockList(config, call.body),
      }, (lists) => lists)),
    route({
      ...common,
      method: "DELETE",
      summary: "Delete a block list",
      description:
        "Deletes the list with this URI and returns the remaining ones. Its domains are no longer " +
        "blocked.",
      body: BlockListName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block-list.delete",
        summary: `Deleted the block list ${call.body.URI}`,
        reduce: (config) => deleteBlockList(config, call.body.URI),
      }, (lists) => lists)),
  ];
}

function uploadRoute({ engine, dnsFilter, listFiles }: DnsBlockRouteDeps): Route {
  return route({
    ...BLOCK_ROUTE,
    method: "PUT",
    path: `${BLOCK_PATH}/upload/{name}`,
    summary: "Upload a block list",
    description:
      "Stores the text of the list under `upload:<name>`; hosts files, domain lists and adblock " +
      "lists are supported. Uploading again replaces the text; settings that are left out stay " +
      "unchanged.",
    examples: {
      parameters: { name: "mine" },
      body: { Text: "ads.example\ntracker.example\n", Category: "ads" },
      response: [{
        URI: "upload:mine",
        Enabled: true,
        Tags: [],
        Category: "ads",
        DontBlock: false,
      }],
    },
    params: UploadName,
    body: z.object({
      /** The list, in any supported format. */
      Text: z.string().max(MAX_UPLOAD_BYTES, {
        error: `Enter at most ${MAX_UPLOAD_BYTES} characters`,
      }),
      ...UploadSettings,
    }),
    maxBody: MAX_UPLOAD_BYTES,
    response: Lists,
    errors: [409, 412],
  }, async (call) => {
    const uri = call.params.name;
    const { Text, ...given } = call.body;
    checkUpload(Text);
    const known = engine.config.dnsBlock.BlockLists.find(({ URI }) => URI === uri);
    const list = BlockList.parse({ ...known, ...given, URI: uri });
    const decide = () =>
      call.decide({
        kind: "dns.block-list.upload",
        summary: `Uploaded the block list ${uri.slice("upload:".length)}`,
        reduce: (config) => putBlockList(config, list),
      }, (lists) => lists);
    if (flag(call.c, "dryRun")) return await decide();
    const staged = await stageUpload(listFiles, uri, Text);
    try {
      const answer = await decide();
      await staged.commit();
      await notifyResolver();
      return answer;
    } finally {
      await staged.discard();
    }

    /** A resolver that is not running finds the upload at its start. */
    async function notifyResolver(): Promise<void> {
      const path = `/refresh?uri=${encodeURIComponent(uri)}`;
      const response = await dnsFilter.call({ method: "PUT", path }).catch(() => null);
      await response?.body?.cancel();
    }
  });
}

const ListStatuses = z.object({ items: z.array(ListStatus) });

/** State of the block lists, read from the resolver. */
export function blockStateRoutes({ engine, dnsFilter }: DnsBlockRouteDeps): Route[] {
  const common = { tag: BLOCK_ROUTE.tag, access: BLOCK_ROUTE.access, errors: [502, 503] } as const;
  const pass = (path: string) => () => dnsFilter.call({ path });
  return [
    route({
      ...common,
      method: "GET",
      path: `${BLOCK_PATH}/metrics`,
      summary: "DNS blocking counters",
      description:
        "Queries and blocked queries since the resolver started, and the number of domains in the " +
        "active lists.",
      response: BlockMetrics,
    }, pass("/metrics")),
    route({
      ...common,
      method: "GET",
      path: `${BLOCK_PATH}/dump_domains`,
      summary: "All blocked domains",
      description:
        "Streams the domains of all active lists as one JSON array, each with its final dot. There " +
        "may be millions: read it as a stream.",
      examples: { response: ["ads.example.", "tracker.example."] },
      response: z.array(z.string()),
    }, pass("/dump_domains")),
    route({
      ...common,
      method: "GET",
      path: `${BLOCK_PATH}/lists`,
      summary: "Status of each block list",
      description:
        "Number of domains, time and size of the last update, and the error of the last check. " +
        "Times are unix milliseconds.",
      response: ListStatuses,
    }, async () => {
      const answer = await dnsFilter.call({ path: "/lists" });
      if (!answer.ok) return answer;
      const { items } = ListStatuses.parse(await answer.json());
      return { items: statusOfLists(engine.config.dnsBlock.BlockLists, items) };
    }),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/refresh`,
      summary: "Update block lists now",
      description:
        "Starts an update of all lists, or of the one with this `uri`, and answers at once; follow " +
        "it by the status of the lists.",
      query: z.object({ uri: z.string().max(2048).optional() }),
      errors: [...common.errors, 404],
    }, ({ query: { uri } }) => {
      if (uri !== undefined && !engine.config.dnsBlock.BlockLists.some(({ URI }) => URI === uri)) {
        throw notFound("There is no such block list");
      }
      const path = uri === undefined ? "/refresh" : `/refresh?uri=${encodeURIComponent(uri)}`;
      return dnsFilter.call({ method: "PUT", path });
    }),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/try`,
      summary: "Try a block list before it is added",
      description:
        "Downloads the list at this URI and keeps nothing of it. Answers 400 with the reason at " +
        "`/URI` where it cannot be downloaded or has no domain names. Takes up to 45 seconds.",
      body: ListTrial,
      response: ListTrialResult,
      errors: [...common.errors, 400],
    }, ({ body: { URI } }) => {
      if (isUpload(URI)) throw invalid("/URI", "Enter a URL that begins with https://");
      return dnsFilter.call({
        method: "PUT",
        path: "/try",
        body: { URI },
        timeoutMs: TRIAL_TIMEOUT_MS,
      });
    }),
    route(
      {
        ...common,
        method: "GET",
        path: `${BLOCK_PATH}/explain`,
        summary: "Explain the answer to a query",
        description:
          "Evaluates a query of `client` for `name` without sending it, and returns the verdict with " +
          "every block list and override that matches.",
        examples: { parameters: { name: "ads.example.com", client: "192.168.2.6" } },
        query: z.object({ name: z.string().max(1024), client: z.string().max(64) }),
        response: Explanation,
        errors: [400, 502, 503],
      },
      ({ query: { name, client } }) =>
        dnsFilter.call({ path: `/explain?${new URLSearchParams({ name, client })}` }),
    ),
  ];
}
