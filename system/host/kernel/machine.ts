import { Problem } from "../../core/errors/problem.ts";
import { ROOT_SOCKETS } from "../../core/process/machine_paths.ts";
import { readContainers, readNetworks } from "../../core/machine/container_schema.ts";
import type { Machine } from "../../core/machine/machine.ts";
import { parseSockets } from "../tools/ss.ts";
import { parseVirtualMachines } from "../tools/virtual_machines.ts";
import { checkRegistryLogin, deployContainers, type DeployHost } from "../containers/deploy.ts";
import { actOnContainers, removeContainers } from "../containers/engine.ts";
import { readDocker } from "../containers/docker.ts";
import { ping } from "../sockets/ping.ts";
import { callRootSocket } from "../sockets/root_socket.ts";
import { isClockSynchronised, setClock } from "./clock.ts";
import { run, runOrFail, toolMessage } from "../tools/run.ts";
import { Turns } from "../../core/time/turns.ts";

/** Concurrent pings: each blocks a thread. */
const MAX_PINGS = 4;
/** Sockets that one response lists. */
const MAX_SOCKETS = 4096;

/** This machine, as seen from the network namespace of this process, and the home of its containers. */
export function linuxMachine(docker: DeployHost): Machine {
  let pings = 0;
  /** Of the plugins, whose names the engine's containers carry: no update meets another act. */
  const turns = new Turns();
  return {
    async ping(ask) {
      if (pings >= MAX_PINGS) {
        throw new Problem(503, `${MAX_PINGS} pings are under way already; try again in a moment`);
      }
      pings++;
      try {
        return await ping(ask);
      } finally {
        pings--;
      }
    },
    async sockets() {
      const text = await runOrFail("ss", { args: ["-H", "-t", "-u", "-n", "-a", "-4"] });
      return parseSockets(text).slice(0, MAX_SOCKETS);
    },
    async containers() {
      return readContainers(await readDocker("containers", docker));
    },
    actOnContainers: (act, owner) =>
      turns.take(owner.plugin, () => actOnContainers(act, owner, docker)),
    deployContainers: (plan, options) =>
      turns.take(plan.plugin, () => deployContainers(plan, options, docker)),
    removeContainers: (owner) => turns.take(owner.plugin, () => removeContainers(owner, docker)),
    checkRegistryLogin: (login) => checkRegistryLogin(login, docker),
    async networks() {
      return readNetworks(await readDocker("networks", docker));
    },
    async virtualMachines() {
      const args = ["-ww", "-e", "-o", "pid=,comm=,args="];
      return parseVirtualMachines(await runOrFail("ps", { args }));
    },
    syncTime,
    setClock,
    isClockSynchronised,
  };
}

/**
 * chrony steps the clock at once, systemd-timesyncd when it is restarted. Where this process has not
 * the privilege for either, a systemd unit does it.
 */
async function syncTime(): Promise<void> {
  if (await callRootSocket(ROOT_SOCKETS.clock, { what: "timedatectl" })) return;
  try {
    const { ok } = await run("chronyc", { args: ["makestep"] });
    if (ok) return;
  } catch (error) {
    if (!(error instanceof Problem && error.status === 503)) throw error;
  }
  try {
    await setNtp(false);
  } finally {
    // Even if switching off failed, NTP must be on afterwards.
    await setNtp(true);
  }
}

async function setNtp(on: boolean): Promise<void> {
  const args = ["--no-ask-password", "set-ntp", on ? "yes" : "no"];
  const result = await run("timedatectl", { args });
  if (!result.ok) throw new Problem(502, `timedatectl: ${toolMessage(result)}`);
}
