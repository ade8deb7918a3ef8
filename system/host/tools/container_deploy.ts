import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import type {
  ContainerPlan,
  Deployed,
  DeployOptions,
  PlannedContainer,
  RegistryLogin,
} from "../../core/machine/container_plan.ts";
import { DOCKER_SOCKET } from "../../core/process/machine_paths.ts";
import {
  askEngine,
  type DockerOptions,
  type EngineAnswer,
  type EngineRequest,
  engineValue,
  FILES_LABEL,
} from "./docker.ts";

/** Labels by which containers that we made are known, and by which a change is seen. */
const PLUGIN_LABEL = "sluice.plugin", PLAN_LABEL = "sluice.plan";
/** What the name of a container ends with while its successor is tried. */
const BEFORE = ".before";
/** Where compose files lie below the home. */
const COMPOSE_FOLDER = "configs/compose";
/** Milliseconds that an image may take, and another request. */
const PULL_TIMEOUT_MS = 600_000, REQUEST_TIMEOUT_MS = 30_000;
/** Seconds that a container gets to end by itself. */
const STOP_SECONDS = 5;

/** The engine, and the home whose containers are made. */
export interface DeployHost extends DockerOptions {
  readonly home: string;
  /** Milliseconds that a new container must run before the one before it is removed. */
  readonly settleMs?: number;
}

const Listed = z.array(z.object({
  Id: z.string().regex(/^[0-9a-f]{12,64}$/),
  Names: z.array(z.string()).default([]),
  ImageID: z.string().default(""),
  State: z.string().default(""),
  Labels: z.record(z.string(), z.string()).nullish().transform((labels) => labels ?? {}),
}));
type Listed = z.output<typeof Listed>[number];

const Inspected = z.object({
  State: z.object({
    Running: z.boolean(),
    ExitCode: z.int().default(0),
    Error: z.string().default(""),
  }),
  RestartCount: z.int().default(0),
});

/** A container that takes the place of another, which is kept until it runs. */
interface Replaced {
  readonly name: string;
  readonly id: string | null;
  readonly before: Listed | null;
  readonly ran: boolean;
}

/**
 * Makes the containers of a plan and starts them, anew where the plan or the image is another than that
 * of the container that is there. Where one of them does not start or does not stay up, those before are
 * put back and started again. Null where there is no engine. Throws Problem 409, 502.
 */
export async function deployContainers(
  plan: ContainerPlan,
  options: DeployOptions,
  host: DeployHost,
): Promise<Deployed | null> {
  const engine = engineOf(host);
  if (await engine.containers() === null) return null;
  await restoreUnfinished(engine, plan);
  let own = (await containersOf(engine, plan)).filter(isOurs);
  if (own.length < (await containersOf(engine, plan)).length) {
    throw new Problem(
      409,
      `Docker Compose made containers of ${plan.composeFile}: remove them by docker compose down`,
    );
  }
  const images = new Map<string, { readonly id: string; readonly isNew: boolean }>();
  for (const { image } of plan.containers) {
    if (!images.has(image)) images.set(image, await imageOf(engine, image, options));
  }
  await checkFolders(plan, host.home);
  const done: Replaced[] = [];
  try {
    for (const container of plan.containers) {
      const wanted = { container, plan, digest: digestOf(container), home: host.home };
      const before = own.find(({ Names }) => Names.includes(`/${container.name}`)) ?? null;
      const isSame = before !== null && !options.force &&
        before.Labels[PLAN_LABEL] === wanted.digest &&
        before.ImageID === images.get(container.image)!.id;
      if (isSame) await engine.value(`POST /containers/${before.Id}/start`);
      else await replace(engine, wanted, before, done);
    }
    await settled(engine, done, host.settleMs ?? 3000);
  } catch (error) {
    for (const one of done.toReversed()) await putBack(engine, one);
    const why = error instanceof Problem ? error.message : "an unexpected error";
    const isBack = done.some(({ before }) => before !== null);
    throw new Problem(
      502,
      `The containers of ${plan.plugin} were not made: ${why}` +
        (isBack ? ". Those before run again" : ""),
      { cause: error },
    );
  }
  const names = new Set(plan.containers.map(({ name }) => `/${name}`));
  own = (await containersOf(engine, plan)).filter(isOurs);
  for (const { Id, Names } of own) {
    if (!Names.some((name) => names.has(name))) await engine.remove(Id);
  }
  return {
    imageUpdated: [...images.values()].some(({ isNew }) => isNew),
    recreated: done.length > 0,
  };
}

/**
 * Removes the containers that were made of a compose file; those that Compose made are stopped. Returns
 * how many there were; null where there is no engine. Throws Problem 502.
 */
export async function removeContainers(
  composeFile: string,
  host: DeployHost,
): Promise<number | null> {
  const engine = engineOf(host);
  if (await engine.containers() === null) return null;
  const found = await containersOf(engine, { composeFile });
  for (const one of found) {
    if (isOurs(one)) await engine.remove(one.Id);
    else await engine.value(`POST /containers/${one.Id}/stop?t=${STOP_SECONDS}`);
  }
  return found.length;
}

/**
 * True where ghcr.io takes these credentials; null where there is no engine. Throws Problem 502.
 */
export async function checkRegistryLogin(
  { Username, Secret }: RegistryLogin,
  host: Pick<DeployHost, "socket">,
): Promise<boolean | null> {
  const answer = await askEngine("POST /auth", {
    socket: host.socket ?? DOCKER_SOCKET,
    timeoutMs: REQUEST_TIMEOUT_MS,
  }, { body: { username: Username, password: Secret, serveraddress: REGISTRY } });
  if (answer === null) return null;
  if (answer.status === 401 || answer.status === 403) return false;
  engineValue(answer);
  return true;
}

const REGISTRY = "ghcr.io";

interface Engine {
  containers(): Promise<readonly Listed[] | null>;
  ask(line: string, request?: EngineRequest, timeoutMs?: number): Promise<EngineAnswer>;
  value(line: string, request?: EngineRequest): Promise<unknown>;
  remove(id: string): Promise<void>;
}

function engineOf({ socket = DOCKER_SOCKET }: DeployHost): Engine {
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
    async remove(id) {
      const answer = await ask(`DELETE /containers/${id}?force=true&v=true`);
      // 404: it is gone already.
      if (answer.status !== 404) engineValue(answer);
    },
  };
}

async function containersOf(
  engine: Engine,
  { composeFile }: Pick<ContainerPlan, "composeFile">,
): Promise<readonly Listed[]> {
  return (await engine.containers() ?? []).filter(({ Labels }) =>
    (Labels[FILES_LABEL] ?? "").split(",").some((path) => path.endsWith(`/${composeFile}`))
  );
}

function isOurs({ Labels }: Listed): boolean {
  return Labels[PLUGIN_LABEL] !== undefined;
}

/** Where an earlier attempt was cut off, what it replaced is put back. */
async function restoreUnfinished(engine: Engine, plan: ContainerPlan): Promise<void> {
  const own = (await containersOf(engine, plan)).filter(isOurs);
  for (const before of own) {
    const kept = before.Names.find((name) => name.endsWith(BEFORE));
    if (kept === undefined) continue;
    const name = kept.slice(1, -BEFORE.length);
    const unfinished = own.find(({ Names }) => Names.includes(`/${name}`));
    await putBack(engine, { name, id: unfinished?.Id ?? null, before, ran: false });
  }
}

/** The image as it is here now; it is fetched where it is missing or may be newer. */
async function imageOf(
  engine: Engine,
  image: string,
  { pull, login }: DeployOptions,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const before = await imageId(engine, image);
  if (before !== null && !pull) return { id: before, isNew: false };
  const named = /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
  const headers = login !== null && login.Secret !== "" && image.startsWith(`${REGISTRY}/`)
    ? {
      "X-Registry-Auth": new TextEncoder().encode(
        JSON.stringify({
          username: login.Username,
          password: login.Secret,
          serveraddress: REGISTRY,
        }),
      ).toBase64({ alphabet: "base64url" }),
    }
    : {};
  const answer = await engine.ask(
    `POST /images/create?fromImage=${encodeURIComponent(named)}`,
    { headers, isStream: true },
    PULL_TIMEOUT_MS,
  );
  if (answer.status !== 200) engineValue(answer);
  const fault = /"error"\s*:\s*"((?:[^"\\]|\\.){0,300})/.exec(answer.text)?.[1];
  if (fault !== undefined) throw new Problem(502, `The image ${image} cannot be fetched: ${fault}`);
  const id = await imageId(engine, image);
  if (id === null) throw new Problem(502, `The image ${image} was not fetched`);
  return { id, isNew: id !== before };
}

async function imageId(engine: Engine, image: string): Promise<string | null> {
  const answer = await engine.ask(`GET /images/${image}/json`);
  if (answer.status === 404) return null;
  const { success, data } = z.object({ Id: z.string() }).safeParse(engineValue(answer));
  if (!success) throw new Problem(502, "The container engine described no image");
  return data.Id;
}

/**
 * Every part of a path is looked at without following a link: an engine follows them, as root. Containers
 * of the plugin see none of the folders around those that they are given, so none of them can change it
 * later.
 */
async function checkFolders({ containers }: ContainerPlan, home: string): Promise<void> {
  for (const source of new Set(containers.flatMap(({ mounts }) => mounts.map((m) => m.source)))) {
    let path = join(home, "state");
    for (const part of source.split("/").slice(1)) {
      path = join(path, part);
      let found: Deno.FileInfo;
      try {
        found = await Deno.lstat(path);
      } catch (error) {
        const why = error instanceof Deno.errors.NotFound ? "is not there" : "cannot be looked at";
        throw new Problem(409, `The folder /${source} ${why}`, { cause: error });
      }
      if (found.isSymlink || !found.isDirectory) {
        throw new Problem(
          409,
          `/${source} is reached by a link or is no folder; it is not mounted`,
        );
      }
    }
  }
}

interface Wanted {
  readonly container: PlannedContainer;
  readonly plan: ContainerPlan;
  readonly digest: string;
  readonly home: string;
}

async function replace(
  engine: Engine,
  wanted: Wanted,
  before: Listed | null,
  done: Replaced[],
): Promise<void> {
  const { name } = wanted.container;
  const ran = before?.State === "running";
  if (before !== null) {
    await engine.value(`POST /containers/${before.Id}/rename?name=${name}${BEFORE}`);
    done.push({ name, id: null, before, ran });
    await engine.value(`POST /containers/${before.Id}/stop?t=${STOP_SECONDS}`);
  }
  const answer = await engine.value(`POST /containers/create?name=${name}`, {
    body: bodyOf(wanted),
  });
  const { success, data } = z.object({ Id: z.string().regex(/^[0-9a-f]{12,64}$/) })
    .safeParse(answer);
  if (!success) throw new Problem(502, "The container engine made no container");
  if (before !== null) done.pop();
  done.push({ name, id: data.Id, before, ran });
  await engine.value(`POST /containers/${data.Id}/start`);
}

/** Waits until new containers have run for a while, and removes those before. */
async function settled(
  engine: Engine,
  done: readonly Replaced[],
  milliseconds: number,
): Promise<void> {
  if (done.length === 0) return;
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  for (const { name, id } of done) {
    const { success, data } = Inspected.safeParse(
      await engine.value(`GET /containers/${id}/json`),
    );
    if (!success) throw new Problem(502, "The container engine described no container");
    const { State, RestartCount } = data;
    if (State.Running && RestartCount === 0) continue;
    throw new Problem(
      502,
      `${name} ended at once with status ${State.ExitCode}${
        State.Error === "" ? "" : `: ${State.Error.slice(0, 300)}`
      }`,
    );
  }
  for (const { before } of done) if (before !== null) await engine.remove(before.Id);
}

/** Undoes one replacement as far as it came. What fails here is not worth more than what failed before. */
async function putBack(engine: Engine, { name, id, before, ran }: Replaced): Promise<void> {
  try {
    if (id !== null) await engine.remove(id);
    if (before === null) return;
    await engine.value(`POST /containers/${before.Id}/rename?name=${name}`);
    if (ran) await engine.value(`POST /containers/${before.Id}/start`);
  } catch {
    // The next attempt puts it back.
  }
}

/** Everything of a container that the engine is told; nothing in it widens what it may do. */
function bodyOf({ container, plan, digest, home }: Wanted): unknown {
  return {
    Image: container.image,
    Env: container.environment,
    Labels: {
      ...container.labels,
      [FILES_LABEL]: join(home, COMPOSE_FOLDER, plan.composeFile),
      "com.docker.compose.project": plan.plugin.toLowerCase(),
      "com.docker.compose.service": container.service,
      [PLUGIN_LABEL]: plan.plugin,
      [PLAN_LABEL]: digest,
    },
    HostConfig: {
      Mounts: container.mounts.map(({ source, target, readOnly }) => ({
        ...{ Type: "bind", Source: join(home, source), Target: target, ReadOnly: readOnly },
      })),
      NetworkMode: container.network,
      RestartPolicy: { Name: container.restart },
      Privileged: false,
      CapDrop: ["MKNOD", "NET_RAW"],
      SecurityOpt: ["no-new-privileges"],
      PidsLimit: 512,
      LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "2" } },
    },
  };
}

function digestOf(container: PlannedContainer): string {
  return createHash("sha256").update(JSON.stringify(container)).digest("hex");
}
