import { fileURLToPath } from "node:url";
import { denoArguments } from "../../../system/core/process/deno_arguments.ts";
import { PROCESSES, SERVICES, sockets } from "../../../system/processes.ts";
import type { Host } from "../../../system/core/kernel/host.ts";
import { parseSettings } from "../../../system/core/process/settings.ts";
import { netdClient } from "../../../system/host/kernel/netd_client.ts";
import { eventually } from "../eventually.ts";
import { buildLab, type Lab } from "./lab.ts";
import type { LabProcess } from "./command.ts";

/** A netd that has the lab's router in hand, with exactly the permissions of its descriptor. */
export interface LabNetd extends AsyncDisposable {
  readonly host: Host;
  readonly process: LabProcess;
  /** Where it listens. */
  readonly socket: string;
  /** Starts it anew after it was stopped. */
  restart(): LabProcess;
}

/**
 * Starts netd inside the router's namespace, without libnftables where that is chosen, and waits
 * until it answers. Disposing of it ends it and removes its home.
 */
export async function startNetdIn(
  lab: Lab,
  options: { readonly libnftables?: boolean } = {},
): Promise<LabNetd> {
  const home = await Deno.makeTempDir({ prefix: "sluice-netd-" });
  await Deno.mkdir(`${home}/state/net`, { recursive: true });
  const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
  const environment = { SLUICE_HOME: home, SLUICE_NETWORK: "on", SLUICE_SERVICES: "none" };
  const settings = parseSettings(environment, { root, attached: false, services: SERVICES });
  const description = PROCESSES.find((one) => one.name === "netd");
  if (description === undefined) throw new Error("There is no netd");
  const args = denoArguments(description, settings)
    .filter((word) => word !== "--attached")
    .map((word) => options.libnftables === false ? withoutLibnftables(word) : word);
  const start = (): LabProcess => lab.spawn("router", Deno.execPath(), args, environment);
  let process = start();
  const host = netdClient(sockets(home).netd);
  // A call waits some seconds for a netd that starts, which a busy machine may take longer for.
  await eventually("netd answers", () => host.facts());
  return {
    host,
    socket: sockets(home).netd,
    get process(): LabProcess {
      return process;
    },
    restart: (): LabProcess => process = start(),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await host.close();
      await process.stop();
      await Deno.remove(home, { recursive: true });
    },
  };
}

/** The argument without leave to load libnftables. */
function withoutLibnftables(word: string): string {
  return word.startsWith("--allow-ffi=")
    ? word.split(",").filter((path) => !path.includes("libnftables")).join(",").replace(
      /^(?!--allow-ffi=)/,
      "--allow-ffi=",
    )
    : word;
}

/** Builds a lab of two clients with fixed addresses and a netd in its router, for the time of the work. */
export async function inLabWithNetd(
  work: (lab: Lab, netd: LabNetd) => Promise<void>,
  options: { readonly libnftables?: boolean } = {},
): Promise<void> {
  const lab = await buildLab({ clients: 2, name: "host", addresses: true });
  try {
    await using netd = await startNetdIn(lab, options);
    await work(lab, netd);
  } finally {
    await lab.close();
  }
}
