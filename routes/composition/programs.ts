import type { Programs, RunningProgram } from "../../system/core/process/programs.ts";
import type { Control } from "../../system/core/process/control.ts";
import type { Log } from "../../system/core/log/log.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { ROOT_SOCKETS } from "../../system/core/process/machine_paths.ts";
import type { ProcessStatus } from "../../system/core/process/supervisor.ts";
import { askRoot } from "../../system/host/sockets/root_socket.ts";
import { unitPrograms } from "../../system/host/tools/units.ts";

/** Milliseconds that the answer is given to leave before this process ends. */
const FAREWELL = 200;

const STATES: Readonly<Record<ProcessStatus["state"], RunningProgram["state"]>> = {
  running: "running",
  waiting: "restarting",
  stopped: "exited",
  done: "exited",
  refused: "exited",
};

/** What the processes are looked after by; both ways to systemd may be others in a test. */
export interface LaunchedOptions {
  readonly launcher: Control;
  readonly log: Log;
  /** Unix milliseconds at which this process began. */
  readonly since: number;
  /** Processes that are units; null where they are not. */
  readonly units?: () => Promise<readonly RunningProgram[] | null>;
  /** Where a unit listens that restarts all of them. */
  readonly restartSocket?: string;
}

/** The program's processes as the launcher knows them, else systemd; without either, this one alone. */
export function launchedPrograms(options: LaunchedOptions): Programs {
  const { launcher, log, since } = options;
  const { units = unitPrograms, restartSocket = ROOT_SOCKETS.restart } = options;
  const list = () => launcher.list().catch(() => null);
  return {
    async list() {
      const known = await list();
      if (known === null) {
        return await units() ?? [{ name: "api", state: "running", pid: Deno.pid, since }];
      }
      return known.map(({ name, state, pid, since }) => ({
        name,
        state: STATES[state],
        pid,
        since,
      }));
    },
    async restart() {
      const known = await list();
      if (known === null) {
        if (await askRoot(restartSocket, { what: "systemctl" })) return;
        throw new Problem(
          503,
          "Neither a launcher runs here to restart the processes nor the unit " +
            "sluice-restart.socket; systemctl restart sluice.target does it as well",
        );
      }
      setTimeout(() => void restartAll(known, { launcher, log }), FAREWELL);
    },
  };
}

async function restartAll(
  known: readonly ProcessStatus[],
  { launcher, log }: { readonly launcher: Control; readonly log: Log },
): Promise<void> {
  const running = known.filter(({ state }) => state === "running" || state === "waiting");
  log.info("process.restarting_all", "Restarting every process", {
    processes: running.map(({ name }) => name),
  });
  await Promise.all(
    running.filter(({ name }) => name !== "api").map(({ name }) =>
      launcher.restart(name).catch((error) =>
        log.error("process.restart_failed", "A process was not restarted", { name, error })
      )
    ),
  );
  // Its answer never comes: this process ends first.
  await launcher.restart("api").catch(() => {});
}
