import type { Programs, RunningProgram } from "../../system/box/programs.ts";
import type { Control } from "../../system/core/control.ts";
import type { Log } from "../../system/core/log.ts";
import { Problem } from "../../system/core/problem.ts";
import type { ProcessStatus } from "../../system/core/supervisor.ts";

/** Milliseconds that the answer is given to leave before this process ends. */
const FAREWELL = 200;

const STATES: Readonly<Record<ProcessStatus["state"], RunningProgram["state"]>> = {
  running: "running",
  waiting: "restarting",
  stopped: "exited",
  done: "exited",
  refused: "exited",
};

/** The program's processes as the launcher knows them; without one, as under systemd, this one alone. */
export function launchedPrograms(
  options: { readonly launcher: Control; readonly log: Log; readonly since: number },
): Programs {
  const { launcher, log, since } = options;
  const list = () => launcher.list().catch(() => null);
  return {
    async list() {
      const known = await list();
      if (known === null) {
        return [{ name: "api", state: "running", pid: Deno.pid, since }];
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
        throw new Problem(
          503,
          "No launcher runs here to restart the processes; where systemd runs them, " +
            "systemctl restart sluice.target does",
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
  log.info("Restarting every process", { processes: running.map(({ name }) => name) });
  await Promise.all(
    running.filter(({ name }) => name !== "api").map(({ name }) =>
      launcher.restart(name).catch((error) =>
        log.error("A process was not restarted", { name, error })
      )
    ),
  );
  // Its answer never comes: this process ends first.
  await launcher.restart("api").catch(() => {});
}
