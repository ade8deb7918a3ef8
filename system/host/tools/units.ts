import type { RunningProgram } from "../../machine/programs.ts";
import { programsOfUnits } from "../../machine/units.ts";
import { ROOT_SOCKETS } from "../../core/process/machine_paths.ts";
import { toldByRoot } from "../sockets/root_socket.ts";

/** The processes that systemd runs as units of ours; null where it runs none, or nobody tells. */
export async function unitPrograms(): Promise<readonly RunningProgram[] | null> {
  const text = await toldByRoot(ROOT_SOCKETS.status, { what: "systemctl" }).catch(() => null);
  const programs = text === null ? [] : programsOfUnits(text);
  return programs.length === 0 ? null : programs;
}
