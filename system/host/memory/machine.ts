import type { Facts } from "../../core/kernel/facts.ts";
import { invalid, Problem } from "../../core/errors/problem.ts";
import type { Machine } from "../../core/machine/machine.ts";
import { parseVirtualMachines } from "../tools/virtual_machines.ts";
import { PING_COUNT } from "../../core/machine/schema.ts";

/** The machine of a modelled kernel: only its own addresses answer pings, and its clock cannot be set. */
export function memoryMachine(facts: () => Promise<Facts>): Machine {
  return {
    async ping({ link, address, port }) {
      const started = performance.now();
      const { links, addresses } = await facts();
      if (!links.some(({ name }) => name === link)) {
        throw invalid("/interface", `There is no link ${link}`);
      }
      const own = addresses.some((one) => one.address.split("/")[0] === address);
      const took = Math.max(1, Math.round((performance.now() - started) * 1e6));
      return Array.from({ length: PING_COUNT }, () => own && port === undefined ? took : null);
    },
    sockets: () => Promise.resolve([]),
    containers: () => Promise.resolve([]),
    actOnContainers: () => Promise.resolve(null),
    deployContainers: () => Promise.resolve(null),
    removeContainers: () => Promise.resolve(null),
    checkRegistryLogin: () => Promise.resolve(null),
    networks: () => Promise.resolve([]),
    virtualMachines: () => Promise.resolve(parseVirtualMachines("")),
    syncTime: leftAlone,
    setClock: leftAlone,
    isClockSynchronised: () => Promise.resolve(false),
  };
}

function leftAlone(): Promise<never> {
  return Promise.reject(
    new Problem(503, "Nothing is applied to this machine, so its clock is left alone too"),
  );
}
