import * as z from "zod";
import type { Releases } from "../../system/machine/releases.ts";
import { setRelease, setUpdates } from "../../system/machine/rules.ts";
import {
  CHANNELS,
  FeatureFlags,
  MAX_THEMES_BYTES,
  Release,
  ReleaseSet,
  Theme,
  Themes,
} from "../../system/machine/schema.ts";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { notFound } from "../../system/core/errors/problem.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link releasesRoutes}. */
export interface ReleasesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly releases: Releases;
}

const Tags = z.array(z.string());
const Container = z.object({ container: z.string().min(1).max(128) });

/** Default component. */
const SUPERVISOR = "superd";
/** Maximum components of a request. */
const NAMED = 64;

/** Versions: running, available and selected. */
export function releasesRoutes(deps: ReleasesDeps): Route[] {
  const { engine, releases } = deps;
  const common = { tag: "Releases", access: "auth" } as const;
  const tags = () => releases.tags();
  return [
    versionRoute(releases),
    route({
      ...common,
      method: "GET",
      path: "/release",
      summary: "Running version and selected release",
      description:
        "`Current` is the running version. `CustomChannel` and `CustomVersion` are what was " +
        "selected; empty means the main channel and its latest release.",
      document: "updates",
      response: Release,
    }, () => {
      const { CustomChannel, CustomVersion } = engine.config.updates;
      return { CustomChannel, CustomVersion, Current: releases.current };
    }),
    route({
      ...common,
      method: "PUT",
      path: "/releaseSet",
      access: "otp",
      summary: "Select a release",
      description:
        "Selects the channel and version to update to; empty fields stay unchanged. Nothing is " +
        "installed by this.",
      document: "updates",
      body: ReleaseSet,
    }, (call) =>
      call.decide({
        kind: "release.set",
        summary: "Selected another release",
        reduce: (config) => [setRelease(config, call.body)[0], undefined],
      })),
    route({
      ...common,
      method: "DELETE",
      path: "/releaseSet",
      access: "otp",
      summary: "Select the latest release of the main channel",
      description: "Clears the selected channel and version.",
      document: "updates",
    }, (call) =>
      call.decide({
        kind: "release.clear",
        summary: "Selected the latest release",
        reduce: (config) => [
          setUpdates(config, { CustomChannel: "", CustomVersion: "" })[0],
          undefined,
        ],
      })),
    route({
      ...common,
      method: "GET",
      path: "/releaseChannels",
      summary: "Release channels and tags",
      description:
        "Lists the channels to choose from, then the available tags, oldest first. With `container` " +
        "it lists that container's tags alone.",
      examples: { parameters: { container: "super_base" }, response: ["v0.1.0", "v0.2.0"] },
      query: Container.partial(),
      response: Tags,
    }, async ({ query }) => {
      if (query.container !== undefined) return await tags();
      const chosen = engine.config.updates.CustomChannel;
      const channels = [...CHANNELS, ...(chosen === "" ? [] : [chosen])];
      return [...new Set([...channels, ...await tags()])];
    }),
    route({
      ...common,
      method: "GET",
      path: "/releaseChannels/{container}",
      summary: "Tags of a container, oldest first",
      description: "Lists the releases of this container, as existing clients ask for them.",
      examples: { parameters: { container: "super_base" }, response: ["v0.1.0", "v0.2.0"] },
      params: Container,
      response: Tags,
    }, tags),
    route({
      ...common,
      method: "GET",
      path: "/releasesAvailable",
      summary: "Available releases, oldest first",
      description: "Lists the version tags that can be selected.",
      examples: { parameters: { container: "super_base" }, response: ["v0.1.0", "v0.2.0"] },
      query: Container.partial(),
      response: Tags,
    }, tags),
    ...switchRoutes(deps),
  ];
}

function versionRoute(releases: Releases): Route {
  return route({
    method: "GET",
    path: "/version",
    tag: "Releases",
    access: "auth",
    summary: "Version of the program or its parts",
    description:
      "Without a query: the version of the program as a string. With one `plugin` or `container`: " +
      "its version. With several: an object of versions by name.",
    examples: { parameters: { plugin: [], container: ["dns"] }, response: "0.1.0" },
    query: z.object({
      plugin: z.array(z.string().max(128)).max(NAMED).default([]),
      container: z.array(z.string().max(128)).max(NAMED).default([]),
    }),
    repeats: ["plugin", "container"],
    response: z.union([z.string(), z.record(z.string(), z.string())]),
    errors: [404],
  }, ({ query }) => {
    const names = [...query.plugin, ...query.container];
    if (names.length > 1) {
      return Object.fromEntries(names.map((name) => [name, releases.versionOf(name) ?? ""]));
    }
    return versionOf(releases, names[0] || SUPERVISOR);
  });
}

/** The tag of a component. Throws Problem 404 for an unknown one. */
export function versionOf(releases: Releases, name: string): string {
  const version = releases.versionOf(name);
  if (version === null) throw notFound(`There is no part ${name} of which a version is known`);
  return version;
}

function switchRoutes({ engine }: ReleasesDeps): Route[] {
  const common = { tag: "Releases", access: "auth", document: "updates" } as const;
  const flags = [
    {
      path: "/autoupdate",
      field: "AutoUpdate",
      text: "automatic updates",
      description: "A wish that is stored for other programs: no process of the router installs " +
        "a release.",
    },
    {
      path: "/checkupdates",
      field: "CheckUpdates",
      text: "update checks",
      description: "Whether the UI is to tell about newer releases.",
    },
  ] as const;
  const turn = (
    { path, field, text, description }: (typeof flags)[number],
    method: "PUT" | "DELETE",
  ): Route => {
    const on = method === "PUT";
    return route({
      ...common,
      method,
      path,
      summary: `Turn ${on ? "on" : "off"} ${text}`,
      description,
    }, (call) =>
      call.decide({
        kind: "updates.set",
        summary: `Turned ${on ? "on" : "off"} ${text}`,
        reduce: (config) => [setUpdates(config, { [field]: on })[0], undefined],
      }));
  };
  return [
    ...flags.flatMap((flag) => [
      route({
        ...common,
        method: "GET",
        path: flag.path,
        summary: `Whether ${flag.text} are on`,
        description: flag.description,
        response: z.boolean(),
      }, () => engine.config.updates[flag.field]),
      turn(flag, "PUT"),
      turn(flag, "DELETE"),
    ]),
    route({
      ...common,
      method: "GET",
      path: "/featureFlags",
      summary: "Feature flags",
      description: "Names of the optional features that are turned on.",
      examples: { response: ["webllm"] },
      response: z.array(z.string()),
    }, () => engine.config.updates.FeatureFlags),
    route({
      ...common,
      method: "PUT",
      path: "/featureFlags",
      summary: "Set feature flags",
      description: "Replaces the list of optional features; known ones are `rustap` and `webllm`.",
      examples: { body: ["webllm"], response: ["webllm"] },
      body: FeatureFlags,
      response: z.array(z.string()),
    }, (call) =>
      call.decide({
        kind: "flags.set",
        summary: "Changed feature flags",
        reduce: (config) => {
          const [next, updates] = setUpdates(config, { FeatureFlags: call.body });
          return [next, updates.FeatureFlags];
        },
      }, (set) => set)),
    ...themeRoutes(engine),
  ];
}

function themeRoutes(engine: ReleasesDeps["engine"]): Route[] {
  const common = {
    path: "/customThemes",
    tag: "System",
    access: "auth",
    document: "themes",
    response: z.array(Theme),
  } as const;
  return [
    route(
      {
        method: "GET",
        ...common,
        summary: "Themes of the UI",
        description: "Returns the custom themes that people made for the UI.",
      },
      () => engine.config.themes,
    ),
    route({
      method: "PUT",
      ...common,
      summary: "Set the themes of the UI",
      description: "Replaces all custom themes; at most 32. Colours are `#rrggbb`.",
      body: Themes,
      maxBody: MAX_THEMES_BYTES,
    }, (call) =>
      call.decide({
        kind: "themes.set",
        summary: "Changed the theme",
        reduce: (config) => [{ ...config, themes: call.body }, call.body],
      }, (themes) => themes)),
  ];
}
