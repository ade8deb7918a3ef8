import { dirname, extname, isAbsolute, join } from "node:path";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";

/**
 * How many lazy entries use what lies in each further shared chunk, at least. Parts of forms and tables,
 * which most pages have, make the first; what a few pages share makes the second.
 */
const SHARED_BY = [8, 2] as const;

/**
 * Gathers what several pages share into few chunks: one for each entry in `first`, with what it needs
 * and no earlier one does, and one for each number of {@link SHARED_BY}. What two of `first` need comes
 * with the first of all, which every visit loads. By itself esbuild makes a chunk for every different
 * set of pages, of which most are smaller than the headers of the request for them.
 *
 * It puts files into one chunk that exactly the same entries reach. So every entry that needs one file of
 * a chunk gets imports of all of them; what they do when they are loaded is nothing but definitions.
 * `first` are the entries of the first pages, by path.
 */
export async function sharedChunks(
  options: BuildOptions,
  first: readonly string[],
): Promise<Plugin> {
  const root = options.absWorkingDir ?? Deno.cwd();
  const { metafile } = await build({ ...options, metafile: true, write: false, sourcemap: false });
  const gathered = gatheredImports(metafile.inputs, first);
  return {
    name: "shared-chunks",
    setup(build): void {
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        const imports = gathered.get(path.slice(root.length + 1));
        if (imports === undefined) return null;
        const lines = imports.map((file) => {
          const from = file.replace(/^lazy:/, "");
          return `import ${JSON.stringify(isAbsolute(from) ? from : join(root, from))};`;
        });
        return {
          contents: `${await Deno.readTextFile(path)}\n${lines.join("\n")}\n`,
          loader: extname(path) === ".tsx" ? "tsx" : "ts",
          resolveDir: dirname(path),
        };
      });
    },
  };
}

type Inputs = Metafile["inputs"];

/** What each entry has to import besides its own, so that shared files come in few chunks. */
export function gatheredImports(
  inputs: Inputs,
  first: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const entries = new Set([...first, ...lazyEntries(inputs)]);
  const groups = sharedGroups(inputs, first, entries);
  const groupOf = new Map(groups.flatMap((group) => group.map((file) => [file, group] as const)));
  return new Map([...entries].map((entry) => {
    const needed = new Set<readonly string[]>();
    let reached = reachedFrom(inputs, [entry]);
    for (let before = -1; before < needed.size;) {
      before = needed.size;
      for (const file of reached) {
        const group = groupOf.get(file);
        if (group !== undefined) needed.add(group);
      }
      reached = reachedFrom(inputs, [...needed].flat());
    }
    // Packages come with the files that use them.
    return [entry, [...needed].flat().filter((file) => !file.includes("node_modules/"))];
  }));
}

/** The files of each shared chunk; an entry keeps its own code. */
function sharedGroups(
  inputs: Inputs,
  first: readonly string[],
  entries: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const users = new Map<string, number>();
  for (const entry of entries) {
    for (const file of reachedFrom(inputs, [entry])) users.set(file, (users.get(file) ?? 0) + 1);
  }
  for (const entry of entries) users.delete(entry);
  // The style sheet of the first page is a file of its own, and no script's.
  for (const file of users.keys()) {
    if (file.endsWith(".css") && !file.startsWith("lazy:")) users.delete(file);
  }
  const take = (files: readonly string[]): readonly string[] =>
    files.filter((file) => users.delete(file));
  const needed = first.map((entry) => reachedFrom(inputs, [entry]));
  const isShared = (file: string) => needed.filter((files) => files.has(file)).length > 1;
  return [
    ...needed.map((files, at) =>
      take(at === 0 ? [...files, ...needed.flatMap((of) => [...of].filter(isShared))] : [...files])
    ),
    ...SHARED_BY.map((least) =>
      take([...users].filter(([, count]) => count >= least).map(([file]) => file))
    ),
  ];
}

/** Files that are imported when they are first needed. */
function lazyEntries(inputs: Inputs): readonly string[] {
  return Object.values(inputs).flatMap(({ imports }) =>
    imports.filter(({ kind, external }) => kind === "dynamic-import" && !external)
      .map(({ path }) => path)
  );
}

/** The files and all that they import, at once, in the order in which they are found. */
function reachedFrom(inputs: Inputs, files: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (kind === "import-statement" && !external) visit(path);
    }
  };
  files.forEach(visit);
  return reached;
}
