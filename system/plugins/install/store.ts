import { join } from "node:path";
import { gunzip } from "../../backup/gzip.ts";
import { readTarSteps } from "../../backup/tar.ts";
import { inTurns } from "../../core/time/slices.ts";
import { createAnew } from "../../core/config/files.ts";
import { errorText } from "../../core/errors/error_text.ts";
import type { Bus } from "../../core/events/bus.ts";
import { invalid, notFound } from "../../core/errors/problem.ts";
import { onceEach } from "../../core/config/memo.ts";
import { type Manifest, type Right, rightsOf } from "../deno/manifest.ts";
import { PLUGIND_FOLDER, pluginPlaces } from "../deno/run_arguments.ts";
import type { Plugin } from "../schema.ts";
import { type CodeFile, type PluginCode, readCode } from "./code.ts";
import { readFolder } from "./folder.ts";
import { signerOf } from "./signature.ts";

/** Plugins that wait for an approval at a time, and milliseconds that each does. */
const MAX_REVIEWED = 4;
const REVIEW_MS = 900_000;
/** Milliseconds that approved files stay once no plugin has them: so long an undo brings them back. */
const UNUSED_MS = 30 * 86_400_000;

/** Where the files of a plugin come from; exactly one. */
export interface CodeSource {
  readonly GitURL: string;
  /** A `.tar.gz` in base64. */
  readonly Archive: string;
  /** A folder below `state/plugind/incoming/`. */
  readonly Folder: string;
}

/** Files of a plugin that an admin looks at before they are run. */
export interface Reviewed {
  readonly code: PluginCode;
  /** SHA-256 of the public key that signed it; "" where it is not signed. */
  readonly signer: string;
  readonly gitUrl: string;
  readonly until: number;
}

/** What {@link CodeStore} needs. */
export interface CodeStoreDeps {
  readonly home: string;
  /** Fetches a repository and returns its folder below `incoming/`. */
  readonly fetch: (url: string) => Promise<string>;
  /** Plugins that are installed. */
  readonly installed: () => readonly Pick<Plugin, "GitURL">[];
  readonly bus: Pick<Bus, "publish">;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The files of Deno plugins: those that wait for an approval, and those that were approved. */
export class CodeStore {
  readonly #deps: CodeStoreDeps;
  readonly #reviewed = new Map<string, Reviewed>();
  readonly #rights = onceEach(rightsOf);
  readonly #manifests = new Map<string, Manifest | null>();

  constructor(deps: CodeStoreDeps) {
    this.#deps = deps;
  }

  /** Takes files in to be looked at; nothing of them is run. Throws Problem 400, 404, 502, 503. */
  async review(source: CodeSource): Promise<Reviewed> {
    const { code, signer } = await this.#read(source);
    const { steady } = this.#deps;
    for (const [hash, { until }] of this.#reviewed) {
      if (until <= steady()) this.#reviewed.delete(hash);
    }
    this.#reviewed.delete(code.hash);
    if (this.#reviewed.size >= MAX_REVIEWED) {
      this.#reviewed.delete([...this.#reviewed.keys()][0]!);
    }
    const reviewed = { code, signer, gitUrl: source.GitURL, until: steady() + REVIEW_MS };
    this.#reviewed.set(code.hash, reviewed);
    return reviewed;
  }

  /** Publishes what came of a download: an address never holds a password. */
  async #read(source: CodeSource): Promise<Pick<Reviewed, "code" | "signer">> {
    const { GitURL } = source, { bus, installed } = this.#deps;
    const isInstalled = GitURL !== "" && installed().some((one) => one.GitURL === GitURL);
    if (isInstalled) bus.publish("plugin:download:exists", { GitURL });
    try {
      const code = readCode(await this.#filesOf(source));
      const signer = await signerOf(code);
      if (GitURL !== "") bus.publish("plugin:download:success", { GitURL });
      return { code, signer };
    } catch (error) {
      if (GitURL !== "") {
        bus.publish("plugin:download:failure", { GitURL, Reason: errorText(error) });
      }
      throw error;
    }
  }

  /** Publishes how the installation of a plugin from a repository went; `failure`: why it failed. */
  publishInstall(
    { code: { manifest: { Name } }, gitUrl: GitURL }: Reviewed,
    outcome: { readonly did: string } | { readonly failure: unknown },
  ): void {
    if (GitURL === "") return;
    const { bus } = this.#deps;
    if ("did" in outcome) {
      bus.publish("plugin:install:status", { GitURL, Name, Reason: outcome.did });
    } else {
      const Reason = errorText(outcome.failure);
      bus.publish("plugin:install:failure", { GitURL, Name, Reason });
    }
  }

  /** What was looked at, by the hash of its files. Throws Problem 404. */
  reviewed(hash: string): Reviewed {
    const found = this.#reviewed.get(hash);
    if (found === undefined || found.until <= this.#deps.steady()) {
      throw notFound("Nothing with this hash waits for an approval; review the plugin again");
    }
    return found;
  }

  /** Writes approved files where plugind runs them from; does nothing where they are there. */
  async keep({ hash, files, manifest }: PluginCode): Promise<void> {
    const { code } = pluginPlaces(this.#deps.home, manifest.Name, hash);
    for (const { path, bytes } of files) {
      const target = join(code, path);
      await Deno.mkdir(join(target, ".."), { recursive: true, mode: 0o750 });
      using file = await createAnew(target, 0o640);
      for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
    }
    this.#manifests.set(hash, manifest);
  }

  /** The manifest of an approved plugin; null where its files are gone or are no Deno plugin. */
  async manifestOf({ Name, codeHash }: Plugin): Promise<Manifest | null> {
    if (codeHash === "") return null;
    const known = this.#manifests.get(codeHash);
    if (known !== undefined) return known;
    const { code } = pluginPlaces(this.#deps.home, Name, codeHash);
    let manifest: Manifest | null = null;
    try {
      const found = readCode(await readFolder(code));
      if (found.hash === codeHash) manifest = found.manifest;
    } catch {
      // Its files are gone or were changed: plugind says so, and refuses to run them.
    }
    this.#manifests.set(codeHash, manifest);
    return manifest;
  }

  /**
   * Deletes approved files that no plugin has had for a month. The time of a folder is when its plugin
   * was last there. A folder that cannot be deleted stays.
   */
  async prune(plugins: readonly Pick<Plugin, "codeHash">[]): Promise<void> {
    const now = this.#deps.now(), used = new Set(plugins.map(({ codeHash }) => codeHash));
    const folder = join(this.#deps.home, "state", PLUGIND_FOLDER, "code");
    try {
      for await (const { name } of Deno.readDir(folder)) {
        const path = join(folder, name);
        if (used.has(name)) {
          await Deno.utime(path, new Date(now), new Date(now));
          continue;
        }
        const { mtime } = await Deno.lstat(path);
        if (mtime !== null && now - mtime.getTime() < UNUSED_MS) continue;
        await Deno.remove(path, { recursive: true });
        this.#manifests.delete(name);
      }
    } catch {
      // Nothing was ever approved, or another change deletes at the same time.
    }
  }

  /** What a plugin may do; null where it is no Deno plugin of ours. */
  async rightsOf(plugin: Plugin): Promise<readonly Right[] | null> {
    const manifest = await this.manifestOf(plugin);
    return manifest === null ? null : this.#rights(manifest);
  }

  async #filesOf({ GitURL, Archive, Folder }: CodeSource): Promise<readonly CodeFile[]> {
    const given = [GitURL, Archive, Folder].filter((one) => one !== "");
    if (given.length !== 1) throw invalid("", "Name one source: GitURL, Archive or Folder");
    if (Archive !== "") return await inTurns(readTarSteps(await gunzip(decoded(Archive))));
    const folder = Folder === "" ? await this.#deps.fetch(GitURL) : Folder;
    const path = join(this.#deps.home, "state", PLUGIND_FOLDER, "incoming", folder);
    try {
      return await readFolder(path);
    } finally {
      if (GitURL !== "") await Deno.remove(path, { recursive: true }).catch(() => {});
    }
  }
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    throw invalid("/Archive", "This is no base64");
  }
}
