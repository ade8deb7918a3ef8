import * as z from "zod";
import { hasControl } from "../net/grammar.ts";

/** Containers of one compose file, and folders that one container sees. */
const MAX_CONTAINERS = 8, MAX_MOUNTS = 16;

/** An image by name, with a tag or digest: no option and no path is one (distribution reference). */
export const ImageName = z.string().max(255, { error: "Use at most 255 characters" })
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?\/)?[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/,
    { error: "Write the name of an image, such as ghcr.io/me/plugin:1.0" },
  ).meta({ examples: ["ghcr.io/me/plugin:1.0"] });

/** Name of a container, which an engine takes as a part of paths. */
export const ContainerName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, {
  error: "Write at most 63 letters, digits, dots, hyphens and underscores, a letter or digit first",
});

/** `NAME=value`, on one line. */
export const Variable = z.string().max(4096, { error: "Use at most 4096 characters" })
  .regex(/^[A-Za-z_][A-Za-z0-9_]*=/, { error: "Write NAME=value" })
  .refine((text) => !hasControl(text), { error: "Use no control characters" });

/** Where containers have the folders of their sockets, below the home: netd's, and the api connects there. */
export const CONTAINER_SOCKETS = "state/net/containers";

/** A folder of the plugin, or the one for its socket. */
const Source = z.string().max(255).regex(
  /^state\/(?:plugins|net\/containers)\/[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/,
  { error: "A container sees folders of its plugin alone: write /state/plugins/<Name>/…" },
);

/**
 * What the name of a container ends with while its successor is tried, by whether it ran, and once it is
 * replaced for good.
 */
export const BEFORE_RAN = ".before", BEFORE_STILL = ".before-still", REPLACED = ".replaced";

/** An absolute path in a container, without dot segments. */
export const TargetPath = z.string().max(255)
  .regex(/^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/, {
    error: "Write an absolute path without dot segments, such as /data",
  });

/** How a container begins again after it has ended by itself. */
export const RestartPolicy = z.enum(["no", "always", "on-failure", "unless-stopped"]);

/** `none`: no network; `bridge`: the engine's own; `host`: that of the router itself. */
export const ContainerNetworkMode = z.enum(["none", "bridge", "host"]);

const PlannedContainer = z.strictObject({
  /** In its compose file. */
  service: ContainerName,
  name: ContainerName,
  image: ImageName,
  environment: z.array(Variable).max(128),
  mounts: z.array(z.strictObject({ source: Source, target: TargetPath, readOnly: z.boolean() }))
    .max(MAX_MOUNTS),
  network: ContainerNetworkMode,
  restart: RestartPolicy,
  labels: z.record(z.string().max(128), z.string().max(1024)),
});
/** One container, as it is created. */
export type PlannedContainer = z.output<typeof PlannedContainer>;

/** The plugin and the compose file that containers are made for. */
export const PlanOwner = z.strictObject({
  plugin: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/),
  composeFile: z.string().max(255).regex(
    /^(?:[A-Za-z0-9_][A-Za-z0-9._-]*\/)*[A-Za-z0-9_][A-Za-z0-9._-]*\.ya?ml$/,
  ),
});
export type PlanOwner = z.output<typeof PlanOwner>;

/**
 * The containers of a plugin. netd checks it as well, so that nothing else of an engine can be had by it:
 * no path but folders of the plugin, no devices, no further rights.
 */
export const ContainerPlan = PlanOwner.extend({
  containers: z.array(PlannedContainer).min(1).max(MAX_CONTAINERS),
}).superRefine(({ plugin, containers }, context) => {
  const issue = (path: PropertyKey[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  const own = `state/plugins/${plugin}`, socket = `${CONTAINER_SOCKETS}/${plugin}`;
  const sources = new Set<string>(), names = new Set<string>();
  containers.forEach(({ mounts, name }, index) => {
    if (names.has(name)) issue(["containers", index, "name"], `Two containers are called ${name}`);
    names.add(name);
    if ([BEFORE_RAN, BEFORE_STILL, REPLACED].some((end) => name.endsWith(end))) {
      issue(["containers", index, "name"], `${name} is a name that updates use; choose another`);
    }
    mounts.forEach(({ source }, at) => {
      if (source !== own && source !== socket && !source.startsWith(`${own}/`)) {
        issue(["containers", index, "mounts", at], `Write a folder below /${own}`);
      }
      // What sees the outer folder could put a link in the place of the inner one.
      const around = [...sources].find((one) =>
        one.startsWith(`${source}/`) || source.startsWith(`${one}/`)
      );
      if (around !== undefined) {
        issue(["containers", index, "mounts", at], `/${source} and /${around} overlap; name one`);
      }
      sources.add(source);
    });
  });
});
export type ContainerPlan = z.output<typeof ContainerPlan>;

/** Credentials of the registry ghcr.io. */
export const RegistryLogin = z.object({
  Username: z.string().max(128).regex(/^[A-Za-z0-9_.-]*$/, { error: "Write a user name" }),
  Secret: z.string().max(1024).regex(/^[a-zA-Z0-9+/=_]*$/, {
    error: "Write letters, digits and + / = _ alone",
  }),
});
export type RegistryLogin = z.output<typeof RegistryLogin>;

/** How containers are made. */
export const DeployOptions = z.strictObject({
  /** Look for newer images; else only those that are missing are fetched. */
  pull: z.boolean(),
  /** Make containers anew although nothing has changed. */
  force: z.boolean(),
  login: RegistryLogin.nullable(),
});
export type DeployOptions = z.output<typeof DeployOptions>;

/** What came of it: whether another image was fetched, and whether containers were made anew. */
export const Deployed = z.object({ imageUpdated: z.boolean(), recreated: z.boolean() });
export type Deployed = z.output<typeof Deployed>;
