import * as z from "zod";
import { line } from "../../core/net/grammar.ts";
import { PluginName, PluginUri, PluginVersion, ScopedPath } from "../schema.ts";

const word = (pattern: RegExp, error: string) => z.string().max(255).regex(pattern, { error });
/** A list of what may be used; `true`: everything. */
const grant = (item: z.ZodType<string>) => z.union([z.literal(true), z.array(item).max(64)]);

/** A path of the machine that a plugin asks for: absolute, without dot segments and commas. */
const MachinePath = word(
  /^(\/[A-Za-z0-9_@+=-][A-Za-z0-9._@+=-]*)+\/?$/,
  "Write an absolute path without dot segments, such as /sys/class/thermal",
);
/** A host, with a port or without, or a unix socket. */
const NetAddress = word(
  /^(unix:(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?|\[[0-9A-Fa-f:]+\](:\d{1,5})?)$/,
  "Write a host such as api.example.org:443",
);

/** Deno's permissions, exactly as they are given; what is not named is refused. */
const Permissions = z.strictObject({
  net: grant(NetAddress).default([]),
  read: grant(MachinePath).default([]),
  write: grant(MachinePath).default([]),
  run: grant(MachinePath).default([]),
  ffi: grant(MachinePath).default([]),
  env: grant(word(/^[A-Za-z_][A-Za-z0-9_]*$/, "Write the name of a variable")).default([]),
  sys: grant(word(/^[A-Za-z]+$/, "Write a kind of Deno's, such as hostname")).default([]),
});
/** The permissions that a plugin asks for. */
export type PluginPermissions = Readonly<z.output<typeof Permissions>>;

/** Megabytes of its heap where the manifest names none, and at most. */
const MEMORY_MIB = { usual: 64, most: 1024 };

/** `plugin.json` of a Deno plugin. */
export const Manifest = z.object({
  Name: PluginName,
  URI: PluginUri.refine((uri) => uri !== "", { error: "Write where it is served" }),
  Version: PluginVersion,
  Description: line(200).default(""),
  /** The module that is run. */
  Main: word(
    /^([A-Za-z0-9_][A-Za-z0-9._-]*\/)*[A-Za-z0-9_][A-Za-z0-9._-]*\.(ts|js|mjs)$/,
    "Write the path of a module in the plugin, such as main.ts",
  ).meta({ examples: ["main.ts"] }),
  HasUI: z.boolean().default(false),
  Icon: line(64).meta({ examples: ["puzzle"] }).default(""),
  /** Paths of the API that it may call, with a token of its own. */
  ScopedPaths: z.array(ScopedPath).max(64).default([]),
  Permissions: Permissions.default(Permissions.parse({})),
  MemoryMiB: z.int().min(16).max(MEMORY_MIB.most).default(MEMORY_MIB.usual),
  /** SHA-256 of the other files, where its maker names one. */
  Hash: z.string().regex(/^([0-9a-f]{64})?$/, { error: "Write a SHA-256 in hex" }).default(""),
}).meta({ id: "PluginManifest" });
export type Manifest = Readonly<z.output<typeof Manifest>>;

/** The file of a manifest. */
export const MANIFEST = "plugin.json";

/** One right that a plugin asks for, in a sentence. */
export interface Right {
  readonly text: string;
  /** It could read secrets of the router, or leave its limits. */
  readonly isDangerous: boolean;
}

/** Beginnings of paths that hold secrets or control the machine. */
const DELICATE = /^\/(|etc|proc|dev|root|home|var|run|boot|sys\/kernel|sys\/fs|opt|usr)(\/|$)/;

/** What a plugin asks for, one sentence each, what is dangerous first. */
export function rightsOf({ Permissions, ScopedPaths, HasUI, URI, MemoryMiB }: Manifest): Right[] {
  const rights: Right[] = [];
  const add = (text: string, isDangerous = false): void => void rights.push({ text, isDangerous });
  const each = (
    name: keyof PluginPermissions,
    all: string,
    one: (item: string) => readonly [string, boolean],
  ): void => {
    const grant = Permissions[name];
    if (grant === true) add(all, true);
    else for (const item of grant) add(...one(item));
  };
  each("run", "Start any program", (path) => [`Start the program ${path}`, true]);
  each("ffi", "Load any native library", (path) => [`Load the native library ${path}`, true]);
  each("write", "Write any file", (path) => [`Write ${path}`, true]);
  each("read", "Read any file", (path) => [`Read ${path}`, DELICATE.test(path)]);
  each("net", "Connect to any address, also of the LAN", (address) => [
    address.startsWith("unix:")
      ? `Connect to the socket ${address.slice(5)}`
      : `Connect to ${address}`,
    address.startsWith("unix:") || isLocal(address),
  ]);
  each("env", "Read every environment variable", (name) => [`Read the variable ${name}`, false]);
  each("sys", "Read every fact of the machine", (name) => [`Read the fact ${name}`, false]);
  for (const scope of ScopedPaths) add(...scopeText(scope));
  if (HasUI) add(`Show a page at /plugins/${URI}/, in a sandbox`);
  add(`Use up to ${MemoryMiB} MiB of memory`);
  return rights.sort((a, b) => Number(b.isDangerous) - Number(a.isDangerous));
}

function isLocal(address: string): boolean {
  return /^(localhost|127\.|0\.|\[|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)/i
    .test(address);
}

function scopeText(scope: string): readonly [string, boolean] {
  const colon = scope.indexOf(":");
  const path = colon < 0 ? scope : scope.slice(0, colon);
  const reads = scope.endsWith(":r");
  if (path === "/") {
    return [reads ? "Read everything of the API" : "Do everything that an admin may", true];
  }
  return [`${reads ? "Read" : "Read and change"} ${path} of the API`, !reads];
}

/** What an update asks for beside what was approved, and no longer. */
export interface RightsChange {
  readonly added: readonly Right[];
  readonly removed: readonly Right[];
}

/** How rights differ. */
export function rightsChange(before: readonly Right[], after: readonly Right[]): RightsChange {
  const without = (from: readonly Right[], others: readonly Right[]) =>
    from.filter(({ text }) => !others.some((other) => other.text === text));
  return { added: without(after, before), removed: without(before, after) };
}
