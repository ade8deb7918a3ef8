import { createHash } from "node:crypto";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions, type Metafile, stop } from "esbuild";
import { apiTypesModule } from "./build/api_types.ts";
import { formRulesModule } from "./build/form_rules.ts";
import { policiesModule } from "./build/policies.ts";
import { ruleKindsModule } from "./build/rule_kinds.ts";
import { manualOf } from "./build/manual.ts";
import { lazyStyles } from "./build/lazy_styles.ts";
import { sharedChunks } from "./build/shared_chunks.ts";
import type { ManualEntry } from "./pages/help/manual.ts";
import { type Pack, quickGzip, tightGzip, writePacked } from "./build/packed.ts";
import { apiTexts } from "./build/api_texts.ts";
import { pageModules, partOf, template } from "./build/texts.ts";

const UI = dirname(fileURLToPath(import.meta.url));
const DIST = join(UI, "dist");
const BASE = "/admin/assets/";
/** What comes at once, whatever the address, and what the sign-in and Home load after that. */
const SHELL = "main.tsx";
const SIGN_IN = "pages/sign_in/page.tsx";
const HOME = "pages/home/page.tsx";
/** Comes late, and has texts of the shell: a toast may be shown before those of the pages are there. */
const TOAST = "parts/overlay/toast_box.tsx";

/** Sizes of what the first page needs, gzip bytes. */
export interface BuildReport {
  readonly script: number;
  readonly style: number;
  readonly rebuilt: boolean;
}

/** How the page is built. */
export interface UiBuildOptions {
  /** Builds only when a source differs from the last build. */
  readonly ifChanged?: boolean;
  /** Puts `/admin/ui-parts` in, for those who work on the pages. */
  readonly development?: boolean;
  /** Folder to build into; default `ui/dist`. */
  readonly into?: string;
}

/** Builds the page. */
export async function buildUi(options: UiBuildOptions = {}): Promise<BuildReport> {
  const dist = options.into ?? DIST;
  const development = options.development ?? false;
  await writeIfNew(join(UI, "generated/form_rules.ts"), formRulesModule());
  await writeIfNew(join(UI, "generated/policies.ts"), policiesModule());
  await writeIfNew(join(UI, "generated/rule_kinds.ts"), ruleKindsModule());
  await writeApiTypes(join(UI, "generated/api.ts"));
  const hash = `${await sourcesHash()}${development ? "-development" : ""}`;
  const stamp = join(dist, "build.json");
  if (options.ifChanged) {
    const last = await Deno.readTextFile(stamp).then(JSON.parse, () => null);
    if (last?.hash === hash) return { script: last.script, style: last.style, rebuilt: false };
  }
  const fresh = `${dist}.${Deno.pid}`;
  await Deno.remove(fresh, { recursive: true }).catch(() => {});
  const sizes = await emit(fresh, development).finally(stop);
  await Deno.writeTextFile(join(fresh, "build.json"), JSON.stringify({ hash, ...sizes }) + "\n");
  await Deno.remove(dist, { recursive: true }).catch(() => {});
  await Deno.rename(fresh, dist);
  return { ...sizes, rebuilt: true };
}

async function emit(
  folder: string,
  development: boolean,
): Promise<{ script: number; style: number }> {
  const pages: BuildOptions = {
    absWorkingDir: dirname(UI),
    entryPoints: [join(UI, "main.tsx"), join(UI, "first_paint.ts"), join(UI, "icon.svg")],
    outdir: join(folder, "assets"),
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    define: { DEVELOPMENT: String(development) },
    sourcemap: "external",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".svg": "copy" },
    plugins: [lazyStyles(join(UI, "main.tsx"))],
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    logLevel: "warning",
  };
  const shared = await sharedChunks(
    pages,
    [SHELL, SIGN_IN, HOME].map((entry) => `ui/${entry}`),
  );
  const { metafile } = await build({
    ...pages,
    metafile: true,
    plugins: [shared, ...pages.plugins ?? []],
  });
  // Under one name for ever and with nothing to import: they are fetched at the moment they are needed.
  await build({
    absWorkingDir: dirname(UI),
    entryPoints: ["confirm_worker", "push_worker"].map((name) => join(UI, `actions/${name}.ts`)),
    outdir: folder,
    bundle: true,
    format: "iife",
    minify: true,
    target: "es2023",
    logLevel: "warning",
  });
  const outputs = Object.entries(metafile.outputs).filter(([path]) => !path.endsWith(".map"));
  const first = new Set([
    ...scriptsOf(metafile, [SHELL, SIGN_IN, HOME, "first_paint.ts"]),
    metafile.outputs[outputOf(metafile, SHELL)]?.cssBundle,
  ]);
  const sizes = new Map<string, number>();
  for (const [path] of outputs) {
    const pack = first.has(path) ? tightGzip : quickGzip;
    sizes.set(path, await writePacked(join(dirname(UI), path), pack));
  }
  await writePage(folder, metafile, {
    texts: await writeCatalogues(folder, metafile),
    manual: await writeManual(folder),
  });
  return firstLoad(metafile, sizes);
}

function outputOf(metafile: Metafile, ending: string): string {
  const found = Object.entries(metafile.outputs).find(([path, output]) =>
    output.entryPoint?.endsWith(ending) && !path.endsWith(".map")
  );
  if (found === undefined) throw new Error(`The build made nothing of ${ending}`);
  return found[0];
}

/**
 * Writes each language's texts as three files: those of the shell and the sign-in, those of Home
 * besides, and all but the first; English needs none. Answers the attributes by which the page finds
 * them.
 */
async function writeCatalogues(folder: string, metafile: Metafile): Promise<string> {
  const modules = await pageModules(UI);
  const keysOf = (entries: readonly string[]): readonly string[] => {
    const files = new Set(
      scriptsOf(metafile, entries)
        .flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}))
        .map((path) => join(dirname(UI), path)),
    );
    return Object.keys(
      template([...modules].flatMap(([path, source]) => files.has(path) ? [source] : [])),
    );
  };
  const shell = keysOf([SHELL, SIGN_IN, TOAST]);
  const besides = (keys: readonly string[]) => keys.filter((key) => !shell.includes(key));
  const parts = [
    shell,
    besides(keysOf([HOME])),
    besides(Object.keys(template(modules.values(), await apiTexts(join(UI, ".."))))),
  ];
  const attributes: string[] = [];
  for await (const { name } of Deno.readDir(join(UI, "languages"))) {
    const language = name.replace(".json", "");
    if (language === "en") continue;
    const catalogue = JSON.parse(await Deno.readTextFile(join(UI, "languages", name)));
    const names: string[] = [];
    for (const [at, keys] of parts.entries()) {
      const pack = at < 2 ? tightGzip : quickGzip;
      names.push(await writeNamed(folder, language, partOf(catalogue, keys), pack));
    }
    attributes.push(`data-${language}="${names.join(" ")}"`);
  }
  return attributes.join(" ");
}

/** Writes the manual, a file for each page and one that lists them. Answers the address of the list. */
async function writeManual(folder: string): Promise<string> {
  const docs = new Map<string, string>();
  for (const path of await manualFiles()) {
    docs.set(basename(path, ".md"), await Deno.readTextFile(path));
  }
  const entries: ManualEntry[] = [];
  for (const { content, ...page } of manualOf(docs)) {
    entries.push({ ...page, file: await writeNamed(folder, `manual-${page.id}`, content) });
  }
  return await writeNamed(folder, "manual", entries);
}

/** Writes JSON under a name that changes with it, and answers its address. */
async function writeNamed(
  folder: string,
  name: string,
  content: unknown,
  pack: Pack = quickGzip,
): Promise<string> {
  const text = JSON.stringify(content);
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase();
  const file = `${name}-${digest}.json`;
  await Deno.writeTextFile(join(folder, "assets", file), text);
  await writePacked(join(folder, "assets", file), pack);
  return BASE + file;
}

async function writePage(
  folder: string,
  metafile: Metafile,
  { texts, manual }: { readonly texts: string; readonly manual: string },
): Promise<void> {
  const main = outputOf(metafile, SHELL);
  const script = shellScript(metafile, main);
  const outputs: Record<string, string> = {
    main: script,
    style: metafile.outputs[main]?.cssBundle ?? "",
    paint: outputOf(metafile, "first_paint.ts"),
    icon: Object.keys(metafile.outputs).find((path) => path.endsWith(".svg")) ?? "",
  };
  const template = await Deno.readTextFile(join(UI, "index.html"));
  const preloads = scriptsOf(metafile, [SHELL]).filter((path) => path !== main && path !== script)
    .map((path) => `    <link rel="modulepreload" href="${BASE}${path.split("/").at(-1)}">\n`);
  const page = template.replace(
    /\{(icon|style|paint|main)\}/g,
    (_, name: string) => BASE + (outputs[name] ?? "").split("/").at(-1),
  ).replace("{texts}", texts).replace("{manual}", manual).replace(
    "  </head>",
    `${preloads.join("")}  </head>`,
  );
  const file = join(folder, "index.html");
  await Deno.writeTextFile(file, page);
  await writePacked(file, tightGzip);
}

/** What the page has to load: the entry, or the one script that it does nothing but import. */
function shellScript(metafile: Metafile, main: string): string {
  const { imports = [], inputs = {} } = metafile.outputs[main] ?? {};
  const own = Object.values(inputs).reduce((sum, { bytesInOutput }) => sum + bytesInOutput, 0);
  const [only, ...others] = imports.filter(({ kind }) => kind === "import-statement");
  return own === 0 && only !== undefined && others.length === 0 ? only.path : main;
}

/** The scripts of these entries and of what they import at once. */
function scriptsOf(metafile: Metafile, entries: readonly string[]): readonly string[] {
  const queue = entries.map((entry) => outputOf(metafile, entry));
  const seen = new Set<string>();
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const part of metafile.outputs[path]?.imports ?? []) {
      if (part.kind === "import-statement") queue.push(part.path);
    }
  }
  return [...seen];
}

function firstLoad(
  metafile: Metafile,
  sizes: ReadonlyMap<string, number>,
): { script: number; style: number } {
  const size = (path: string | undefined) => sizes.get(path ?? "") ?? 0;
  return {
    script: scriptsOf(metafile, [SHELL, SIGN_IN, "first_paint.ts"])
      .reduce((sum, path) => sum + size(path), 0),
    style: size(metafile.outputs[outputOf(metafile, "main.tsx")]?.cssBundle),
  };
}

async function sourcesHash(): Promise<string> {
  const hash = createHash("sha256");
  const files: string[] = [];
  await collect(UI, files);
  files.push(join(dirname(UI), "deno.lock"), ...await manualFiles());
  for (const file of files.sort()) {
    hash.update(relative(UI, file)).update("\0").update(await Deno.readFile(file)).update("\0");
  }
  return hash.digest("hex");
}

/** The files of the manual; none where the program was installed without it. */
async function manualFiles(): Promise<readonly string[]> {
  const folder = join(dirname(UI), "docs");
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) if (name.endsWith(".md")) names.push(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.sort().map((name) => join(folder, name));
}

async function collect(folder: string, files: string[]): Promise<void> {
  for await (const entry of Deno.readDir(folder)) {
    if (entry.name.startsWith("dist")) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory) await collect(path, files);
    else files.push(path);
  }
}

async function writeIfNew(path: string, text: string): Promise<void> {
  const old = await Deno.readTextFile(path).catch(() => null);
  if (old !== text) await Deno.writeTextFile(path, text);
}

async function writeApiTypes(path: string): Promise<void> {
  const fresh = await apiTypesModule(await Deno.readTextFile(path).catch(() => null));
  if (fresh !== null) await Deno.writeTextFile(path, fresh);
}

if (import.meta.main) {
  const report = await buildUi({
    ifChanged: Deno.args.includes("--if-changed"),
    development: Deno.args.includes("--development"),
  });
  const kb = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
  await Deno.stderr.write(new TextEncoder().encode(
    report.rebuilt
      ? `ui: built; first load ${kb(report.script)} script, ${kb(report.style)} style (gzip)\n`
      : "ui: unchanged\n",
  ));
}
