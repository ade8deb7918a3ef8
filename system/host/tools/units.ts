import type { RunningProgram } from "../../core/process/programs.ts";
import { ROOT_SOCKETS } from "../../core/process/machine_paths.ts";
import { readRootSocket } from "../sockets/root_socket.ts";

/** The processes that systemd runs as Sluice's units; null where there are none, or without access. */
export async function unitPrograms(): Promise<readonly RunningProgram[] | null> {
  const text = await readRootSocket(ROOT_SOCKETS.status, { what: "systemctl" }).catch(() => null);
  const programs = text === null ? [] : programsOfUnits(text);
  return programs.length === 0 ? null : programs;
}

/**
 * Processes that are units, from what `systemctl show --timestamp=unix` says of them
 * (`configs/systemd/sluice-status@.service`); units that are not installed are left out.
 */
export function programsOfUnits(text: string): readonly RunningProgram[] {
  return text.split(/\n{2,}/).flatMap((block) => {
    const of = new Map(
      block.split("\n").map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)] as const;
      }),
    );
    const name = /^sluice-([a-z]+)\.service$/.exec(of.get("Id") ?? "")?.[1];
    if (name === undefined || of.get("LoadState") !== "loaded") return [];
    const pid = Number(of.get("MainPID"));
    const since = Number(/^@(\d+)$/.exec(of.get("StateChangeTimestamp") ?? "")?.[1] ?? 0);
    const state = stateOf(of.get("ActiveState") ?? "", of.get("SubState") ?? "");
    return [{ name, state, pid: pid > 0 ? pid : null, since: since * 1000 }];
  });
}

/** States of units (systemd, org.freedesktop.systemd1(5)) as states of a process. */
function stateOf(active: string, sub: string): RunningProgram["state"] {
  if (active === "active" || active === "deactivating" || active === "reloading") return "running";
  return active === "activating" || sub === "auto-restart" ? "restarting" : "exited";
}
