import type { ProcessStatus } from "./supervisor.ts";

/** Path below `state/` of the socket on which the launcher starts, stops and restarts processes. */
export const LAUNCHER_SOCKET = "launcher/control.sock";

/** The requests of the launcher's socket. */
export interface Control {
  list(): Promise<readonly ProcessStatus[]>;
  start(name: string): Promise<ProcessStatus>;
  stop(name: string): Promise<ProcessStatus>;
  restart(name: string): Promise<ProcessStatus>;
}

/**
 * Serves the launcher's socket: `GET /processes`, `POST /processes/{name}/start|stop|restart`.
 * Access to the socket's file is the only authorization.
 */
export async function answerControl(control: Control, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/processes" && request.method === "GET") {
    return Response.json(await control.list());
  }
  const match = /^\/processes\/([a-z]+)\/(start|stop|restart)$/.exec(pathname);
  const name = (await control.list()).find((known) => known.name === match?.[1])?.name;
  if (match === null || name === undefined) return refuse(404, "There is no such process");
  if (request.method !== "POST") return refuse(405, "Use POST");
  return Response.json(await control[match[2] as "start" | "stop" | "restart"](name));
}

function refuse(status: number, detail: string): Response {
  return Response.json({ title: detail, status, detail }, {
    status,
    headers: { "content-type": "application/problem+json" },
  });
}

/** The api's client of the launcher. Every call throws when no launcher responds. */
export function controlClient(path: string): Control {
  const call = async <T>(method: string, where: string): Promise<T> => {
    using client = Deno.createHttpClient({ proxy: { transport: "unix", path } });
    // `client` is Deno's own and unknown to the DOM's type of this argument.
    const options = { method, client };
    // An address, never a name: a name would be resolved even though the socket is known.
    const response = await fetch(`http://127.0.0.1${where}`, options);
    const body = await response.json();
    if (!response.ok) throw new Error(body.detail);
    return body;
  };
  return {
    list: () => call("GET", "/processes"),
    start: (name) => call("POST", `/processes/${name}/start`),
    stop: (name) => call("POST", `/processes/${name}/stop`),
    restart: (name) => call("POST", `/processes/${name}/restart`),
  };
}
