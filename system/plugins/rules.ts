import type { Config } from "../config.ts";
import { conflict, invalid, notFound, Problem, type ProblemItem } from "../core/errors/problem.ts";
import { BUILT_IN, isBuiltIn, isOwnFolder } from "./built_in.ts";
import { compareVersions } from "./install/version.ts";
import { isSandboxed, MAX_PLUGINS, type Plugin } from "./schema.ts";
import { socketPathFault } from "./socket_path.ts";
import { takenUri } from "./uri.ts";

/** Add-ons of existing routers that `Plus` stands for. */
const PLUS_ADD_ONS: readonly (readonly [gitUrl: string, composeFile: string])[] = [
  [
    "https://github.com/spr-networks/pfw_extension",
    "plugins/plus/pfw_extension/docker-compose.yml",
  ],
  [
    "https://github.com/spr-networks/mesh_extension",
    "plugins/plus/mesh_extension/docker-compose.yml",
  ],
];

/** Compose files that any plugin may name. */
const KNOWN_COMPOSE_PATHS: readonly string[] = [
  "ppp/docker-compose.yml",
  "wifi_uplink/docker-compose.yml",
  "dyndns/docker-compose.yml",
  ...PLUS_ADD_ONS.map(([, path]) => path),
];

/** Compose files that plugins may name and containers may be made of. */
export function permittedComposePaths(
  { composePaths }: Pick<Config, "composePaths">,
): readonly string[] {
  return [...new Set([...KNOWN_COMPOSE_PATHS, ...composePaths])];
}

/** The plugin that names a compose file. Throws Problem 404, or 403 where the file is not permitted. */
export function pluginOfCompose(
  config: Pick<Config, "plugins" | "composePaths">,
  composeFile: string,
): Plugin {
  const found = config.plugins.Plugins
    .find(({ ComposeFilePath }) => ComposeFilePath === composeFile);
  if (found === undefined) throw notFound(`No plugin names the compose file ${composeFile}`);
  if (permittedComposePaths(config).includes(composeFile)) return found;
  throw new Problem(
    403,
    `Permit ${composeFile} first, by PUT /plugin/custom_compose_paths`,
  );
}

/** What is wrong with an entry beside the others, and where; null for nothing. */
export function entryFault(plugin: Plugin, others: readonly Plugin[]): ProblemItem | null {
  const { Name, URI } = plugin;
  if (isBuiltIn(Name) || isOwnFolder(Name)) {
    return { pointer: "/Name", message: `${Name} is a part of Sluice; choose another name` };
  }
  if (others.some((other) => other.Name.toLowerCase() === Name.toLowerCase())) {
    return { pointer: "/Name", message: `There is a plugin ${Name} already` };
  }
  const taken = takenUri(URI, others);
  if (taken !== null) {
    return {
      pointer: "/URI",
      message: `"${URI}" overlaps "${taken.URI}", where ${taken.Name} is served; choose another`,
    };
  }
  const fault = socketPathFault(plugin);
  return fault === null ? null : { pointer: "/UnixPath", message: fault };
}

/** The plugins as clients list them: parts of Sluice that existing routers have as plugins first. */
export function listedPlugins({ plugins }: Pick<Config, "plugins">): readonly Plugin[] {
  const plain = { Plus: false, GitURL: "", ComposeFilePath: "", HasUI: false, HasTopology: false };
  const ours = BUILT_IN.map((one): Plugin => ({
    ...{ ...one, ...plain, Enabled: true },
    ...{ Icon: "", InstallTokenPath: "", ScopedPaths: [], codeHash: "", signer: "", version: "" },
  }));
  return [...ours, ...plugins.Plugins];
}

/** The plugin of this name, in any case. */
export function findPlugin(
  { plugins }: Pick<Config, "plugins">,
  name: string,
): Plugin | undefined {
  return plugins.Plugins.find((one) => one.Name.toLowerCase() === name.toLowerCase());
}

/** The same. Throws Problem 404, or 409 for a part of Sluice. */
export function requirePlugin(config: Pick<Config, "plugins">, name: string): Plugin {
  const found = findPlugin(config, name);
  if (found !== undefined) return found;
  if (isBuiltIn(name)) {
    throw conflict(`${name} is a part of Sluice: it has its own settings and is never removed`);
  }
  throw notFound(`There is no plugin ${name}`);
}

/**
 * True where a change needs a one-time password: what it runs or is called by, and what its pages may
 * do. Turning a plugin on or off needs none.
 */
export function needsOtp(before: Plugin | undefined, next: Plugin): boolean {
  const { Enabled: _, ...after } = next;
  if (before === undefined) {
    return next.GitURL !== "" && !next.Plus || next.ComposeFilePath !== "" || !isSandboxed(next);
  }
  const { Enabled: __, ...earlier } = before;
  if (next.GitURL !== "" && !next.Plus && !sameFields(earlier, after)) return true;
  return before.UnixPath !== next.UnixPath || before.ComposeFilePath !== next.ComposeFilePath ||
    before.codeHash !== "" && !sameFields(earlier, after) ||
    isSandboxed(before) && !isSandboxed(next);
}

function sameFields(one: object, other: object): boolean {
  const sorted = (value: object) => JSON.stringify(Object.entries(value).sort());
  return sorted(one) === sorted(other);
}

/**
 * Adds a plugin, or replaces the one of this name, whose approved files stay as they are. Throws
 * Problem 400, 409.
 */
export function putPlugin(config: Config, plugin: Plugin): [Config, readonly Plugin[]] {
  const before = findPlugin(config, plugin.Name);
  const next: Plugin = {
    ...plugin,
    codeHash: before?.codeHash ?? "",
    signer: before?.signer ?? "",
    version: before?.version ?? "",
  };
  checkPlugin(config, next, before);
  return storePlugin(config, next, before);
}

/** What is to be known of an update by somebody else than who signed the plugin before; null for nothing. */
function signerFault(
  before: Pick<Plugin, "signer"> | undefined,
  next: Pick<Plugin, "Name" | "signer">,
): string | null {
  if (before === undefined || before.signer === "" || before.signer === next.signer) return null;
  return next.signer === ""
    ? `${next.Name} was signed until now, and this is not`
    : `${next.Name} was signed with another key until now`;
}

/**
 * True for files of a signed plugin that are older than the installed ones: their signature is valid
 * too, although they lack later fixes.
 */
export function isOlder(
  before: Pick<Plugin, "signer" | "version"> | undefined,
  next: Pick<Plugin, "version">,
): boolean {
  return before !== undefined && before.signer !== "" && before.version !== "" &&
    compareVersions(next.version, before.version) < 0;
}

/** What an admin accepts of an update beside what it asks for. */
export interface Acceptance {
  /** Another key than before, or none. */
  readonly signer: boolean;
  /** A lower version of a signed plugin. */
  readonly older: boolean;
}

/**
 * Adds a plugin whose files were approved, or updates it. The key that signed it is remembered; another
 * one, none, or a lower version has to be accepted. `versionBefore`: of what is installed, where its
 * entry was written before entries had one. Throws Problem 400, 409.
 */
export function installPlugin(
  config: Config,
  plugin: Plugin,
  { accepts = { signer: false, older: false }, versionBefore = "" }: {
    readonly accepts?: Acceptance;
    readonly versionBefore?: string;
  } = {},
): [Config, readonly Plugin[]] {
  const before = findPlugin(config, plugin.Name);
  const fault = signerFault(before, plugin);
  if (fault !== null && !accepts.signer) {
    throw conflict(
      `${fault}. Ask its maker; if it is right, approve it with "acceptSigner": true`,
      { signer: plugin.signer, signedBefore: before!.signer },
    );
  }
  const known = before && { ...before, version: before.version || versionBefore };
  if (isOlder(known, plugin) && !accepts.older) {
    throw conflict(
      `${plugin.Name} ${plugin.version} is older than ${known!.version}, which is installed. To ` +
        'downgrade, approve it with "acceptOlder": true',
      { version: plugin.version, versionBefore: known!.version },
    );
  }
  checkPlugin(config, plugin, before);
  return storePlugin(config, plugin, before);
}

function checkPlugin(config: Config, next: Plugin, before: Plugin | undefined): void {
  const others = config.plugins.Plugins.filter((one) => one !== before);
  if (isBuiltIn(next.Name)) requirePlugin(config, next.Name);
  const fault = entryFault(next, others);
  if (fault !== null) throw invalid(fault.pointer, fault.message);
  if (before === undefined && others.length >= MAX_PLUGINS) {
    throw conflict(`There are ${MAX_PLUGINS} plugins already; remove one first`);
  }
  const { Plus, GitURL, ComposeFilePath } = next;
  if (
    Plus && !PLUS_ADD_ONS.some(([url, path]) => url === GitURL && path === ComposeFilePath)
  ) {
    throw invalid("/Plus", "This is none of the two known PLUS add-ons");
  }
  if (ComposeFilePath !== "" && !permittedComposePaths(config).includes(ComposeFilePath)) {
    throw invalid(
      "/ComposeFilePath",
      `Permit ${ComposeFilePath} first, by PUT /plugin/custom_compose_paths`,
    );
  }
}

function storePlugin(
  config: Config,
  next: Plugin,
  before: Plugin | undefined,
): [Config, readonly Plugin[]] {
  const { Plugins } = config.plugins;
  if (before !== undefined && sameFields(before, next)) return [config, listedPlugins(config)];
  const list = before === undefined
    ? [...Plugins, next]
    : Plugins.map((one) => one === before ? next : one);
  return stored(config, list);
}

function stored(config: Config, Plugins: Plugin[]): [Config, readonly Plugin[]] {
  const after = { ...config, plugins: { ...config.plugins, Plugins } };
  return [after, listedPlugins(after)];
}

/** Removes a plugin. Throws Problem 404, 409. */
export function deletePlugin(config: Config, name: string): [Config, readonly Plugin[]] {
  const found = requirePlugin(config, name);
  return stored(config, config.plugins.Plugins.filter((one) => one !== found));
}

/** Turns a plugin on or off. Throws Problem 404, 409. */
export function enablePlugin(config: Config, name: string, enabled: boolean): [Config, void] {
  const found = requirePlugin(config, name);
  if (found.Enabled === enabled) return [config, undefined];
  const [after] = storePlugin(config, { ...found, Enabled: enabled }, found);
  return [after, undefined];
}

/** Replaces the compose files that plugins may name. */
export function setComposePaths(config: Config, paths: readonly string[]): [Config, void] {
  const next = [...new Set(paths)];
  const same = JSON.stringify(next) === JSON.stringify(config.composePaths);
  return [same ? config : { ...config, composePaths: next }, undefined];
}

/** Stores the token of licensed add-ons. */
export function setPlusToken(config: Config, token: string): [Config, void] {
  return config.plugins["PlusToken"] === token
    ? [config, undefined]
    : [{ ...config, plugins: { ...config.plugins, PlusToken: token } }, undefined];
}
