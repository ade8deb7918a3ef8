import * as z from "zod";
import type { Config } from "../../../system/config.ts";
import type { ChangeEngine } from "../../../system/core/engine/change.ts";
import type { Releases } from "../../../system/machine/releases.ts";
import { Release } from "../../../system/machine/schema.ts";
import { type Route, route } from "../../http/route.ts";
import { versionOf } from "../../machine/releases.ts";
import { COMMON } from "./common.ts";

/** What versions are read from. */
export interface VersionDeps {
  readonly releases: Releases;
  readonly engine: Pick<ChangeEngine<Config>, "config">;
}

/** Versions of the program and its parts. */
export function versionRoutes({ releases, engine }: VersionDeps): Route[] {
  const common = { ...COMMON, method: "GET", response: z.string(), errors: [404] } as const;
  const name = z.string().max(128).default("");
  return [
    route({
      ...common,
      path: "/git_version",
      summary: "Version of the program or of a plugin",
      description:
        "Without a name: the version of the program. 404 for a plugin that is not known.",
      examples: { parameters: { plugin: "api" }, response: "0.1.0" },
      query: z.object({ plugin: name }),
    }, ({ query }) => versionOf(releases, query.plugin || "superd")),
    route({
      ...common,
      path: "/container_version",
      summary: "Version of a part of the program",
      description: "Without a name: the version of the program. 404 for a part that is not known.",
      examples: { parameters: { container: "dns" }, response: "0.1.0" },
      query: z.object({ container: name }),
    }, ({ query }) => versionOf(releases, query.container || "superd")),
    route({
      ...COMMON,
      method: "GET",
      path: "/release",
      summary: "Running version and selected release",
      description: "As `GET /release` of the API.",
      response: Release,
    }, () => {
      const { CustomChannel, CustomVersion } = engine.config.updates;
      return { CustomChannel, CustomVersion, Current: releases.current };
    }),
    route({
      ...COMMON,
      method: "POST",
      path: "/remote_container_tags",
      summary: "Tags of the program, oldest first",
      description: "The tags that are known here; no registry is asked, and a body is ignored.",
      examples: { parameters: { container: "super_base" }, response: { tags: ["v0.1.0"] } },
      query: z.object({ container: z.string().max(128) }),
      response: z.object({ tags: z.array(z.string()) }),
    }, async () => ({ tags: [...await releases.tags()] })),
  ];
}
