import { join } from "node:path";
import { MAX_PLUGINS } from "../schema.ts";
import type { Manifest, PluginPermissions } from "./manifest.ts";

/** Folder of everything of Deno plugins, below `state/`. */
export const PLUGIND_FOLDER = "plugind";

/** The links by which the api reaches the sockets of plugins, by number. */
export function pluginLinks(home: string): readonly string[] {
  return Array.from(
    { length: MAX_PLUGINS },
    (_, number) => join(home, "state", PLUGIND_FOLDER, "links", String(number)),
  );
}

/** Where the parts of a Deno plugin lie. */
export interface PluginPlaces {
  /** Its approved files. */
  readonly code: string;
  /** Its own folder, the only one that it may write to. */
  readonly data: string;
  readonly socket: string;
  /** What Deno compiled of it. */
  readonly cache: string;
}

/** The places of a plugin in this home. */
export function pluginPlaces(home: string, name: string, codeHash: string): PluginPlaces {
  const folder = join(home, "state", PLUGIND_FOLDER);
  return {
    code: join(folder, "code", codeHash),
    data: join(folder, "data", name),
    socket: join(folder, "run", name, "socket"),
    cache: join(folder, "cache", name),
  };
}

/**
 * Arguments of Deno that run a plugin with what its manifest asks for, and nothing more: its own files,
 * its folder and its socket. No module is fetched. The plugin gets its socket and its folder as its
 * own arguments.
 */
export function runArguments(manifest: Manifest, places: PluginPlaces): readonly string[] {
  const { Permissions, MemoryMiB, Main } = manifest;
  const own: Readonly<Partial<Record<keyof PluginPermissions, readonly string[]>>> = {
    net: [`unix:${places.socket}`],
    read: [places.code, places.data, places.socket],
    write: [places.data, places.socket],
  };
  const kinds = ["net", "read", "write", "run", "ffi", "env", "sys"] as const;
  return [
    ...["run", "--quiet", "--no-prompt", "--no-check", "--cached-only", "--no-remote", "--no-npm"],
    ...["--no-config", "--no-lock", `--v8-flags=--max-old-space-size=${MemoryMiB}`],
    ...kinds.flatMap((kind) => grantOf(kind, Permissions[kind], own[kind] ?? [])),
    join(places.code, Main),
    ...[places.socket, places.data],
  ];
}

function grantOf(
  kind: string,
  asked: true | readonly string[],
  own: readonly string[],
): readonly string[] {
  if (asked === true) return [`--allow-${kind}`];
  const all = [...own, ...asked];
  // A comma inside a path is written twice.
  return all.length === 0
    ? []
    : [`--allow-${kind}=${all.map((item) => item.replaceAll(",", ",,")).join(",")}`];
}
