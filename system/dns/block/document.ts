import type * as z from "zod";
import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { checkLarge } from "../../core/config/check_large.ts";
import { isRecord } from "../../core/config/json.ts";
import { withoutNulls } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
import { atOnce } from "../../core/time/slices.ts";
import {
  BlockConfig,
  BlockList,
  DEFAULT_OVERRIDE_LIST,
  DomainOverride,
  MIN_REFRESH_S,
  OverrideList,
  PlainIp,
} from "./schema.ts";

/** Defaults: nothing is blocked, DNS rebinding protection is on. */
export const DEFAULT_BLOCK_CONFIG: BlockConfig = {
  BlockLists: [],
  OverrideLists: [],
  ClientIPExclusions: [],
  RefreshSeconds: 0,
  QuarantineHostIP: "",
  RebindingCheckDisable: false,
  BypassCheckDisable: false,
};

/** The document of block lists and overrides (`configs/dns/block_rules.json`). */
export const blockDocument: Document<BlockConfig> = {
  path: "dns/block_rules.json",
  topic: "dns",
  schema: BlockConfig,
  fallback: DEFAULT_BLOCK_CONFIG,
  read: readBlockConfig,
  readSteps: blockConfigSteps,
  older: { path: "../state/dns/block_rules.json", read: readBlockConfig },
  keyOf,
};

function keyOf(element: unknown): string {
  if (!isRecord(element)) return JSON.stringify(element);
  const { URI, Name, Domain, ClientIP, Groups } = element;
  if (typeof URI === "string") return URI;
  if (typeof Name === "string") return Name;
  if (typeof Domain !== "string") return JSON.stringify(element);
  return [Domain, ClientIP, ...(Array.isArray(Groups) ? Groups : [])].join(" ");
}

function readBlockConfig(raw: unknown): Reading<BlockConfig> {
  return atOnce(blockConfigSteps(raw));
}

/** Reads the file; invalid and duplicate entries are rejected one by one. */
function* blockConfigSteps(raw: unknown): Generator<void, Reading<BlockConfig>> {
  if (!isRecord(raw)) throw new Problem(400, "The block rules must be an object with BlockLists");
  const rejected: RejectedEntry[] = [];
  const given = withoutNulls(raw);
  const value: BlockConfig = {
    ...settings(given, rejected),
    BlockLists: yield* entries(given.BlockLists, "/BlockLists", { schema: BlockList, rejected }),
    OverrideLists: yield* overrideLists(given, rejected),
    ClientIPExclusions: yield* entries(given.ClientIPExclusions, "/ClientIPExclusions", {
      schema: PlainIp,
      rejected,
    }),
  };
  const whole = yield* checkLarge(BlockConfig, value, 1);
  if (whole.success) return { value: whole.data as BlockConfig, rejected };
  const [issue] = whole.issues;
  throw new Problem(400, `/${issue!.path.join("/")}: ${issue!.message}`);
}

/** Single settings; an invalid one is rejected and replaced by its default. */
function settings(raw: Readonly<Record<string, unknown>>, rejected: RejectedEntry[]) {
  const read = <T>(name: keyof typeof BlockConfig.shape & string, fallback: T): T => {
    if (raw[name] === undefined) return fallback;
    const parsed = BlockConfig.shape[name].safeParse(raw[name]);
    if (parsed.success) return parsed.data as T;
    const { message } = parsed.error.issues[0]!;
    rejected.push({ pointer: `/${name}`, message, raw: raw[name] });
    return fallback;
  };
  return {
    // Lists have never been updated more often than once an hour, whatever a file says.
    RefreshSeconds: read(
      "RefreshSeconds",
      Number(raw["RefreshSeconds"]) > 0 ? MIN_REFRESH_S : DEFAULT_BLOCK_CONFIG.RefreshSeconds,
    ),
    QuarantineHostIP: read("QuarantineHostIP", DEFAULT_BLOCK_CONFIG.QuarantineHostIP),
    RebindingCheckDisable: read(
      "RebindingCheckDisable",
      DEFAULT_BLOCK_CONFIG.RebindingCheckDisable,
    ),
    BypassCheckDisable: read("BypassCheckDisable", DEFAULT_BLOCK_CONFIG.BypassCheckDisable),
  };
}

/** Older files have the domains of the first list at the top. */
function* overrideLists(
  raw: Readonly<Record<string, unknown>>,
  rejected: RejectedEntry[],
): Generator<void, OverrideList[]> {
  const { PermitDomains, BlockDomains } = raw;
  const old = [PermitDomains, BlockDomains].some((list) => Array.isArray(list) && list.length > 0);
  const first = { Name: DEFAULT_OVERRIDE_LIST, Enabled: true, PermitDomains, BlockDomains };
  const lists = Array.isArray(raw.OverrideLists) ? raw.OverrideLists : [];
  const read: OverrideList[] = [];
  for (const [index, entry] of [...(old ? [first] : []), ...lists].entries()) {
    const pointer = `/OverrideLists/${index}`;
    if (!isRecord(entry)) {
      rejected.push({ pointer, message: "An override list must be an object", raw: entry });
      continue;
    }
    const list = withoutNulls(entry);
    const domains = (name: string) =>
      entries(list[name], `${pointer}/${name}`, { schema: DomainOverride, rejected });
    const parsed = yield* checkLarge(OverrideList, {
      ...list,
      PermitDomains: yield* domains("PermitDomains"),
      BlockDomains: yield* domains("BlockDomains"),
    }, 1);
    const given = parsed.success ? parsed.data as OverrideList : null;
    const twice = given !== null && read.some(({ Name }) => Name === given.Name);
    if (given !== null && !twice) read.push(given);
    else {
      const message = parsed.success ? "This is a duplicate entry" : parsed.issues[0]!.message;
      rejected.push({ pointer, message, raw: entry });
    }
  }
  return read;
}

function* entries<T>(
  raw: unknown,
  pointer: string,
  { schema, rejected }: { readonly schema: z.ZodType<T>; readonly rejected: RejectedEntry[] },
): Generator<void, T[]> {
  const read = new Map<string, T>();
  for (const [index, entry] of (Array.isArray(raw) ? raw : []).entries()) {
    const parsed = schema.safeParse(withoutNulls(entry));
    const key = parsed.success ? keyOf(parsed.data) : "";
    if (parsed.success && !read.has(key)) read.set(key, parsed.data);
    else {
      const message = parsed.success ? "This is a duplicate entry" : parsed.error.issues[0]!
        .message;
      rejected.push({ pointer: `${pointer}/${index}`, message, raw: entry });
    }
    yield;
  }
  return [...read.values()];
}
