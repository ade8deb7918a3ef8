import { createHash } from "node:crypto";
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import type { Log } from "../../core/log/log.ts";
import {
  BEFORE_RAN,
  BEFORE_STILL,
  type ContainerPlan,
  type Deployed,
  type DeployOptions,
  type PlannedContainer,
  type RegistryLogin,
  REPLACED,
} from "../../core/machine/container_plan.ts";
import { DOCKER_SOCKET } from "../../core/process/machine_paths.ts";
import {
  composePath,
  type Engine,
  type EngineHost,
  engineOf,
  FILES_LABEL,
  type Listed,
  PLUGIN_LABEL,
  restoredContainers,
} from "./engine.ts";
import { type FolderHost, folderOf, makeFolders, requireFolders } from "./folders.ts";
import { askEngine, engineValue } from "./docker.ts";

/** The label by which a change is seen. */
const PLAN_LABEL = "sluice.plan";
/** Milliseconds that an image may take, and another request. */
const PULL_TIMEOUT_MS = 600_000, REQUEST_TIMEOUT_MS = 30_000;

/** The engine, and where the containers it makes have their folders. */
export interface DeployHost extends EngineHost, FolderHost {
  /** Milliseconds that a new container must run before the one before it is removed. */
  readonly settleMs?: number;
  readonly log?: Pick<Log, "warn">;
}

const Inspected = z.object({
  State: z.object({
    Running: z.boolean(),
    ExitCode: z.int().default(0),
    Error: z.string().default(""),
  }),
  RestartCount: z.int().default(0),
});

/** What an update has done so far, by which it is undone. */
interface Progress {
  /** Containers from before, which are kept until the new ones run. */
  readonly aside: { readonly name: string; readonly id: string; readonly ran: boolean }[];
  readonly made: { readonly name: string; readonly id: string }[];
}

/**
 * Makes the containers of a plan and starts them, anew where the plan or the image is another than that
 * of the container that is there. All of the plugin are stopped before its folders are looked at. Where
 * a new one does not start or stay up, those before are put back, and started again if they ran. Null
 * where there is no engine. Throws Problem 409, 502.
 */
export async function deployContainers(
  plan: ContainerPlan,
  options: DeployOptions,
  host: DeployHost,
): Promise<Deployed | null> {
  const engine = engineOf(host);
  const own = await restoredContainers(engine, plan, host.home);
  if (own === null) return null;
  requireFolders(plan, host);
  const images = new Map<string, { readonly id: string; readonly isNew: boolean }>();
  for (const { image } of plan.containers) {
    if (!images.has(image)) images.set(image, await imageOf(engine, image, options));
  }
  const kept = new Map<string, Listed>();
  for (const container of plan.containers) {
    const before = own.find(({ Names }) => Names.includes(`/${container.name}`));
    const isSame = before !== undefined && !options.force &&
      before.Labels[PLAN_LABEL] === digestOf(container, host) &&
      before.ImageID === images.get(container.image)!.id;
    if (isSame) kept.set(container.name, before);
  }
  const progress: Progress = { aside: [], made: [] };
  try {
    const isChanged = kept.size < plan.containers.length || kept.size < own.length;
    if (isChanged) { for (const one of own) await setAside(engine, one, progress); }
    // Only now can none of them change what is mounted.
    await makeFolders(plan, host);
    for (const container of plan.containers) {
      const before = kept.get(container.name);
      if (before === undefined) await make(engine, { container, plan, host }, progress);
      else {
        await engine.start(before.Id);
        if (isChanged) await engine.rename(before.Id, container.name);
      }
    }
    await settled(engine, progress, host.settleMs ?? 3000);
  } catch (error) {
    const why = error instanceof Problem ? error.message : "an unexpected error";
    const outcome = await putBack(engine, progress);
    const status = error instanceof Problem && error.status === 409 ? 409 : 502;
    throw new Problem(
      status,
      `The containers of ${plan.plugin} were not made: ${why}${outcome}`,
      { cause: error },
    );
  }
  const keptIds = new Set([...kept.values()].map(({ Id }) => Id));
  await commit(engine, progress.aside.filter(({ id }) => !keptIds.has(id)), host);
  return {
    imageUpdated: [...images.values()].some(({ isNew }) => isNew),
    recreated: progress.made.length > 0,
  };
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

interface Wanted {
  readonly container: PlannedContainer;
  readonly plan: ContainerPlan;
  readonly host: DeployHost;
}

/** Stops a container under a name that says whether it ran, even if this is cut off. */
async function setAside(engine: Engine, before: Listed, { aside }: Progress): Promise<void> {
  const name = before.Names[0]?.slice(1) ?? before.Id, ran = before.State === "running";
  await engine.rename(before.Id, `${name}${ran ? BEFORE_RAN : BEFORE_STILL}`);
  aside.push({ name, id: before.Id, ran });
  await engine.stop(before.Id);
}

async function make(engine: Engine, wanted: Wanted, { made }: Progress): Promise<void> {
  const { name } = wanted.container;
  const answer = await engine.value(`POST /containers/create?name=${name}`, {
    body: bodyOf(wanted),
  });
  const { success, data } = z.object({ Id: z.string().regex(/^[0-9a-f]{12,64}$/) })
    .safeParse(answer);
  if (!success) throw new Problem(502, "The container engine made no container");
  made.push({ name, id: data.Id });
  await engine.start(data.Id);
}

/** Waits until new containers have run for a while. Throws Problem 502 where one does not. */
async function settled(engine: Engine, { made }: Progress, milliseconds: number): Promise<void> {
  if (made.length === 0) return;
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  for (const { name, id } of made) {
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
}

/** Removes what was replaced. The new ones run: nothing that fails here may undo them. */
async function commit(
  engine: Engine,
  replaced: Progress["aside"],
  { log }: DeployHost,
): Promise<void> {
  const attempt = async (name: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      log?.warn("netd.container_left", `An old container of ${name} was not removed`, { error });
    }
  };
  // First the names, by which the next attempt knows that they are not to be put back.
  for (const { name, id } of replaced) {
    await attempt(name, () => engine.rename(id, `${name}${REPLACED}`));
  }
  for (const { name, id } of replaced) await attempt(name, () => engine.remove(id));
}

/** Undoes what was done so far, and says what came of it. */
async function putBack(engine: Engine, { aside, made }: Progress): Promise<string> {
  let isWhole = true;
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch {
      // The next attempt puts it back; the answer says that it is not there yet.
      isWhole = false;
    }
  };
  for (const { id } of made) await attempt(() => engine.remove(id));
  for (const { name, id, ran } of aside) {
    await attempt(async () => {
      if (ran) await engine.start(id);
      await engine.rename(id, name);
    });
  }
  if (!isWhole) return ". Those before could not all be put back; the next start tries again";
  if (aside.length === 0) return "";
  return aside.some(({ ran }) => ran) ? ". Those before run again" : ". Those before are back";
}

/** All settings of a container that are sent to the engine; none of them widens its privileges. */
function bodyOf({ container, plan, host }: Wanted): unknown {
  return {
    Image: container.image,
    Env: container.environment,
    Labels: {
      ...container.labels,
      [FILES_LABEL]: composePath(plan, host.home),
      "com.docker.compose.project": plan.plugin.toLowerCase(),
      "com.docker.compose.service": container.service,
      [PLUGIN_LABEL]: plan.plugin,
      [PLAN_LABEL]: digestOf(container, host),
    },
    HostConfig: {
      Mounts: mountsOf(container, host),
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

function mountsOf({ mounts }: PlannedContainer, host: FolderHost): readonly unknown[] {
  return mounts.map(({ source, target, readOnly }) => ({
    ...{ Type: "bind", Source: folderOf(source, host), Target: target, ReadOnly: readOnly },
  }));
}

function digestOf(container: PlannedContainer, host: FolderHost): string {
  const all = (host.privateState ?? null) === null
    ? container
    : [container, mountsOf(container, host)];
  return createHash("sha256").update(JSON.stringify(all)).digest("hex");
}
