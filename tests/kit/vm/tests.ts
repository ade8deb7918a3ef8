import { join, relative, resolve } from "node:path";
import { BUNDLED_VARIABLE, launcherBundle } from "../run/bundle.ts";
import { must } from "../lab/command.ts";
import { type ProgramDisk, programDisk } from "./program_disk.ts";
import { runInVm, VM_SHARED } from "./vm.ts";

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
  const folder = await Deno.makeTempDir({ prefix: "sluice-disk-" });
  launcherBundle();
  try {
    const disk = await programDisk(folder, { root: tests.root, tests: await testFiles(tests) });
    return await run(tests, disk) === 0;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The files of tests, those of folders among them. */
async function testFiles({ root, paths }: VmTests): Promise<readonly string[]> {
  const found = await must("find", [
    ...paths.map((path) => resolve(root, path)),
    ...["-name", "*_test.ts"],
  ]);
  return found.split("\n").filter((path) => path !== "").map((path) => relative(root, path));
}

function run(tests: VmTests, disk: ProgramDisk): Promise<number> {
  return runInVm({
    command: [
      ...[
        Deno.execPath(),
        "test",
        "-A",
        "--no-check",
        "--cached-only",
        "--node-modules-dir=manual",
        `--config=${join(tests.root, "deno.json")}`,
      ],
      ...(tests.filter === null ? [] : [`--filter=${tests.filter}`]),
      ...[`--junit-path=${VM_SHARED}/report.xml`, ...tests.paths],
    ],
    folder: tests.root,
    disk: disk.path,
    env: {
      DENO_DIR: disk.denoDir,
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
      [BUNDLED_VARIABLE]: "yes",
    },
    load: tests.modules,
    seconds: tests.seconds,
    print: tests.print,
    bring: { "report.xml": tests.report },
  });
}
