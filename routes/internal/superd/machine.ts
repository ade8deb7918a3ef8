import { VirtualMachines } from "../../../system/core/machine/container_schema.ts";
import type { Machine } from "../../../system/core/machine/machine.ts";
import { type Route, route } from "../../http/route.ts";
import { COMMON } from "./common.ts";

/** What is asked of the machine itself. */
export function superdMachineRoutes({ machine }: { readonly machine: () => Machine }): Route[] {
  return [
    route({
      ...COMMON,
      method: "GET",
      path: "/virtual_machines",
      summary: "Virtual machines",
      description: "As `/info/vms` of the API.",
      response: VirtualMachines,
      errors: [502, 503],
    }, () => machine().virtualMachines()),
    route({
      ...COMMON,
      method: "PUT",
      path: "/time/sync",
      summary: "Synchronise the clock",
      description: "As `PUT /time/sync` of the API.",
      errors: [502, 503],
    }, () => machine().syncTime()),
  ];
}
