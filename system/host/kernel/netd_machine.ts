import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import {
  Container,
  ContainerNetwork,
  VirtualMachines,
} from "../../core/machine/container_schema.ts";
import { Deployed } from "../../core/machine/container_plan.ts";
import type { Machine } from "../../core/machine/machine.ts";
import { PingResult, SocketEntry } from "../../core/machine/schema.ts";

/** Longer than netd's own deadline. */
const CALL_TIMEOUT_MS = 25_000;
/** Making containers takes as long as it takes to fetch their images, and the next act waits for that. */
const DEPLOY_TIMEOUT_MS = 1_800_000;

/** The machine through netd's socket. */
export function netdMachine(path: string): Machine {
  const call = async <T>(
    what: string,
    body: unknown,
    schema: z.ZodType<T>,
    timeoutMs = CALL_TIMEOUT_MS,
  ): Promise<T> => {
    const client = Deno.createHttpClient({
      proxy: { transport: "unix", path },
      poolMaxIdlePerHost: 0,
    });
    const init: RequestInit & { readonly client: Deno.HttpClient } = {
      method: "POST",
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
      client,
    };
    try {
      const response = await fetch(`http://127.0.0.1/machine/${what}`, init);
      const answer: unknown = await response.json();
      if (response.ok) return schema.parse(answer);
      throw problemOf(response.status, answer);
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw new Problem(502, "netd did not answer: is it running?", { cause: error });
    } finally {
      client.close();
    }
  };
  return {
    ping: (ask) => call("ping", ask, PingResult),
    sockets: () => call("sockets", null, z.array(SocketEntry)),
    containers: () => call("containers", null, z.array(Container)),
    actOnContainers: (act, owner) =>
      call("container-act", { act, owner }, z.int().nullable(), DEPLOY_TIMEOUT_MS),
    deployContainers: (plan, options) =>
      call("deploy", { plan, options }, Deployed.nullable(), DEPLOY_TIMEOUT_MS),
    removeContainers: (owner) =>
      call("container-removal", owner, z.int().nullable(), DEPLOY_TIMEOUT_MS),
    checkRegistryLogin: (login) =>
      call("registry-login", login, z.boolean().nullable(), DEPLOY_TIMEOUT_MS),
    networks: () => call("networks", null, z.array(ContainerNetwork)),
    virtualMachines: () => call("virtual-machines", null, VirtualMachines),
    syncTime: async () => void await call("time", null, z.null()),
    setClock: async (milliseconds) => void await call("clock", milliseconds, z.null()),
    isClockSynchronised: () => call("clock-synchronised", null, z.boolean()),
  };
}

const Refusal = z.object({ detail: z.string() });

function problemOf(status: number, answer: unknown): Problem {
  const { data } = Refusal.safeParse(answer);
  return new Problem(
    [400, 409].includes(status) || status >= 502 ? status : 502,
    data?.detail ?? "netd answered an error without words",
  );
}
