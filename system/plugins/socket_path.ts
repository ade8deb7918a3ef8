import { CONTAINER_SOCKETS } from "../core/machine/container_plan.ts";
import { isOwnFolder } from "./built_in.ts";
import type { Plugin } from "./schema.ts";

/** Sockets of add-ons whose folder is not called as they are. */
const KNOWN: Readonly<Record<string, string>> = { PFW: "/state/plugins/pfw/socket" };

/** The socket of a Deno plugin, which plugind runs, as its entry names it. */
export function denoSocket(name: string): string {
  return `/state/plugind/run/${name}/socket`;
}

/** Bytes of a socket's path that the kernel takes (sun_path of unix(7) with its NUL: 108). */
const MAX_PATH_BYTES = 107;

/**
 * Why a plugin may not have its socket there; null where it may. A socket lies in
 * `/state/plugins/<Name>/`, which no process of ours uses, that of a container in
 * `/state/net/containers/<Name>/`, or is that of an add-on known from existing
 * routers.
 */
export function socketPathFault(
  { Name, UnixPath, codeHash = "", ComposeFilePath = "" }:
    & Pick<Plugin, "Name" | "UnixPath">
    & Partial<Pick<Plugin, "codeHash" | "ComposeFilePath">>,
): string | null {
  if (UnixPath === "") return null;
  // What we run ourselves listens where we say.
  if (codeHash !== "" && UnixPath === denoSocket(Name)) return null;
  if (Object.hasOwn(KNOWN, Name) && KNOWN[Name] === UnixPath) return null;
  const folder = `/state/plugins/${Name}/`;
  if (!isOwnFolder(Name) && UnixPath.startsWith(folder)) return null;
  if (
    ComposeFilePath !== "" && !isOwnFolder(Name) &&
    UnixPath.startsWith(`/${CONTAINER_SOCKETS}/${Name}/`)
  ) return null;
  return `A plugin has its socket in its own folder: write ${folder}socket`;
}

/** What a look at a path found: its kind, without following a link; null for nothing. */
export type PathKind = "folder" | "socket" | "link" | "other" | null;

/** Absolute path of a socket, or why it may not be connected to. */
export type SocketPlace = { readonly path: string } | { readonly fault: string };

/**
 * Where the socket of a plugin lies in this home. Every part is looked at without following a link, so
 * that a plugin cannot lead a caller to another program's socket. `kindOf` looks at a path.
 */
export function socketPlace(
  plugin:
    & Pick<Plugin, "Name" | "UnixPath">
    & Partial<Pick<Plugin, "codeHash" | "ComposeFilePath">>,
  home: string,
  kindOf: (path: string) => PathKind,
): SocketPlace {
  const fault = socketPathFault(plugin);
  if (fault !== null) return { fault };
  const parts = plugin.UnixPath.split("/").filter((part) => part !== "");
  let path = home;
  for (const [index, part] of parts.entries()) {
    path = `${path}/${part}`;
    const kind = kindOf(path);
    if (kind === null) return { fault: "It does not run: its socket is not there" };
    if (kind === "link") return { fault: "Its socket is reached by a link, which is not followed" };
    const isLast = index === parts.length - 1;
    if (kind !== (isLast ? "socket" : "folder")) {
      return { fault: isLast ? "Its socket is a file of another kind" : "Its folder is none" };
    }
  }
  if (parts.length === 0) return { fault: "It has no socket" };
  if (new TextEncoder().encode(path).length > MAX_PATH_BYTES) {
    return { fault: `The path of its socket is longer than ${MAX_PATH_BYTES} bytes` };
  }
  return { path };
}
