import type { Programs, RunningProgram } from "../../system/core/process/programs.ts";
import type { Control } from "../../system/core/process/control.ts";
import type { Log } from "../../system/core/log/log.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { ROOT_SOCKETS } from "../../system/core/process/machine_paths.ts";
import type { ProcessStatus } from "../../system/core/process/supervisor.ts";
import { callRootSocket } from "../../system/host/sockets/root_socket.ts";
import { unitPrograms } from "../../system/host/tools/units.ts";

/** For the response to be sent before this process exits. */
const RESTART_DELAY_MS = 200;

const STATES: Readonly<Record<ProcessStatus["state"], RunningProgram["state"]>> = {
  running: "running",
  waiting: "restarting",
  stopped: "exited",
  done: "exited",
  refused: "exited",
};

/** Options of {@link launchedPrograms}; tests may replace both connections to systemd. */
export interface LaunchedOptions {
  readonly launcher: Control;
  readonly log: Log;
  /** Unix milliseconds at which this process started. */
  readonly since: number;
  /** Processes that are units; null where they are not. */
  readonly units?: () => Promise<readonly RunningProgram[] | null>;
  /** Socket of the unit that restarts all of them. */
  readonly restartSocket?: string;
}

/** The processes by the launcher, else by systemd; without either, this one alone. */
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
        if (await callRootSocket(restartSocket, { what: "systemctl" })) return;
        throw new Problem(
          503,
          "Neither a launcher runs here to restart the processes nor the unit " +
            "sluice-restart.socket; systemctl restart sluice.target does it as well",
        );
      }
      setTimeout(() => void restartAll(known, { launcher, log }), RESTART_DELAY_MS);
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
  // This process exits before the response arrives.
  await launcher.restart("api").catch(() => {});
}
