import { join } from "node:path";

/** A literal of the code, or several that are added. */
const LITERAL = String.raw`("(?:[^"\\]|\\.)*"(?:\s*\+\s*"(?:[^"\\]|\\.)*")*)`;
/** An argument of a call that is no list and has no call in its arguments. */
const ARGUMENT = String.raw`(?:"[^"]*"|\`[^\`]*\`|[\w.]+(?:\([^()]*\))?)`;

/** What says a sentence to a person: schemas, problems and their parts. */
const SAYINGS = [
  String.raw`\b(?:error|message|needed|wrong): *${LITERAL}`,
  String.raw`\binvalid\(\s*${ARGUMENT},\s*${LITERAL}`,
  String.raw`\b(?:conflict|notFound|sentence|tooMany)\(\s*${LITERAL}`,
  String.raw`\bnew Problem\(\s*4\d\d,\s*${LITERAL}`,
  String.raw`\battempts\.check\(\s*${ARGUMENT},\s*${ARGUMENT},\s*${LITERAL}`,
].map((saying) => new RegExp(saying, "g"));

/**
 * Modules whose sentences no page shows: stored files that are broken, which end in the log; what
 * processes of the router say to each other; plugins and leaf routers, which are for programs.
 */
const UNSEEN = new RegExp(
  "_?documents?\\.ts$|_file\\.ts$|^routes/(internal|services|mesh|openapi|plugins)/|" +
    "^routes/(events/websocket|http/batch|ui|plugins)\\.ts$|^system/(host|plugins)/|" +
    "^system/(core/engine/files|events/store)/",
);

/** The sentences of a module that answers of the API have: what they are in English is their id. */
export function apiTextsIn(source: string): readonly string[] {
  return SAYINGS.flatMap((saying) =>
    [...source.matchAll(saying)].map(([, literal]) => valueOf(literal!))
  ).filter((text) => /^\S.* /.test(text));
}

/** The sentences of the API that a person meets on a page. `root`: the folder of the repository. */
export async function apiTexts(root: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const [, source] of seenModules(root)) {
    for (const text of apiTextsIn(source)) found.add(text);
  }
  return found;
}

/** The modules whose sentences pages show: path below `root` and source. */
export async function* seenModules(root: string): AsyncGenerator<readonly [string, string]> {
  for (const folder of ["system", "routes"]) {
    for await (const path of modules(root, folder)) {
      if (!UNSEEN.test(path)) yield [path, await Deno.readTextFile(join(root, path))];
    }
  }
}

async function* modules(root: string, folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(root, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* modules(root, path);
    else if (name.endsWith(".ts")) yield path;
  }
}

/** What literals of the code that are added stand for. */
function valueOf(literals: string): string {
  return [...literals.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([one]) => JSON.parse(one)).join("");
}
