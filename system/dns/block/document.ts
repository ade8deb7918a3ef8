import type * as z from "zod";
import type { Document, Reading, RejectedEntry } from "../../core/config/document.ts";
import { isRecord } from "../../core/config/json.ts";
import { Problem } from "../../core/errors/problem.ts";
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

/** Reads the file; invalid and duplicate entries are rejected one by one. */
function readBlockConfig(raw: unknown): Reading<BlockConfig> {
  if (!isRecord(raw)) throw new Problem(400, "The block rules must be an object with BlockLists");
  const rejected: RejectedEntry[] = [];
  const given = withoutNulls(raw);
  const value: BlockConfig = {
    ...settings(given, rejected),
    BlockLists: entries(given.BlockLists, "/BlockLists", { schema: BlockList, rejected }),
    OverrideLists: overrideLists(given, rejected),
    ClientIPExclusions: entries(given.ClientIPExclusions, "/ClientIPExclusions", {
      schema: PlainIp,
      rejected,
    }),
  };
  const whole = BlockConfig.safeParse(value);
  if (whole.success) return { value: whole.data, rejected };
  const [issue] = whole.error.issues;
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
function overrideLists(
  raw: Readonly<Record<string, unknown>>,
  rejected: RejectedEntry[],
): OverrideList[] {
  const { PermitDomains, BlockDomains } = raw;
  const old = [PermitDomains, BlockDomains].some((list) => Array.isArray(list) && list.length > 0);
  const first = { Name: DEFAULT_OVERRIDE_LIST, Enabled: true, PermitDomains, BlockDomains };
  const lists = Array.isArray(raw.OverrideLists) ? raw.OverrideLists : [];
  const read: OverrideList[] = [];
  [...(old ? [first] : []), ...lists].forEach((entry, index) => {
    const pointer = `/OverrideLists/${index}`;
    if (!isRecord(entry)) {
      rejected.push({ pointer, message: "An override list must be an object", raw: entry });
      return;
    }
    const list = withoutNulls(entry);
    const domains = (name: string): DomainOverride[] =>
      entries(list[name], `${pointer}/${name}`, { schema: DomainOverride, rejected });
    const parsed = OverrideList.safeParse({
      ...list,
      PermitDomains: domains("PermitDomains"),
      BlockDomains: domains("BlockDomains"),
    });
    const twice = parsed.success && read.some(({ Name }) => Name === parsed.data.Name);
    if (parsed.success && !twice) read.push(parsed.data);
    else {
      const message = parsed.success ? "This is a duplicate entry" : parsed.error.issues[0]!
        .message;
      rejected.push({ pointer, message, raw: entry });
    }
  });
  return read;
}

function entries<T>(
  raw: unknown,
  pointer: string,
  { schema, rejected }: { readonly schema: z.ZodType<T>; readonly rejected: RejectedEntry[] },
): T[] {
  const read = new Map<string, T>();
  (Array.isArray(raw) ? raw : []).forEach((entry, index) => {
    const parsed = schema.safeParse(isRecord(entry) ? withoutNulls(entry) : entry);
    const key = parsed.success ? keyOf(parsed.data) : "";
    if (parsed.success && !read.has(key)) read.set(key, parsed.data);
    else {
      const message = parsed.success ? "This is a duplicate entry" : parsed.error.issues[0]!
        .message;
      rejected.push({ pointer: `${pointer}/${index}`, message, raw: entry });
    }
  });
  return [...read.values()];
}

/** Older files write `null` for an empty list. */
function withoutNulls(
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
