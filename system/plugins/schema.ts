import * as z from "zod";
import { hasControl, line } from "../core/net/grammar.ts";
import { isPluginUri } from "./uri.ts";

/** Plugins that a router may have; each holds one of the numbered sockets that the api may open. */
export const MAX_PLUGINS = 64;

/** The name of a plugin: a folder, a part of paths and of arguments, so it never begins with a hyphen. */
export const PluginName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/, {
  error: "Write a name of at most 63 letters, digits and hyphens, such as sample-plugin",
}).meta({ examples: ["sample-plugin"] });

/** Where a plugin is served below `/plugins/`; "" for one without a page or API. */
export const PluginUri = z.string().max(128, { error: "Use at most 128 characters" })
  .refine((uri) => uri === "" || isPluginUri(uri), {
    error: "Write letters, digits and hyphens, with single slashes between, such as sample/page",
  }).meta({ examples: ["sample"] });

const SocketPath = z.string().max(255, { error: "Use at most 255 characters" })
  .regex(/^(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/, {
    error: "Write an absolute path without dot segments, such as " +
      "/state/plugins/sample-plugin/socket",
  }).meta({ examples: ["/state/plugins/sample-plugin/socket"] });

/** A compose file below the folder of plugins: relative, no part begins with a dot or hyphen. */
export const ComposePath = z.string().max(255, { error: "Use at most 255 characters" })
  .regex(/^([A-Za-z0-9_][A-Za-z0-9._-]*\/)*[A-Za-z0-9_][A-Za-z0-9._-]*\.ya?ml$/, {
    error: "Write a relative path to a YAML file, such as plugins/user/sample/docker-compose.yml",
  }).meta({ examples: ["plugins/user/sample/docker-compose.yml"] });

/** A scope of the token that a plugin gets. */
export const ScopedPath = z.string().max(256, { error: "Use at most 256 characters" })
  .regex(/^\/[^\s?#%\\]*$/, { error: 'Write a path, such as "/devices:r"' })
  .refine((text) => !hasControl(text), { error: "Use no control characters" })
  .meta({ examples: ["/devices:r"] });

/** The version of a Deno plugin. */
export const PluginVersion = z.string().max(64, { error: "Use at most 64 characters" })
  .regex(/^[0-9A-Za-z][0-9A-Za-z.+-]*$/, { error: "Write a version such as 1.0.0" })
  .meta({ examples: ["1.0.0"] });

/** SHA-256 in hex, or nothing. */
const Digest = z.string().regex(/^([0-9a-f]{64})?$/, { error: "Write a SHA-256 in hex" });

/** An entry of `Plugins` in `configs/base/api.json`. */
export const Plugin = z.object({
  Name: PluginName,
  URI: PluginUri.default(""),
  /** Below `/state`, as existing routers write it. */
  UnixPath: SocketPath.default(""),
  Enabled: z.boolean().default(false),
  /** A licensed add-on of existing routers. */
  Plus: z.boolean().default(false),
  GitURL: z.string().max(512, { error: "Use at most 512 characters" }).default("")
    .refine((url) => url === "" || isGitUrl(url), {
      error: "Write an https address without a user or password, such as " +
        "https://git.example.org/me/plugin",
    }).meta({ examples: ["https://git.example.org/me/plugin"] }),
  ComposeFilePath: z.union([z.literal(""), ComposePath]).default(""),
  HasUI: z.boolean().default(false),
  /** Absent: true. */
  SandboxedUI: z.boolean().optional(),
  HasTopology: z.boolean().default(false),
  Icon: line(64).meta({ examples: ["puzzle"] }).default(""),
  InstallTokenPath: z.string().max(255).regex(
    /^(\/configs\/plugins(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)?$/,
    { error: "Write a path below /configs/plugins/" },
  ).default(""),
  ScopedPaths: z.array(ScopedPath).max(64).default([]),
  /** SHA-256 of the files of a Deno plugin, as an admin approved them; "" for any other. */
  codeHash: Digest.default(""),
  /** SHA-256 of the public key that signed them, as of the first approval; "" for none. */
  signer: Digest.default(""),
  /** Of the approved files, as their manifest says; "" for any other. */
  version: z.union([z.literal(""), PluginVersion]).default(""),
}).meta({ id: "Plugin" });
export type Plugin = Readonly<z.output<typeof Plugin>>;

/** `configs/base/api.json`: the plugins, beside settings of existing routers, which stay as they are. */
export const ApiFile = z.looseObject({ Plugins: z.array(Plugin).max(MAX_PLUGINS) });
export type ApiFile = Readonly<z.output<typeof ApiFile>>;

/** True for an address that git fetches over TLS, and that carries no credentials. */
export function isGitUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === "" &&
    url.hostname !== "" && url.search === "" && url.hash === "" &&
    /^https:\/\/[A-Za-z0-9][A-Za-z0-9.-]*(:\d{1,5})?(\/[A-Za-z0-9_~][A-Za-z0-9._~-]*)+\/?$/.test(
      text,
    );
}

/** True where the pages of a plugin run in a sandbox, as they do unless it is turned off. */
export function isSandboxed({ SandboxedUI }: Pick<Plugin, "SandboxedUI">): boolean {
  return SandboxedUI !== false;
}
