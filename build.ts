import { createHash } from "node:crypto";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type BuildOptions, type Metafile, type Plugin, stop } from "esbuild";
import config from "./deno.json" with { type: "json" };
import { PROCESSES } from "./system/processes.ts";

const ROOT = fileURLToPath(new URL(".", import.meta.url));
/** What the program is made of. */
const SOURCES = ["build.ts", "program.ts", "routes", "system", "deno.json", "deno.lock"];
/** How a module names another that it runs in a worker. */
const WORKER = /new URL\("(\.\/\w+\.ts)", import\.meta\.url\)/g;
/** Length of a line of a bundle from which on it may end. */
const LINE_BYTES = 120;
/** What `import.meta.url` is called in a bundle. */
const OWN_ADDRESS = "ownAddress";
/** Make a function of a bundle that takes the packages by their names. */
const BEFORE = `"use strict";module.exports=((packages)=>{const ` +
    `${OWN_ADDRESS}=module.require("node:url").pathToFileURL(__filename).href,` +
    `require=(name)=>packages[name]??module.require(name);`,
  AFTER = "});";
/**
 * Packages that go into the bundles, with what these need: some are made of a hundred files, and to find
 * and read those takes longer than to run them. Others are native, or are loaded by few routers.
 */
const BUNDLED_PACKAGES = [
  "zod",
  "hono",
  "@hono/zod-validator",
  "drizzle-orm",
  "@peculiar/x509",
  "reflect-metadata",
  "jose",
  "jsep",
  "nodemailer",
  "otpauth",
  "re2js",
  "web-push",
];

/**
 * Bundles each process of the program, and the launcher, into `dist/`. As a thousand modules the api
 * takes a third more memory and twice the time to start, since Deno keeps of each its source, its
 * compiled form and a map between them. Does nothing where the sources are those of the last build;
 * answers whether it built. Throws where a module does not compile.
 */
async function buildProgram(root: string): Promise<boolean> {
  const dist = join(root, "dist"), stamp = join(dist, "build.json");
  const hash = await sourcesHash(root);
  const last: Stamp | null = await Deno.readTextFile(stamp).then(JSON.parse, () => null);
  const present = new Set(await namesIn(dist));
  if (last?.hash === hash && last.files.every((name) => present.has(name))) return false;
  await Deno.mkdir(dist, { recursive: true });
  const fresh = await Deno.makeTempDir({ dir: dist, prefix: "build." });
  try {
    await emit(root, fresh).finally(stop);
    const files = await namesIn(fresh);
    // A build that ends here leaves files of both, which the next one replaces.
    await Deno.remove(stamp).catch(() => {});
    // Each process loads a single file, which is replaced as a whole.
    for (const name of files) await Deno.rename(join(fresh, name), join(dist, name));
    const gone = last === null ? [] : last.files.filter((name) => !files.includes(name));
    for (const name of gone) await Deno.remove(join(dist, name)).catch(() => {});
    await Deno.writeTextFile(stamp, `${JSON.stringify({ hash, files } satisfies Stamp)}\n`);
  } finally {
    await Deno.remove(fresh, { recursive: true });
  }
  return true;
}

/** What was built last. */
interface Stamp {
  readonly hash: string;
  readonly files: readonly string[];
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  return entries.map(({ name }) => name);
}

async function emit(root: string, outdir: string): Promise<void> {
  const common: BuildOptions = {
    absWorkingDir: root,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "esnext",
    // With a single character beyond Latin 1 V8 keeps the whole source with two bytes for each.
    charset: "ascii",
    // Names and short lines stay: they are what a stack trace in the log shows.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: LINE_BYTES,
    legalComments: "none",
    define: { "import.meta.url": OWN_ADDRESS },
    banner: { js: BEFORE },
    footer: { js: AFTER },
    plugins: [packages(root), oneLanguage(), ownAddresses(root)],
    metafile: true,
    logLevel: "warning",
  };
  const bundle = async (name: string, contents: string): Promise<void> => {
    const { metafile } = await build({
      ...common,
      stdin: { contents, resolveDir: root, sourcefile: `${name}.ts`, loader: "ts" },
      outfile: join(outdir, `${name}.cjs`),
    });
    await Deno.writeTextFile(join(outdir, `${name}.js`), opening(name, metafile!));
  };
  for (const path of await workersOf(root)) {
    await bundle(outputOf(path), `import ${JSON.stringify(`./${path}`)};\n`);
  }
  const entry = (name: string, load: string): Promise<void> =>
    bundle(name, `import { runProgram } from "./program.ts";\nvoid runProgram(${load}, true);\n`);
  await entry("launcher", `() => { throw new Error("The launcher runs no service"); }`);
  for (const { name } of PROCESSES) {
    await entry(name, `() => import("./routes/services/${name}.ts")`);
  }
}

/**
 * The module that a process or worker starts with: imports the packages, and hands them to the bundle.
 * That is no ES module itself, since of one Deno makes a syntax tree before V8 compiles it, when it
 * meets it first, and much of the memory of that stays taken.
 */
function opening(name: string, { outputs }: Metafile): string {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const paths = imports.filter(({ path, kind, external }) =>
    external === true && kind !== "dynamic-import" && !isBuiltin(path)
  ).map(({ path }) => JSON.stringify(path));
  const unique = [...new Set(paths)];
  return [
    `import { createRequire } from "node:module";`,
    ...unique.map((path, i) => `import * as p${i} from ${path};`),
    `const bundle = createRequire(import.meta.url)("./${name}.cjs");`,
    `bundle({${unique.map((path, i) => ` ${path}: { __esModule: true, ...p${i} },`).join("")} });`,
    "",
  ].join("\n");
}

/** Leaves out the forty languages that zod can say errors in, but for English. */
function oneLanguage(): Plugin {
  return {
    name: "one language",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
        contents: `export { default as en } from "./en.js";`,
        loader: "js",
      }));
    },
  };
}

/** Finds what `deno.json` names, and leaves to Deno what is not to be bundled. */
function packages(root: string): Plugin {
  const aliases: Readonly<Record<string, string>> = config.imports;
  return {
    name: "packages",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
        if (kind === "entry-point" || isBuiltin(path)) return null;
        const alias = aliases[path];
        if (alias?.startsWith("./")) return { path: join(root, alias) };
        const isPartOf = (name: string) => path === name || path.startsWith(`${name}/`);
        const isNeeded = importer.includes("/node_modules/") && !isPartOf("@libsql");
        const isBundled = isNeeded || BUNDLED_PACKAGES.some(isPartOf);
        return isBundled ? null : { path, external: true };
      });
    },
  };
}

/** Lets a module find its worker in the bundle, and other files (migrations, scripts) beside its source. */
function ownAddresses(root: string): Plugin {
  return {
    name: "own addresses",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path.includes("/node_modules/")) return null;
        const text = await Deno.readTextFile(path);
        if (!text.includes("import.meta.url")) return null;
        // All files of the bundle lie in one folder of the root.
        const source = `..${pathToFileURL(join("/", relative(root, path))).pathname}`;
        const parts = text.split(WORKER);
        const contents = parts.map((part, at) =>
          at % 2 === 0
            ? part.replaceAll(
              "import.meta.url",
              `(new URL(${JSON.stringify(source)}, import.meta.url).href)`,
            )
            : `new URL("./${
              outputOf(relative(root, join(dirname(path), part)))
            }.js", import.meta.url)`
        ).join("");
        return { contents, loader: "ts" };
      });
    },
  };
}

/** Modules that run in a worker, from the root. */
async function workersOf(root: string): Promise<readonly string[]> {
  const files = (await filesOf(join(root, "system"))).filter((path) => path.endsWith(".ts"));
  const found = await Promise.all(files.map(async (path) => {
    const text = await Deno.readTextFile(path);
    return [...text.matchAll(WORKER)].map(([, file = ""]) =>
      relative(root, join(dirname(path), file))
    );
  }));
  return found.flat();
}

function outputOf(path: string): string {
  return path.replace(/\.ts$/, "").replaceAll("/", "_");
}

async function sourcesHash(root: string): Promise<string> {
  const hash = createHash("sha256");
  for (const file of (await Promise.all(SOURCES.map((name) => filesOf(join(root, name))))).flat()) {
    hash.update(relative(root, file)).update("\0").update(await Deno.readFile(file)).update("\0");
  }
  return hash.digest("hex");
}

/** The file itself, or the files in the folder and those below it, in order. */
async function filesOf(path: string): Promise<readonly string[]> {
  if (!(await Deno.stat(path)).isDirectory) return [path];
  const names = (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).sort();
  return (await Promise.all(names.map((name) => filesOf(join(path, name))))).flat();
}

if (import.meta.main) {
  const isBuilt = await buildProgram(ROOT);
  const text = `program: ${isBuilt ? "built" : "unchanged"}\n`;
  await Deno.stderr.write(new TextEncoder().encode(text));
}
