import { join } from "node:path";
import { command, must } from "../lab/command.ts";
import { runInVm, VM_SHARED } from "./vm.ts";

/** Modules that processes of the program import only once they are chosen. */
const SERVICES = "routes/services";

/** Tests to run in a virtual machine. */
export interface VmTests {
  /** Files and folders, from the project's folder. */
  readonly paths: readonly string[];
  /** For `deno test --filter`; null runs all of them. */
  readonly filter: string | null;
  /** The project's folder. */
  readonly root: string;
  /** Where the report goes. */
  readonly report: string;
  /** Kernel modules to load first, each with its parameters. */
  readonly modules: readonly (readonly string[])[];
  readonly seconds: number;
  /** Takes what the tests print, as it comes. */
  readonly print: (bytes: Uint8Array) => void;
}

/**
 * Runs `deno test` in a virtual machine, the types unchecked. Answers whether all passed. Throws as {@link runInVm} does.
 */
export async function testInVm(tests: VmTests): Promise<boolean> {
  // What this machine has fetched and compiled serves inside as well, where nothing can be fetched, and
  // where to compile the program takes minutes.
  const services = await Array.fromAsync(Deno.readDir(join(tests.root, SERVICES)));
  const modules = [
    "main.ts",
    ...services.map(({ name }) => join(SERVICES, name)),
    ...tests.paths.filter((path) => path.endsWith(".ts")),
  ];
  const program = modules.map((path) => join(tests.root, path));
  await command(Deno.execPath(), ["cache", "-q", ...program]);
  const { denoDir } = JSON.parse(await must(Deno.execPath(), ["info", "--json"]));
  const status = await runInVm({
    command: [
      ...[
        Deno.execPath(),
        "test",
        "-A",
        "--no-check",
        "--cached-only",
        "--node-modules-dir=manual",
      ],
      ...(tests.filter === null ? [] : [`--filter=${tests.filter}`]),
      ...[`--junit-path=${VM_SHARED}/report.xml`, ...tests.paths],
    ],
    folder: tests.root,
    env: { DENO_DIR: denoDir, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    load: tests.modules,
    seconds: tests.seconds,
    print: tests.print,
    bring: { "report.xml": tests.report },
  });
  return status === 0;
}
