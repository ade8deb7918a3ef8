import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { Manifest, rightsChange, rightsOf } from "../../system/plugins/deno/manifest.ts";
import type { CodeStore, Reviewed } from "../../system/plugins/install/store.ts";
import { type Acceptance, findPlugin, installPlugin, isOlder } from "../../system/plugins/rules.ts";
import { isGitUrl, Plugin } from "../../system/plugins/schema.ts";
import { denoSocket } from "../../system/plugins/socket_path.ts";
import type { Call, RouteDescription } from "../http/route.ts";
import { type Route, route } from "../http/route.ts";

/** Bytes of a request with an archive: base64 of 8 MiB. */
const MAX_ARCHIVE_BODY = 12 << 20;

/** What the routes that install plugins need. */
export interface InstallDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly plugins: { readonly code: CodeStore };
}

const Right = z.object({ text: z.string(), isDangerous: z.boolean() }).meta({ id: "PluginRight" });
const GitUrl = z.string().max(512).refine((url) => url === "" || isGitUrl(url), {
  error: "Write an https address without a user or password, such as https://git.example/me/plugin",
}).meta({ examples: ["https://git.example.org/me/plugin"] });

const Source = z.object({
  GitURL: GitUrl.default(""),
  Archive: z.string().max(MAX_ARCHIVE_BODY).default(""),
  Folder: z.string().regex(/^([A-Za-z0-9_][A-Za-z0-9._-]{0,63})?$/, {
    error: "Write the name of a folder in state/plugind/incoming",
  }).default(""),
}).meta({ examples: [{ Folder: "sample" }] });

const HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const Review = z.object({
  hash: z.string().meta({ examples: [HASH] }),
  manifest: Manifest,
  rights: z.array(Right),
  /** SHA-256 of the public key that signed it; "" where it is not signed. */
  signer: z.string().meta({ examples: [HASH] }),
  /** The same of what is installed: another key, or none, has to be accepted. "" for nothing. */
  signedBefore: z.string().meta({ examples: [HASH] }),
  /** Null: it is not installed yet. */
  change: z.object({
    /** Version that is installed; "" where it is not known. */
    from: z.string().meta({ examples: ["1.0.0"] }),
    /** It is signed, and a lower version than what is installed: that has to be accepted. */
    isOlder: z.boolean(),
    added: z.array(Right),
    removed: z.array(Right),
  }).nullable(),
}).meta({ id: "PluginReview" });

const Hash = z.string().regex(/^[0-9a-f]{64}$/, { error: "Write the hash of a review" })
  .meta({ examples: [HASH] });

const Plugins = z.array(Plugin);

/** Deno plugins: look at what one asks for, and approve it. */
export function installRoutes(deps: InstallDeps): Route[] {
  const common = { tag: "Plugins", access: "otp" } as const;
  return [
    route({
      ...common,
      method: "PUT",
      path: "/plugin/review",
      summary: "Look at a plugin before it is installed",
      description:
        "Reads a Deno plugin from a git repository (https alone), a `.tar.gz` in base64, or a folder " +
        "in `state/plugind/incoming`, and returns what it asks for, in sentences, and how that " +
        "differs from what was approved before. Nothing of it is run. The review holds for fifteen " +
        "minutes.",
      body: Source,
      maxBody: MAX_ARCHIVE_BODY,
      response: Review,
      errors: [404, 413, 502, 503],
    }, async ({ body }) => await reviewOf(deps, await deps.plugins.code.review(body))),
    route({
      ...common,
      method: "PUT",
      path: "/plugin/install",
      summary: "Approve a plugin and install it",
      description:
        "Installs exactly the files that were reviewed, or updates the plugin of this name to them, " +
        "and turns it on. It runs with what its manifest asks for and nothing else, and its files " +
        "are compared with the hash at each start. The key that signed it is remembered: an update " +
        "that is signed with another one, or not, is 409 unless `acceptSigner` is true. So is a lower " +
        "version of a signed plugin, unless `acceptOlder` is.",
      document: "plugins",
      body: z.object({
        hash: Hash,
        acceptSigner: z.boolean().default(false),
        acceptOlder: z.boolean().default(false),
      }),
      response: Plugins,
      errors: [404, 409, 412],
    }, async (call) => {
      const { hash, acceptSigner, acceptOlder } = call.body;
      return await install(call, deps, deps.plugins.code.reviewed(hash), {
        accepts: { signer: acceptSigner, older: acceptOlder },
      });
    }),
    route({
      ...common,
      method: "PUT",
      path: "/plugin/download_info",
      summary: "Look at a plugin in a git repository, as existing clients do",
      description: "Returns the entry that it would have; `PUT /plugin/complete_install` takes it.",
      body: GitUrl,
      response: Plugin.extend({ RuntimeReady: z.boolean() }),
      errors: [404, 502, 503],
    }, async ({ body }) => {
      const reviewed = await deps.plugins.code.review({ GitURL: body, Archive: "", Folder: "" });
      return { ...entryOf(reviewed), RuntimeReady: true };
    }),
    route(
      {
        ...common,
        method: "PUT",
        path: "/plugin/complete_install",
        summary: "Approve a plugin, as existing clients do",
        description:
          "Takes an entry of `PUT /plugin/download_info`. What is installed is what was downloaded " +
          "then, by `codeHash`; nothing else of the entry counts but `Enabled`.",
        document: "plugins",
        body: Plugin.pick({ Name: true, codeHash: true, Enabled: true }),
        response: Plugins,
        errors: [404, 409, 412],
      },
      async (call) =>
        await install(
          call,
          deps,
          deps.plugins.code.reviewed(call.body.codeHash),
          { enabled: call.body.Enabled },
        ),
    ),
    route(
      {
        ...common,
        method: "PUT",
        path: "/plugin/install_user_url",
        summary: "Install a plugin from a git repository in one step",
        description: "As a review and an approval of what it brings.",
        document: "plugins",
        body: GitUrl,
        response: Plugins,
        errors: [404, 409, 412, 502, 503],
      },
      async (call) =>
        await install(
          call,
          deps,
          await deps.plugins.code.review({ GitURL: call.body, Archive: "", Folder: "" }),
        ),
    ),
  ];
}

async function install<D extends RouteDescription & { readonly response: typeof Plugins }>(
  call: Pick<Call<D>, "decide">,
  { engine, plugins: { code } }: InstallDeps,
  reviewed: Reviewed,
  { enabled = true, accepts = { signer: false, older: false } }: {
    readonly enabled?: boolean;
    readonly accepts?: Acceptance;
  } = {},
): Promise<Response> {
  const { manifest } = reviewed.code;
  const before = findPlugin(engine.config, manifest.Name);
  const versionBefore = await versionOf(code, before);
  const did = `${before === undefined ? "Installed" : "Updated"} the plugin ${manifest.Name} ` +
    manifest.Version;
  const decide = call.decide as (
    command: Parameters<Call<D>["decide"]>[0],
    answer: (list: readonly Plugin[]) => unknown,
  ) => Promise<Response>;
  try {
    await code.keep(reviewed.code);
    const answer = await decide(
      {
        kind: "plugin.install",
        summary: did,
        reduce: (config) =>
          installPlugin(config, { ...entryOf(reviewed), Enabled: enabled }, {
            ...{ accepts, versionBefore },
          }),
      } as Parameters<Call<D>["decide"]>[0],
      (list) => list,
    );
    // Not where it is a preview, or changed nothing.
    if (answer.headers.has("change-id")) code.publishInstall(reviewed, { did });
    return answer;
  } catch (failure) {
    code.publishInstall(reviewed, { failure });
    throw failure;
  }
}

/** The entry of a plugin with these files. */
function entryOf({ code: { manifest, hash }, gitUrl, signer }: Reviewed): Plugin {
  const { Name, URI, HasUI, Icon, ScopedPaths } = manifest;
  return {
    ...{ Name, URI, HasUI, Icon, ScopedPaths },
    UnixPath: denoSocket(Name),
    Enabled: true,
    Plus: false,
    GitURL: gitUrl,
    ComposeFilePath: "",
    HasTopology: false,
    InstallTokenPath: "",
    codeHash: hash,
    signer,
    version: manifest.Version,
  };
}

async function reviewOf(
  { engine, plugins: { code } }: InstallDeps,
  { code: { manifest, hash }, signer }: Reviewed,
): Promise<z.input<typeof Review>> {
  const rights = rightsOf(manifest);
  const installed = findPlugin(engine.config, manifest.Name);
  const before = installed === undefined ? null : await code.manifestOf(installed);
  const signers = { signer, signedBefore: installed?.signer ?? "" };
  if (installed === undefined) return { hash, manifest, rights, ...signers, change: null };
  const { added, removed } = rightsChange(before === null ? [] : rightsOf(before), rights);
  const from = await versionOf(code, installed);
  return {
    ...{ hash, manifest, rights, ...signers },
    change: {
      from,
      isOlder: isOlder({ ...installed, version: from }, { version: manifest.Version }),
      ...{ added: [...added], removed: [...removed] },
    },
  };
}

/** The version that is installed; "" where it is not known. */
async function versionOf(code: CodeStore, installed: Plugin | undefined): Promise<string> {
  if (installed === undefined) return "";
  return installed.version || ((await code.manifestOf(installed))?.Version ?? "");
}
