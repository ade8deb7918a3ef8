import * as z from "zod";
import { Inspection } from "../../system/core/kernel/inspection.ts";
import { type BlockedRanges, decodeRanges } from "../../system/core/kernel/blocked_ranges.ts";
import type { Host } from "../../system/core/kernel/host.ts";
import type { KernelStep } from "../../system/core/kernel/plan.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { listenerWatch } from "../../system/core/ipc/watched_server.ts";
import { standardLog } from "../../system/core/log/log.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { appliedMark, bootRuleset, releasedMark } from "../../system/network/process.ts";
import { sockets } from "../../system/processes.ts";
import { linuxMachine } from "../../system/host/kernel/machine.ts";
import {
  WireAddresses,
  WireFlows,
  WireLiveFlows,
  WireStep,
  WireSteps,
  WireThorough,
  WireTime,
  WireTraffic,
} from "../../system/host/kernel/netd_wire.ts";
import {
  ContainerPlan,
  DeployOptions,
  PlanOwner,
  RegistryLogin,
} from "../../system/core/machine/container_plan.ts";
import { ContainerAct } from "../../system/core/machine/container_schema.ts";
import type { Machine } from "../../system/core/machine/machine.ts";
import { PingRequest } from "../../system/core/machine/schema.ts";
import {
  NETD_DEADLINES,
  type NetdDeadlines,
  withinDeadline,
} from "../../system/network/kernel/deadlines.ts";
import { type HostApp, startNetd } from "../../system/network/service.ts";
import { isOwnFolder } from "../../system/plugins/built_in.ts";
import { lineStream } from "./line_stream.ts";

/** For the last response to be sent. */
const EXIT_DELAY_MS = 100;

/** Starts the process netd on the socket of the home. */
export function start(
  settings: Pick<Settings, "home" | "privateState">,
): Promise<{ stop(): Promise<void> }> {
  const log = standardLog("netd");
  return startNetd({
    path: sockets(settings.home).netd,
    bootFile: bootRuleset(settings),
    appliedMark: appliedMark(settings.home),
    releasedMark: releasedMark(settings),
    app: (host) =>
      netdApp(host, {
        machine: linuxMachine({ home: settings.home, privateState: settings.privateState, log }),
        stuck: (call) => {
          log.error(
            "netd.call_stuck",
            `${call} did not finish; netd exits and is restarted`,
          );
          setTimeout(() => Deno.exit(1), EXIT_DELAY_MS);
        },
      }),
    watch: listenerWatch(log),
    log: (message) => log.info("netd.nftables_opened", message),
  });
}

/** Options of netd's routes. */
export interface NetdAppOptions {
  readonly deadlines?: NetdDeadlines;
  /** Default: this machine, where no containers are made. */
  readonly machine?: Machine;
  /** Called with the path of a call that exceeded its deadline: one stuck in the kernel ends only with netd. */
  readonly stuck?: (call: string) => void;
}

/** A host's methods as routes with JSON bodies; problems are `{detail}` with their status. */
export function netdApp(host: Host, options: NetdAppOptions = {}): HostApp {
  const {
    deadlines = NETD_DEADLINES,
    machine = linuxMachine({ home: "/nowhere" }),
    stuck = (): void => {},
  } = options;
  const streams = new Set<() => void>();
  return {
    fetch: async (request): Promise<Response> => {
      try {
        return await answer({ host, deadlines, machine, stuck }, request, streams);
      } catch (error) {
        const problem = error instanceof Problem
          ? error
          : new Problem(500, error instanceof Error ? error.message : String(error));
        return Response.json({ detail: problem.message }, { status: problem.status });
      }
    },
    close: (): void => {
      for (const end of [...streams]) end();
    },
  };
}

async function answer(
  { host, deadlines, machine, stuck }: Required<NetdAppOptions> & { readonly host: Host },
  request: Request,
  streams: Set<() => void>,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const within = <T>(seconds: number, work: Promise<T>): Promise<T> =>
    withinDeadline(seconds, work, { call: pathname, stuck });
  const apply = (step: KernelStep): Promise<void> =>
    within(deadlines[step.kind === "load" ? "load" : "write"], host.apply(step));
  switch (`${request.method} ${pathname}`) {
    case "GET /facts":
      return Response.json(await within(deadlines.read, host.facts()));
    case "GET /events":
      return lineStream(streams, (send) => host.watch(send));
    case "GET /packets":
      return packets(host, streams);
    case "POST /apply":
      await apply(await body(request, WireStep));
      return new Response(null);
    case "POST /plan":
      for (const step of await body(request, WireSteps)) await apply(step);
      return new Response(null);
    case "POST /compare": {
      const thorough = await body(request, WireThorough);
      const seconds = deadlines[thorough ? "load" : "write"];
      return Response.json(await within(seconds, host.compare(thorough)));
    }
    case "POST /flows": {
      const addresses = await body(request, WireAddresses);
      return Response.json(await within(deadlines.read, host.flows(addresses)));
    }
    case "POST /flush-flows":
      await within(deadlines.write, host.flushFlows(await body(request, WireFlows)));
      return new Response(null);
    case "POST /route": {
      const [address] = await body(request, WireAddresses);
      if (address === undefined) throw new Problem(400, "Name one address");
      return Response.json(await within(deadlines.read, host.routeTo(address)));
    }
    case "POST /traffic": {
      const flows = await body(request, WireTraffic) ?? undefined;
      return Response.json(await within(deadlines.read, host.traffic(flows)));
    }
    case "GET /link-bytes":
      return Response.json(await within(deadlines.read, host.linkBytes()));
    case "POST /live-flows": {
      const query = await body(request, WireLiveFlows);
      return Response.json(await within(deadlines.read, host.liveFlows(query)));
    }
    case "POST /block":
      await within(deadlines.load, host.block(await rangesOf(request)));
      return new Response(null);
    case "GET /blocked":
      return Response.json(await within(deadlines.read, host.blocked()));
    case "GET /count-blocked":
      return Response.json(await within(deadlines.load, host.countBlocked()));
    case "POST /inspect": {
      const what = await body(request, Inspection);
      return Response.json(await within(deadlines.read, host.inspect(what)));
    }
    case "POST /machine/ping": {
      const ask = await body(request, PingRequest);
      return Response.json(await within(deadlines.read, machine.ping(ask)));
    }
    case "POST /machine/sockets":
      return Response.json(await within(deadlines.read, machine.sockets()));
    case "POST /machine/containers":
      return Response.json(await within(deadlines.read, machine.containers()));
    // These end by themselves; an image may take minutes, and what waits for its turn too: netd is not
    // stuck by them.
    case "POST /machine/container-act": {
      const { act, owner } = await body(request, ContainerOrder);
      return Response.json(await machine.actOnContainers(act, owner));
    }
    case "POST /machine/deploy": {
      const { plan, options } = await body(request, DeployOrder);
      return Response.json(await machine.deployContainers(plan, options));
    }
    case "POST /machine/container-removal":
      return Response.json(await machine.removeContainers(await body(request, PlanOwner)));
    case "POST /machine/registry-login":
      return Response.json(await machine.checkRegistryLogin(await body(request, RegistryLogin)));
    case "POST /machine/networks":
      return Response.json(await within(deadlines.read, machine.networks()));
    case "POST /machine/virtual-machines":
      return Response.json(await within(deadlines.read, machine.virtualMachines()));
    case "POST /machine/time":
      await within(deadlines.write, machine.syncTime());
      return Response.json(null);
    case "POST /machine/clock":
      await within(deadlines.write, machine.setClock(await body(request, WireTime)));
      return Response.json(null);
    case "POST /machine/clock-synchronised":
      return Response.json(await within(deadlines.read, machine.isClockSynchronised()));
    default:
      throw new Problem(404, `netd has no ${request.method} ${pathname}`);
  }
}

async function body<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  let raw: unknown;
  try {
    raw = await request.json();
  } catch (error) {
    throw new Problem(400, "The body is no JSON", { cause: error });
  }
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Problem(400, `netd does not take /${issue?.path.join("/")}: ${issue?.message}`, {
    cause: result.error,
  });
}

/** Which containers are to start, stop or restart. */
const ContainerOrder = z.object({ act: ContainerAct, owner: PlanOwner });

const DeployOrder = z.object({
  plan: ContainerPlan.refine(({ plugin }) => !isOwnFolder(plugin), {
    error: "A part of Sluice has no containers",
  }),
  options: DeployOptions,
});

/** The ranges of a request; null where it has none. */
async function rangesOf(request: Request): Promise<BlockedRanges | null> {
  const bytes = await request.bytes();
  if (bytes.length === 0) return null;
  try {
    return decodeRanges(bytes);
  } catch (error) {
    throw new Problem(400, error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

/** The packet log for as long as it is read; a later reader takes the place of an earlier one. */
function packets(host: Host, streams: Set<() => void>): Response {
  if (host.followPackets === undefined) throw new Problem(404, "This kernel logs no packets");
  const follow = host.followPackets.bind(host);
  let refused: unknown = null;
  const response = lineStream(streams, (send) => follow(send, (error) => refused = error));
  if (refused === null) return response;
  void response.body?.cancel();
  throw refused;
}
