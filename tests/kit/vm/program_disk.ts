import { dirname, join, relative } from "node:path";
import { denoArguments } from "../../../system/core/process/deno_arguments.ts";
import { parseSettings } from "../../../system/core/process/settings.ts";
import { PROCESSES, SERVICES } from "../../../system/processes.ts";
import { command, must } from "../lab/command.ts";
import { EMULATED_LAUNCHER_FLAGS } from "../run/bundle.ts";

/** Folders and files of the project that tests read while they run. */
const SOURCES = [
  "main.ts",
  "program.ts",
  "build.ts",
  "dist",
  "deno.json",
  "deno.lock",
  "configs",
  "routes",
  "system",
  "tests",
];
/** Processes of the program: their packages are those that the bundles import. */
const PROCESS_MODULES = "routes/services";
/** A process that there is none of: a bundle is loaded before it refuses to start that. */
const NO_PROCESS = "none";
/** Programs that tests start in the lab. */
const PROGRAMS = "tests/kit/programs";
/** What tests left behind. */
const LEFT_OUT = "tests/artifacts";
const BLOCK = 4096;
/** Bytes beside the content of files: the file system's own, and what rounding costs. */
const SPARE = 32 << 20;

/** A disk for a virtual machine. */
export interface ProgramDisk {
  /** File that holds it: an ext4 file system, whose paths are those of this machine. */
  readonly path: string;
  /** Folder of Deno's cache on it. */
  readonly denoDir: string;
}

/** What is to be on a disk. */
export interface ProgramFiles {
  /** The project's folder. */
  readonly root: string;
  /** Test files, from there. */
  readonly tests: readonly string[];
}

/**
 * Makes a disk in a folder of its own, with the program, the packages that it uses, and Deno's cache of
 * both: where each of some thousand files would be asked of the machine outside, processes start
 * several times as slowly, and what is compiled there takes ten times as long.
 */
export async function programDisk(
  folder: string,
  { root, tests }: ProgramFiles,
): Promise<ProgramDisk> {
  const tree = join(folder, "tree"), path = join(folder, "disk");
  const denoDir = join(folder, "deno");
  const inside = (file: string): string => join(tree, file);
  const services = await modulesOf(root, PROCESS_MODULES);
  const all = [...services, ...await modulesOf(root, PROGRAMS), ...tests];
  const env = [`DENO_DIR=${denoDir}`, "DENO_NO_UPDATE_CHECK=1"];
  const deno = async (modules: readonly string[], ...args: readonly string[]): Promise<string> => {
    const entry = join(folder, "entry.ts");
    const lines = modules.map((module) =>
      `import ${JSON.stringify(`file://${join(root, module)}`)};`
    );
    await Deno.writeTextFile(entry, `${lines.join("\n")}\n`);
    const flags = ["--config", join(root, "deno.json"), "--node-modules-dir=manual"];
    return await must("env", [...env, Deno.execPath(), ...args, ...flags, entry]);
  };
  await deno(all, "cache", "-q");
  // What is loaded once leaves its compiled code.
  await deno(tests, "test", "-A", "--no-check", "--cached-only", "--filter=/^$/");
  for (const args of bundleStarts(root)) await command("env", [...env, Deno.execPath(), ...args]);
  const info: Info = JSON.parse(await deno(all, "info", "--json"));

  await Deno.mkdir(inside(dirname(denoDir)), { recursive: true });
  await Deno.rename(denoDir, inside(denoDir));
  const copies = [...SOURCES.map((name) => join(root, name)), ...packageFolders(info, root)];
  for (const file of copies) {
    await Deno.mkdir(inside(dirname(file)), { recursive: true });
    await must("cp", ["-a", file, inside(file)]);
  }
  await must("rm", ["-rf", inside(join(root, LEFT_OUT))]);
  const [kilobytes = "0"] = (await must("du", ["-sk", tree])).split("\t");
  const blocks = Math.ceil((Number(kilobytes) * 1024 * 1.1 + SPARE) / BLOCK);
  // Files are small: one inode for so many bytes.
  const format = "-q -t ext4 -O ^has_journal -m 0 -i 4096".split(" ");
  await must("mke2fs", [...format, "-b", String(BLOCK), "-d", tree, path, String(blocks)]);
  await must("rm", ["-rf", tree]);
  return { path, denoDir };
}

/** The arguments of Deno that load each bundle, with the engine's flags that tests start it with. */
function bundleStarts(root: string): readonly (readonly string[])[] {
  const settings = parseSettings({}, { root, attached: true, services: SERVICES, bundled: true });
  const launcher = ["run", "-q", "-A", EMULATED_LAUNCHER_FLAGS, join(root, "dist/launcher.js")];
  const processes = PROCESSES.map((process) =>
    denoArguments(process, settings, undefined, false)
      .map((word) => word === process.name ? NO_PROCESS : word)
  );
  return [[...launcher, NO_PROCESS], ...processes];
}

async function modulesOf(root: string, folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(join(root, folder)));
  return entries.filter(({ name }) => name.endsWith(".ts")).map(({ name }) => join(folder, name));
}

/** The part of `deno info --json` that is read. */
interface Info {
  readonly modules: readonly { readonly npmPackage?: string }[];
  readonly npmPackages: Readonly<
    Record<string, { readonly dependencies: readonly string[]; readonly localPath?: string }>
  >;
}

/** The folders of `node_modules/.deno` that hold the packages of modules, and those that they need. */
function packageFolders({ modules, npmPackages }: Info, root: string): readonly string[] {
  const store = join(root, "node_modules/.deno");
  const found = new Set<string>();
  const waiting = modules.flatMap(({ npmPackage }) => npmPackage ?? []);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const known = npmPackages[name];
    if (found.has(name) || known === undefined) continue;
    found.add(name);
    waiting.push(...known.dependencies);
  }
  const folders = [...found].flatMap((name) => npmPackages[name]?.localPath ?? [])
    .filter((path) => path.startsWith(`${store}/`) && exists(path))
    .map((path) => join(store, relative(store, path).split("/")[0]!));
  return [...new Set(folders)];
}

/** Packages of other platforms are named, and not there. */
function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
