/** A container of the stand-in. */
export interface EngineContainer {
  readonly id: string;
  name: string;
  readonly image: string;
  readonly imageId: string;
  running: boolean;
  /** What it was created of. */
  readonly body: EngineBody;
}

interface EngineBody {
  readonly Image: string;
  readonly Env: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly HostConfig: Readonly<Record<string, unknown>>;
}

/** A container engine of the tests: Docker's API as far as containers and images need it. */
export interface TestEngine extends AsyncDisposable {
  readonly socket: string;
  /** Method and path of every request, in order; without the lists. */
  readonly requests: readonly string[];
  /** Credentials of every fetched image, as they came; null for none. */
  readonly logins: readonly (string | null)[];
  readonly containers: EngineContainer[];
  /** What a registry has: the id of an image by its name with tag. */
  readonly registry: Map<string, string>;
  /** What is here. */
  readonly images: Map<string, string>;
  /** Ids of images whose containers end at once. */
  readonly broken: Set<string>;
  /** Requests that are refused with 500, by method and the end of the path. */
  readonly refused: ((request: string) => boolean)[];
  /** What a request waits for, by method and path; by default nothing. */
  hold: (request: string) => Promise<void> | null;
  /** The secret that the registry takes. */
  secret: string;
}

/** Starts it in a folder of the caller. */
export function startEngine(folder: string, name = "engine.sock"): TestEngine {
  const socket = `${folder}/${name}`;
  const requests: string[] = [], logins: (string | null)[] = [];
  const containers: EngineContainer[] = [];
  const registry = new Map<string, string>(), images = new Map<string, string>();
  const broken = new Set<string>(), refused: TestEngine["refused"] = [];
  let made = 0;
  const own: Pick<TestEngine, "secret" | "hold"> = { secret: "c2VjcmV0", hold: () => null };
  const refuse = (status: number, message: string) => Response.json({ message }, { status });
  const nothing = () => new Response(null, { status: 204 });
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams, search } = new URL(request.url);
    const asked = `${request.method} ${pathname}`;
    if (asked === "GET /containers/json") return Response.json(containers.map(listed));
    if (asked === "GET /networks") return Response.json([]);
    requests.push(`${asked}${search}`);
    await own.hold(`${asked}${search}`);
    if (refused.some((test) => test(`${asked}${search}`))) return refuse(500, "no room for it");
    if (asked === "POST /auth") {
      const { password } = await request.json();
      return password === own.secret ? Response.json({ Status: "ok" }) : refuse(401, "denied");
    }
    if (asked === "POST /images/create") {
      logins.push(request.headers.get("x-registry-auth"));
      const name = searchParams.get("fromImage")!, id = registry.get(name);
      const progress = `${JSON.stringify({ status: "Pulling", progress: "x".repeat(900) })}\r\n`;
      if (id === undefined) {
        return new Response(`${progress}${JSON.stringify({ error: "no such manifest" })}\r\n`);
      }
      images.set(name, id).set(name.replace(/:latest$/, ""), id);
      return new Response(progress.repeat(12_000));
    }
    const image = /^\/images\/(.+)\/json$/.exec(pathname)?.[1];
    if (image !== undefined) {
      const id = images.get(image);
      return id === undefined ? refuse(404, "no such image") : Response.json({ Id: id });
    }
    if (asked === "POST /containers/create") {
      const name = searchParams.get("name")!, body: EngineBody = await request.json();
      if (containers.some((one) => one.name === name)) return refuse(409, `${name} is in use`);
      const id = (++made).toString(16).padStart(64, "0"), imageId = images.get(body.Image);
      if (imageId === undefined) return refuse(404, "no such image");
      containers.push({ id, name, image: body.Image, imageId, running: false, body });
      return Response.json({ Id: id, Warnings: [] }, { status: 201 });
    }
    const [, id, act] = /^\/containers\/([0-9a-f]+)(?:\/(\w+))?$/.exec(pathname) ?? [];
    const found = containers.find((one) => one.id === id);
    if (found === undefined) return refuse(404, "no such container");
    if (request.method === "DELETE") {
      containers.splice(containers.indexOf(found), 1);
      return nothing();
    }
    if (act === "json") {
      const State = { Running: found.running, ExitCode: found.running ? 0 : 7, Error: "" };
      return Response.json({ State, RestartCount: 0 });
    }
    if (act === "rename") found.name = searchParams.get("name")!;
    else found.running = act !== "stop" && !broken.has(found.imageId);
    return nothing();
  };
  const server = Deno.serve({ path: socket, onListen() {} }, answer);
  return Object.assign(own, {
    ...{ socket, requests, logins, containers, registry, images, broken, refused },
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

function listed({ id, name, image, imageId, running, body }: EngineContainer): unknown {
  return {
    ...{ Id: id, Names: [`/${name}`], Image: image, ImageID: imageId, Labels: body.Labels },
    ...{ State: running ? "running" : "exited", Status: "", Created: 1_700_000_000 },
    NetworkSettings: { Networks: {} },
  };
}
