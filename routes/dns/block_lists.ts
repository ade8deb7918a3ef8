import { z } from "zod";
import { notFound } from "../../system/core/errors/problem.ts";
import { deleteBlockList, putBlockList } from "../../system/dns/block/rules.ts";
import { BlockConfig, BlockList, ListUri } from "../../system/dns/block/schema.ts";
import { checkUpload, MAX_UPLOAD_BYTES, stageUpload } from "../../system/dns/block/lists/upload.ts";
import {
  BlockListName,
  BlockMetrics,
  Explanation,
  ListStatus,
  statusOfLists,
} from "../../system/dns/block/api_schema.ts";
import { flag } from "../http/decide.ts";
import { type Route, route } from "../http/route.ts";
import { socketCall } from "../http/socket_call.ts";
import { BLOCK_PATH, BLOCK_ROUTE, type DnsBlockRouteDeps } from "./block_deps.ts";

const Lists = BlockConfig.shape.BlockLists;

/** Names that uploaded lists go by, as they stand in a path. */
const UploadName = z.object({
  name: z.string().transform((name) => `upload:${name}`).pipe(ListUri),
});

/** What may be said of a list together with its text; what is left out stays as it was. */
const { Enabled, Tags, Category, DontBlock } = BlockList.shape;
const Given = {
  Enabled: Enabled.unwrap().optional(),
  Tags: Tags.unwrap().optional(),
  Category: Category.unwrap().optional(),
  DontBlock: DontBlock.unwrap().optional(),
};

/** The block lists: which there are, how they stand, and to bring one's own. */
export function blockListRoutes(deps: DnsBlockRouteDeps): Route[] {
  return [...listRoutes(deps, "blocklists"), ...listRoutes(deps, "blocklist"), uploadRoute(deps)];
}

function listRoutes({ engine }: DnsBlockRouteDeps, word: string): Route[] {
  const common = { ...BLOCK_ROUTE, path: `${BLOCK_PATH}/${word}`, response: Lists } as const;
  return [
    route(
      { ...common, method: "GET", summary: "Block lists" },
      () => engine.config.dnsBlock.BlockLists,
    ),
    route({
      ...common,
      method: "PUT",
      summary: "Add a block list, or change the one with its URI",
      body: BlockList,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block-list.put",
        summary: `${call.body.Enabled ? "Use" : "Switch off"} the block list ${call.body.URI}`,
        reduce: (config) => putBlockList(config, call.body),
      }, (lists) => lists)),
    route({
      ...common,
      method: "DELETE",
      summary: "Take a block list away",
      body: BlockListName,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "dns.block-list.delete",
        summary: "Take a block list away",
        reduce: (config) => deleteBlockList(config, call.body.URI),
      }, (lists) => lists)),
  ];
}

function uploadRoute({ engine, filterSocket: blocking, listFiles }: DnsBlockRouteDeps): Route {
  return route({
    ...BLOCK_ROUTE,
    method: "PUT",
    path: `${BLOCK_PATH}/upload/{name}`,
    summary: "Bring a list of one's own, or a newer one of that name; it becomes a block list",
    params: UploadName,
    body: z.object({
      /** The list itself, in any form that is read. */
      Text: z.string().max(MAX_UPLOAD_BYTES, {
        error: `Use at most ${MAX_UPLOAD_BYTES} characters`,
      }),
      ...Given,
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
        summary: `Use the uploaded block list ${uri.slice("upload:".length)}`,
        reduce: (config) => putBlockList(config, list),
      }, (lists) => lists);
    if (flag(call.c, "dryRun")) return await decide();
    const staged = await stageUpload(listFiles, uri, Text);
    try {
      const answer = await decide();
      await staged.commit();
      await tellResolver();
      return answer;
    } finally {
      await staged.discard();
    }

    /** One that does not run finds it at its start. */
    async function tellResolver(): Promise<void> {
      const path = `/refresh?uri=${encodeURIComponent(uri)}`;
      const told = await socketCall(blocking, { method: "PUT", path }).catch(() => null);
      await told?.body?.cancel();
    }
  });
}

const ListStatuses = z.object({ items: z.array(ListStatus) });

/** What the resolver alone knows. */
export function blockStateRoutes({ engine, filterSocket: blocking }: DnsBlockRouteDeps): Route[] {
  const common = { tag: BLOCK_ROUTE.tag, access: BLOCK_ROUTE.access, errors: [502, 503] } as const;
  const pass = (path: string) => () => socketCall(blocking, { path });
  return [
    route({
      ...common,
      method: "GET",
      path: `${BLOCK_PATH}/metrics`,
      summary: "Questions and blocked ones since the resolver started, and names in all lists",
      response: BlockMetrics,
    }, pass("/metrics")),
    route({
      ...common,
      method: "GET",
      path: `${BLOCK_PATH}/dump_domains`,
      summary: "Every name that a list blocks, with its final dot; there may be millions",
      response: z.array(z.string()),
    }, pass("/dump_domains")),
    route({
      ...common,
      method: "GET",
      path: `${BLOCK_PATH}/lists`,
      summary: "How each block list stands: names, last look, what went wrong",
      response: ListStatuses,
    }, async () => {
      const answer = await socketCall(blocking, { path: "/lists" });
      if (!answer.ok) return answer;
      const { items } = ListStatuses.parse(await answer.json());
      return { items: statusOfLists(engine.config.dnsBlock.BlockLists, items) };
    }),
    route({
      ...common,
      method: "PUT",
      path: `${BLOCK_PATH}/refresh`,
      summary: "Look at all block lists now, or at the one with the URI",
      query: z.object({ uri: z.string().max(2048).optional() }),
      errors: [...common.errors, 404],
    }, ({ query: { uri } }) => {
      if (uri !== undefined && !engine.config.dnsBlock.BlockLists.some(({ URI }) => URI === uri)) {
        throw notFound("There is no such list");
      }
      const path = uri === undefined ? "/refresh" : `/refresh?uri=${encodeURIComponent(uri)}`;
      return socketCall(blocking, { method: "PUT", path });
    }),
    route(
      {
        ...common,
        method: "GET",
        path: `${BLOCK_PATH}/explain`,
        summary: "Why a name is answered to a client as it is",
        query: z.object({ name: z.string().max(1024), client: z.string().max(64) }),
        response: Explanation,
        errors: [400, 502, 503],
      },
      ({ query: { name, client } }) =>
        socketCall(blocking, { path: `/explain?${new URLSearchParams({ name, client })}` }),
    ),
  ];
}
