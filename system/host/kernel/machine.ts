import { Problem } from "../../core/errors/problem.ts";
import { ROOT_SOCKETS } from "../../core/process/machine_paths.ts";
import { readContainers, readNetworks } from "../../core/machine/container_schema.ts";
import type { Machine } from "../../core/machine/machine.ts";
import { parseSockets } from "../tools/ss.ts";
import { parseVirtualMachines } from "../tools/virtual_machines.ts";
import { type DockerOptions, readDocker } from "../tools/docker.ts";
import { echo } from "../sockets/echo.ts";
import { askRoot } from "../sockets/root_socket.ts";
import { run, runOrFail, toolWords } from "../tools/run.ts";

/** Pings at a time: each keeps a thread waiting. */
const PINGS = 4;
/** Sockets that one answer lists. */
const LISTED = 4096;

/** This machine, from the network namespace of this process. */
export function linuxMachine(docker: DockerOptions = {}): Machine {
  let pings = 0;
  return {
    async ping(ask) {
      if (pings >= PINGS) {
        throw new Problem(503, `${PINGS} pings are under way already; try again in a moment`);
      }
      pings++;
      try {
        return await echo(ask);
      } finally {
        pings--;
      }
    },
    async sockets() {
      const text = await runOrFail("ss", { args: ["-H", "-t", "-u", "-n", "-a", "-4"] });
      return parseSockets(text).slice(0, LISTED);
    },
    async containers() {
      return readContainers(await readDocker("containers", docker));
    },
    async networks() {
      return readNetworks(await readDocker("networks", docker));
    },
    async virtualMachines() {
      const args = ["-ww", "-e", "-o", "pid=,comm=,args="];
      return parseVirtualMachines(await runOrFail("ps", { args }));
    },
    syncTime,
  };
}

/**
 * chrony steps the clock at once; systemd's own client does when it is switched on anew. Where this
 * process may do neither, a unit does it for it.
 */
async function syncTime(): Promise<void> {
  if (await askRoot(ROOT_SOCKETS.clock, { what: "timedatectl" })) return;
  try {
    const { ok } = await run("chronyc", { args: ["makestep"] });
    if (ok) return;
  } catch (error) {
    if (!(error instanceof Problem && error.status === 503)) throw error;
  }
  try {
    await followTime(false);
  } finally {
    // Whatever became of that, the clock must not be left to itself.
    await followTime(true);
  }
}

async function followTime(on: boolean): Promise<void> {
  const args = ["--no-ask-password", "set-ntp", on ? "yes" : "no"];
  const result = await run("timedatectl", { args });
  if (!result.ok) throw new Problem(502, `timedatectl: ${toolWords(result)}`);
}
