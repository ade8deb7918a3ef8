import { join } from "node:path";
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import {
  BEFORE_RAN,
  BEFORE_STILL,
  type PlanOwner,
  REPLACED,
} from "../../core/machine/container_plan.ts";
import type { ContainerAct } from "../../core/machine/container_schema.ts";
import { DOCKER_SOCKET } from "../../core/process/machine_paths.ts";
import {
  askEngine,
  type DockerOptions,
  type EngineAnswer,
  type EngineRequest,
  engineValue,
} from "./docker.ts";

/** The label of Compose that names the files that a container was made of, joined by commas. */
export const FILES_LABEL = "com.docker.compose.project.config_files";
/** The label that names the plugin of a container that we made. */
export const PLUGIN_LABEL = "sluice.plugin";
/** Where compose files lie below the home. */
const COMPOSE_FOLDER = "configs/compose";
/** Seconds that a container gets to end by itself, and milliseconds that a request may take. */
const STOP_SECONDS = 5, REQUEST_TIMEOUT_MS = 30_000;

/** The engine, and the home whose containers are made. */
export interface EngineHost extends DockerOptions {
  readonly home: string;
}

const Listed = z.array(z.object({
  Id: z.string().regex(/^[0-9a-f]{12,64}$/),
  Names: z.array(z.string()).default([]),
  ImageID: z.string().default(""),
  State: z.string().default(""),
  Labels: z.record(z.string(), z.string()).nullish().transform((labels) => labels ?? {}),
}));
/** A container as the engine lists it. */
export type Listed = z.output<typeof Listed>[number];

/** Requests to the engine; each throws Problem 502, or 503 once it is gone. */
export interface Engine {
  /** All containers; null where there is no engine. */
  containers(): Promise<readonly Listed[] | null>;
  ask(line: string, request?: EngineRequest, timeoutMs?: number): Promise<EngineAnswer>;
  value(line: string, request?: EngineRequest): Promise<unknown>;
  rename(id: string, name: string): Promise<void>;
  start(id: string): Promise<void>;
  stop(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** The engine on a socket, by default Docker's. */
export function engineOf({ socket = DOCKER_SOCKET }: DockerOptions): Engine {
  const ask: Engine["ask"] = async (line, request, timeoutMs = REQUEST_TIMEOUT_MS) => {
    const answer = await askEngine(line, { socket, timeoutMs }, request);
    if (answer === null) throw new Problem(503, "The container engine is gone");
    return answer;
  };
  const value: Engine["value"] = async (line, request) => engineValue(await ask(line, request));
  return {
    ask,
    value,
    async containers() {
      const answer = await askEngine("GET /containers/json?all=1", {
        socket,
        timeoutMs: REQUEST_TIMEOUT_MS,
      });
      if (answer === null) return null;
      const { success, data } = Listed.safeParse(engineValue(answer));
      if (!success) throw new Problem(502, "The container engine listed no containers");
      return data;
    },
    rename: async (id, name) => void await value(`POST /containers/${id}/rename?name=${name}`),
    start: async (id) => void await value(`POST /containers/${id}/start`),
    stop: async (id) => void await value(`POST /containers/${id}/stop?t=${STOP_SECONDS}`),
    async remove(id) {
      const answer = await ask(`DELETE /containers/${id}?force=true&v=true`);
      // 404: it is gone already.
      if (answer.status !== 404) engineValue(answer);
    },
  };
}

/** The compose file of a plan on this machine. */
export function composePath({ composeFile }: PlanOwner, home: string): string {
  return join(home, COMPOSE_FOLDER, composeFile);
}

/** Containers that we made for this plugin of this very file; null where there is no engine. */
async function ownContainers(
  engine: Engine,
  owner: PlanOwner,
  home: string,
): Promise<readonly Listed[] | null> {
  const path = composePath(owner, home);
  return (await engine.containers())?.filter(({ Labels }) =>
    Labels[PLUGIN_LABEL] === owner.plugin && Labels[FILES_LABEL] === path
  ) ?? null;
}

/** The name that a container had before it was set aside, and whether it ran; null for any other. */
function setAside({ Names }: Listed): { readonly name: string; readonly ran: boolean } | null {
  for (const name of Names) {
    for (const [end, ran] of [[BEFORE_RAN, true], [BEFORE_STILL, false]] as const) {
      if (name.endsWith(end)) return { name: name.slice(1, -end.length), ran };
    }
  }
  return null;
}

function isReplaced({ Names }: Listed): boolean {
  return Names.some((name) => name.endsWith(REPLACED));
}

/**
 * The containers of a plugin under their own names, once an update that was cut off is undone: what it
 * set aside has its name again, and runs where it ran. Null where there is no engine. Throws Problem
 * 502.
 */
export async function restoredContainers(
  engine: Engine,
  owner: PlanOwner,
  home: string,
): Promise<readonly Listed[] | null> {
  const own = await ownContainers(engine, owner, home);
  const left = own?.filter((one) => setAside(one) !== null || isReplaced(one)) ?? [];
  if (own === null || left.length === 0) return own;
  for (const one of left) {
    const before = setAside(one);
    if (before === null) {
      await engine.remove(one.Id);
      continue;
    }
    const unfinished = own.find(({ Names }) => Names.includes(`/${before.name}`));
    if (unfinished !== undefined) await engine.remove(unfinished.Id);
    // Under this name it is known to have run, should starting it fail.
    if (before.ran) await engine.start(one.Id);
    await engine.rename(one.Id, before.name);
  }
  return await ownContainers(engine, owner, home);
}

/**
 * Starts, stops or restarts the containers that were made for a plugin of its compose file. Returns how
 * many there are; null where there is no engine. Throws Problem 502.
 */
export async function actOnContainers(
  act: ContainerAct,
  owner: PlanOwner,
  host: EngineHost,
): Promise<number | null> {
  const engine = engineOf(host);
  const own = await restoredContainers(engine, owner, host.home);
  if (own === null) return null;
  const query = act === "start" ? "" : `?t=${STOP_SECONDS}`;
  await Promise.all(own.map(({ Id }) => engine.value(`POST /containers/${Id}/${act}${query}`)));
  return own.length;
}

/**
 * Removes the containers that were made for a plugin of its compose file. Returns how many there were;
 * null where there is no engine. Throws Problem 502.
 */
export async function removeContainers(owner: PlanOwner, host: EngineHost): Promise<number | null> {
  const engine = engineOf(host);
  const own = await ownContainers(engine, owner, host.home);
  for (const { Id } of own ?? []) await engine.remove(Id);
  return own?.length ?? null;
}
