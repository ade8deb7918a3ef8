import type { RunningProgram } from "../box/programs.ts";
import { programsOfUnits, UNIT_PROPERTIES, unitOf } from "../box/units.ts";
import { PROCESSES } from "../core/processes.ts";
import { run } from "./run.ts";

/** The processes that systemd runs as units of ours; null where it runs none, or cannot be asked. */
export async function unitPrograms(): Promise<readonly RunningProgram[] | null> {
  try {
    const { ok, stdout } = await run("systemctl", {
      args: [
        "show",
        "--no-pager",
        "--timestamp=unix",
        `--property=${UNIT_PROPERTIES.join(",")}`,
        // Packages are brought by whoever installs the units.
        ...PROCESSES.filter((name) => name !== "install").map(unitOf),
      ],
    });
    const programs = ok ? programsOfUnits(stdout) : [];
    return programs.length === 0 ? null : programs;
  } catch {
    // No systemd here, or none that this process may ask.
    return null;
  }
}
