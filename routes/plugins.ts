import type { Context } from "hono";
import * as z from "zod";
import type { Identity } from "../system/access/identity.ts";
import { invalidJwt } from "../system/access/identity.ts";
import type { Config } from "../system/config.ts";
import type { ChangeEngine } from "../system/core/engine/change.ts";
import { invalid, Problem } from "../system/core/errors/problem.ts";
import type { PluginChannels } from "../system/plugins/channels.ts";
import {
  deletePlugin,
  enablePlugin,
  findPlugin,
  listedPlugins,
  needsOtp,
  putPlugin,
  setComposePaths,
  setPlusToken,
} from "../system/plugins/rules.ts";
import { ComposePath, MAX_PLUGINS, Plugin, PluginName } from "../system/plugins/schema.ts";
import type { UiSessions } from "../system/plugins/ui_sessions.ts";
import { installRoutes } from "./plugins/install.ts";
import { type StatusDeps, statusRoutes } from "./plugins/status.ts";
import { uiSessionRoutes } from "./plugins/ui_sessions.ts";
import { type Route, route } from "./http/route.ts";

/** Dependencies of {@link pluginsRoutes}. */
export interface PluginsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly plugins: {
    readonly channels: PluginChannels;
    readonly sessions: UiSessions;
  } & StatusDeps["plugins"];
  readonly identity: (c: Context) => Promise<Pick<Identity, "otp">>;
  /** True while the credentials of a caller are still valid. */
  readonly holds: (identity: Identity) => boolean;
}

const Plugins = z.array(Plugin).max(MAX_PLUGINS + 16);
const Named = z.object({ name: PluginName });
const COMMON = { tag: "Plugins", access: "auth", document: "plugins" } as const;
const MASK = "**";

/** Plugins: the list, one by one, add-ons, compose files, and sessions of pages. */
export function pluginsRoutes(deps: PluginsDeps): Route[] {
  return [
    ...listRoutes(deps),
    ...entryRoutes(deps),
    ...plusRoutes(deps),
    ...composeRoutes(deps),
    ...statusRoutes(deps),
    ...installRoutes(deps),
    ...uiSessionRoutes(deps),
  ];
}

function listRoutes({ engine }: PluginsDeps): Route[] {
  const list = {
    ...COMMON,
    method: "GET",
    summary: "All plugins",
    response: Plugins,
  } as const;
  const description = "Parts of Sluice that existing routers have as plugins come first; they " +
    "cannot be changed here. Then the plugins in the order in which they were added.";
  return [
    route({ ...list, path: "/plugins", description }, () => listedPlugins(engine.config)),
    route({
      ...list,
      path: "/plugins_api",
      description: `${description} A token for \`/plugins\` does not cover this path.`,
    }, () => listedPlugins(engine.config)),
  ];
}

/** The list under the path with a slash at its end, by which existing clients know it. */
export function pluginListAlias(deps: PluginsDeps): Route[] {
  return listRoutes(deps).slice(1).map(({ description, handle }) => ({
    description: { ...description, path: `${description.path}/` },
    handle,
  }));
}

function entryRoutes({ engine, identity }: PluginsDeps): Route[] {
  const entry = { ...COMMON, path: "/plugins_api/{name}", params: Named } as const;
  return [
    route({
      ...entry,
      method: "PUT",
      summary: "Add or change a plugin",
      description:
        "Replaces the plugin of this name, or adds it, and returns all. `URI` is where it is served " +
        "below `/plugins/`, and overlaps no other. `UnixPath` lies in `/state/plugins/<Name>/`. A " +
        "new source, another socket or compose file, and a page without a sandbox need a one-time " +
        "password; turning a plugin on or off does not. A plugin that is turned off loses its " +
        "path, its tokens and the sessions of its pages at once.",
      body: Plugin.extend({ Name: PluginName.optional() }),
      response: Plugins,
      errors: [403, 404, 409, 412],
    }, async (call) => {
      const { Name = call.params.name, codeHash: _, signer: __, version: ___, ...fields } =
        call.body;
      if (Name.toLowerCase() !== call.params.name.toLowerCase()) {
        throw invalid("/Name", `The path names ${call.params.name}; write the same name`);
      }
      const before = findPlugin(engine.config, Name);
      const plugin: Plugin = {
        ...fields,
        Name: before?.Name ?? Name,
        codeHash: before?.codeHash ?? "",
        signer: before?.signer ?? "",
        version: before?.version ?? "",
      };
      if (needsOtp(before, plugin) && !(await identity(call.c)).otp) throw invalidJwt();
      return await call.decide({
        kind: "plugin.set",
        summary: summaryOf(before, plugin),
        reduce: (config) => putPlugin(config, plugin),
      }, (list) => list);
    }),
    route({
      ...entry,
      method: "DELETE",
      summary: "Remove a plugin",
      description:
        "Removes it with its path, its tokens and the sessions of its pages, and returns the " +
        "plugins that remain. A body is ignored.",
      response: Plugins,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "plugin.delete",
        summary: `Removed the plugin ${call.params.name}`,
        reduce: (config) => deletePlugin(config, call.params.name),
      }, (list) => list)),
  ];
}

function summaryOf(before: Plugin | undefined, { Name, Enabled }: Plugin): string {
  if (before === undefined) return `Added the plugin ${Name}`;
  if (before.Enabled === Enabled) return `Changed the plugin ${Name}`;
  return `Turned ${Enabled ? "on" : "off"} the plugin ${Name}`;
}

/** Conditions of one rule of an add-on. */
const PlusRule = z.object({
  Conditions: z.object({
    Prefix: z.string(),
    Protocol: z.string(),
    DstIP: z.string(),
    DstPort: z.int(),
    SrcIP: z.string(),
    SrcPort: z.int(),
  }),
  Notification: z.boolean(),
}).meta({ id: "PlusRule" });

function plusRoutes({ engine }: PluginsDeps): Route[] {
  const act = (path: string, enabled: boolean): Route =>
    route({
      ...COMMON,
      method: "PUT",
      path,
      summary: `${enabled ? "Start" : "Stop"} a plugin`,
      description: `Turns the plugin of this name ${enabled ? "on" : "off"}; \`name\` is in the ` +
        "query or the body, as a JSON string. Returns the rules that the add-on brings, none where " +
        "it has none.",
      query: z.object({ name: PluginName.optional() }),
      body: PluginName.nullable(),
      bodyOptional: true,
      response: z.array(PlusRule),
      errors: [404, 409, 412],
    }, (call) => {
      const name = call.query.name ?? call.body ?? null;
      if (name === null) throw invalid("/name", "Name the plugin");
      return call.decide({
        kind: "plugin.set",
        summary: `Turned ${enabled ? "on" : "off"} the plugin ${name}`,
        reduce: (config) => enablePlugin(config, name, enabled),
      }, () => []);
    });
  const token = { ...COMMON, path: "/plusToken" } as const;
  const stored = (): string => String(engine.config.plugins["PlusToken"] ?? "");
  return [
    act("/startPlusExtension", true),
    act("/stopPlusExtension", false),
    route({
      ...token,
      method: "GET",
      summary: "Whether a PLUS token is stored",
      description: "Returns `**` where one is, else an empty text: the token itself is not shown.",
      response: z.string(),
    }, () => stored() === "" ? "" : MASK),
    route({
      ...token,
      method: "PUT",
      summary: "Store the PLUS token",
      description: "The token of licensed add-ons: 40 letters, digits and underscores.",
      body: z.string().regex(/^[A-Za-z0-9_]{40}$/, {
        error: "Write 40 letters, digits and underscores",
      }).meta({ examples: ["ghp_0123456789abcdefghijklmnopqrstuvwxyz"] }),
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "plugin.plus_token",
        summary: "Stored the PLUS token",
        secrets: () => [{ document: "plugins", path: ["PlusToken"] }],
        reduce: (config) => setPlusToken(config, call.body),
      })),
    route({
      ...COMMON,
      method: "GET",
      path: "/plusTokenValid",
      summary: "Whether the stored PLUS token has the right form",
      description: "Responds with nothing where it has, else 400.",
      errors: [400],
    }, () => {
      if (/^[A-Za-z0-9_]{40}$/.test(stored())) return;
      throw new Problem(400, "No PLUS token is stored");
    }),
  ];
}

function composeRoutes({ engine }: PluginsDeps): Route[] {
  const paths = {
    tag: "Plugins",
    access: "otp",
    document: "composePaths",
    path: "/plugin/custom_compose_paths",
  } as const;
  return [
    route({
      ...paths,
      method: "GET",
      summary: "Compose files that plugins may name",
      description: "Compose files of known add-ons may be named besides.",
      response: z.array(z.string()),
    }, () => engine.config.composePaths),
    route({
      ...paths,
      method: "PUT",
      summary: "Set the compose files that plugins may name",
      description: "Replaces the whole list. Paths are relative to the folder of plugins.",
      body: z.array(ComposePath).max(64),
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "plugin.compose_paths",
        summary: "Set the compose files that plugins may name",
        reduce: (config) => setComposePaths(config, call.body),
      })),
  ];
}
