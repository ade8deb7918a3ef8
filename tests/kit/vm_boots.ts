import { join } from "node:path";
import { makeVmDisk } from "./vm.ts";
import { stageProgram } from "./vm_program.ts";
import { testInVm } from "./vm_tests.ts";

/** Tests of a machine that is switched on again and again. */
export interface VmBoots {
  /** The test file of each time, from the project's folder. */
  readonly files: readonly string[];
  /** The project's folder. */
  readonly root: string;
  /** Where the report of all of them goes. */
  readonly report: URL;
  /** Seconds that each time may take. */
  readonly seconds: number;
}

/**
 * Runs test files one after another in a virtual machine under systemd, where the program lies as the
 * manual has it installed; each finds what the one before it left, as after a power cut. Answers
 * whether all passed; the first that does not is the last. Throws as `runInVm` does.
 */
export async function testOverBoots({ files, root, report, seconds }: VmBoots): Promise<boolean> {
  const folder = await Deno.makeTempDir({ dir: "/var/tmp", prefix: "sluice-boots-" });
  try {
    const disk = join(folder, "disk");
    await makeVmDisk(disk);
    const systemd = { program: await stageProgram(root, folder), disk };
    const reports: string[] = [];
    let passed = true;
    for (const file of files) {
      const own = new URL(`file://${folder}/report.xml`);
      passed = await testInVm({
        paths: [file],
        filter: null,
        root,
        report: own,
        modules: [],
        seconds,
        systemd,
      });
      reports.push(await Deno.readTextFile(own).catch(() => ""));
      await Deno.remove(own).catch(() => {
        // A run that could not begin leaves none.
      });
      if (!passed) break;
    }
    await Deno.writeTextFile(report, reports.join("\n"));
    return passed;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
