import { sockets } from "../../../system/processes.ts";
import { type Lab, type LabClient, PROVIDER, UPLINK } from "./lab.ts";
import type { LabProcess } from "./command.ts";
import { PACE } from "../pace.ts";
import { closedFolder } from "../process.ts";
import { MEMORY_VARIABLES } from "../../../system/core/process/deno_arguments.ts";
import { EMULATED_LAUNCHER_FLAGS, LAUNCHER_FLAGS, launcherBundle } from "../run/bundle.ts";

/** Password of `admin` in every lab. */
export const LAB_PASSWORD = "lab-password";
/**
 * Its record of the fewest rounds that are accepted: making one of the usual rounds and verifying it
 * would be a tenth of what a start costs, and seconds in an emulated machine.
 */
export const LAB_USERS = {
  admin: "$pbkdf2-sha256$100000$BwcHBwcHBwcHBwcHBwcHBw$/b1lztpyG2usuIZv7T+FFlDRUF28kvn6JFDy3Fk2UNM",
};

/** How the lab's Sluice is prepared. */
export interface RouterOptions {
  /** Further files of the live tree, by path under `configs/`: a JSON value each. */
  readonly files?: Readonly<Record<string, unknown>>;
  /** An existing home, which is then kept; default a temporary one. */
  readonly home?: string;
  /** Files that take another's place for the router's processes alone: fakes by the path they cover. */
  readonly covers?: Readonly<Record<string, string>>;
  /** Optional processes, as in `SLUICE_SERVICES`; default `none`. */
  readonly services?: string;
  /** Factory state: no interface has a role, there is no admin yet, and `SLUICE_NETWORK` is `auto`. */
  readonly fresh?: boolean;
  /** Debian packages may be installed; default not: the test command brings what tests need. */
  readonly install?: boolean;
  /** Each process has a user of its own; default: all are root, which starts sooner. */
  readonly ownUsers?: boolean;
}

/** A request to the lab's Sluice. */
export interface ApiOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Leaves the admin's password out. */
  readonly anonymous?: boolean;
}

/** A whole answer; `json` is undefined where the body is no JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- tests read answers of every shape
  readonly json: any;
}

/** What a DHCP server learns of a device's address. */
export interface Lease {
  readonly Identifier: string;
  readonly IP: string;
  readonly RouterIP: string;
  readonly DNSIP: string;
  readonly LeaseTime: string;
}

/**
 * Milliseconds between two looks whether Sluice is there, and how many: a busy machine starts its
 * processes in minutes. Each look costs a slow machine time that the start needs.
 */
const LOOK_INTERVAL_MS = PACE === 1 ? 100 : 2000, LOOKS = PACE === 1 ? 900 : 300;

/** Starts Sluice in the lab's router and waits until it answers. */
export async function startRouter(lab: Lab, options: RouterOptions = {}): Promise<LabRouter> {
  const own = options.home === undefined ? await makeHome(options.ownUsers ?? false) : null;
  const home = options.home ?? own!.folder;
  const files = {
    ...(options.fresh ? {} : { "base/interfaces.json": labInterfaces(lab) }),
    ...(options.fresh || own === null ? {} : { "auth/auth_users.json": LAB_USERS }),
    ...options.files,
  };
  for (const [path, value] of Object.entries(files)) {
    const file = `${home}/configs/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, `${JSON.stringify(value, null, 2)}\n`);
  }
  const router = new LabRouter(lab, home, {
    removeHome: own === null ? null : own.remove,
    services: options.services ?? "none",
    covers: options.covers ?? {},
    fresh: options.fresh ?? false,
    install: options.install ?? false,
  });
  try {
    await router.start();
    return router;
  } catch (error) {
    await router.close();
    throw error;
  }
}

/** A folder that others than root can reach only with users of their own. */
async function makeHome(
  ownUsers: boolean,
): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> {
  if (!ownUsers) return await closedFolder("sluice-lab-");
  const folder = await Deno.makeTempDir({ prefix: "sluice-lab-" });
  return { folder, remove: () => Deno.remove(folder, { recursive: true }) };
}

/** Sluice inside the lab's router. */
export class LabRouter {
  readonly home: string;
  readonly #lab: Lab;
  readonly #removeHome: (() => Promise<void>) | null;
  readonly #services: string;
  readonly #covers: Readonly<Record<string, string>>;
  readonly #fresh: boolean;
  readonly #install: boolean;
  readonly #dhcp: Deno.HttpClient;
  readonly #relay: ApiRelay;
  readonly #doors = new Set<() => Promise<void>>();
  #sluice: LabProcess | null = null;

  constructor(
    lab: Lab,
    home: string,
    options: {
      readonly removeHome: (() => Promise<void>) | null;
      readonly services: string;
      readonly covers: Readonly<Record<string, string>>;
      readonly fresh: boolean;
      readonly install: boolean;
    },
  ) {
    this.home = home;
    this.#lab = lab;
    this.#removeHome = options.removeHome;
    this.#services = options.services;
    this.#covers = options.covers;
    this.#fresh = options.fresh;
    this.#install = options.install;
    this.#relay = new ApiRelay(lab, "router", home);
    this.#dhcp = unixClient(sockets(home).dhcp);
  }

  /** The launcher's process. */
  get process(): LabProcess {
    if (this.#sluice === null) throw new Error("Sluice is not running");
    return this.#sluice;
  }

  /** Starts Sluice and waits until the API answers and has left the model that it starts with. */
  async start(): Promise<void> {
    // What is mounted here is seen by this process and its children alone.
    const mounts = Object.entries(this.#covers).map(([path, fake]) =>
      `mount --bind '${fake}' '${path}' && `
    );
    const flags = PACE === 1 ? LAUNCHER_FLAGS : EMULATED_LAUNCHER_FLAGS;
    const args = ["run", "-q", "-A", flags, launcherBundle(), "--attached"];
    const sluice = this.#lab.spawn("router", "sh", [
      ...["-c", `${mounts.join("")}exec "$@"`, "sh", Deno.execPath(), ...args],
    ], {
      ...MEMORY_VARIABLES,
      SLUICE_HOME: this.home,
      SLUICE_HTTP: "0.0.0.0:80",
      SLUICE_NETWORK: this.#fresh ? "auto" : "on",
      SLUICE_SERVICES: this.#services,
      SLUICE_INSTALL: this.#install ? "yes" : "no",
      ...(this.#fresh ? {} : { SLUICE_ADMIN_PASSWORD: LAB_PASSWORD }),
    });
    this.#sluice = sluice;
    for (let left = LOOKS; left > 0; left--) {
      if (sluice.ended) break;
      const path = this.#fresh ? "/setup" : "/network";
      const answer = await this.api("GET", path).catch(() => null);
      if (answer !== null && answer.status < 500 && answer.json?.state !== "model") return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS));
    }
    throw new Error(`Sluice did not come up:\n${sluice.output}`);
  }

  /** Stops Sluice with a signal; the kernel and the home stay. */
  async stop(signal: Deno.Signal = "SIGTERM"): Promise<void> {
    await this.#sluice?.stop(signal);
    this.#sluice = null;
  }

  /** Calls the API as its admin, from the router's own loopback. */
  async api(method: string, path: string, options: ApiOptions = {}): Promise<ApiAnswer> {
    const headers = new Headers(options.headers);
    if (!options.anonymous && !headers.has("authorization")) {
      headers.set("authorization", `Basic ${btoa(`admin:${LAB_PASSWORD}`)}`);
    }
    return await this.#relay.call({ method, path, headers, body: options.body });
  }

  /** Asks for a client's address, as the DHCP server would, and gives it to the client. */
  async lease(client: LabClient): Promise<Lease> {
    const answer = await call(this.#dhcp, {
      method: "PUT",
      path: "/dhcpRequest",
      headers: new Headers(),
      body: { MAC: client.mac, Iface: client.link, Name: `client-${client.name}` },
    });
    if (answer.status !== 200) {
      throw new Error(`No lease for ${client.name}: ${answer.status} ${answer.text}`);
    }
    const lease = answer.json as Lease;
    await this.#lab.setAddress(client.name, lease.IP, lease.RouterIP);
    return lease;
  }

  /** Makes the API reachable from this machine's loopback, for a browser. */
  openDoor(port = 0): { readonly url: string } {
    const listener = Deno.listen({ hostname: "127.0.0.1", port });
    const done = carry(listener, `${this.home}/relay.sock`);
    this.#doors.add(async () => {
      listener.close();
      await done;
    });
    return { url: `http://127.0.0.1:${listener.addr.port}` };
  }

  /** Stops Sluice and removes its temporary home. */
  async close(): Promise<void> {
    for (const close of this.#doors) await close();
    this.#doors.clear();
    await this.stop();
    await this.#relay.close();
    this.#dhcp.close();
    await this.#removeHome?.();
  }
}

/** The router's links as `configs/base/interfaces.json` describes them. */
export function labInterfaces(lab: Lab): readonly unknown[] {
  const link = (Name: string, Type: string, IP = "", Router = ""): unknown => ({
    ...{ Name, Type, Subtype: "", Enabled: true, DisableDHCP: IP !== "", IP, Router },
    ...{ VLAN: "", MACOverride: "", MACRandomize: false, MACCloak: false },
  });
  return [
    link("wan0", "Uplink", `${UPLINK}/24`, PROVIDER),
    ...lab.clients.map((client) => link(client.link, "Downlink")),
  ];
}

/** Calls the API of a router of the lab, from the loopback of its namespace. */
export class ApiRelay {
  readonly #process: LabProcess;
  readonly #http: Deno.HttpClient;

  /** `home`: a folder that is there, for its socket. */
  constructor(lab: Lab, part: string, home: string) {
    const path = `${home}/relay.sock`;
    // Unix sockets are seen from every namespace: this one leads to the router's own port 80.
    const listen = `UNIX-LISTEN:${path},fork,unlink-early,mode=600`;
    this.#process = lab.spawn(part, "socat", [listen, "TCP4:127.0.0.1:80,nodelay"]);
    this.#http = unixClient(path);
  }

  /** Rejects where nothing responds. */
  call(request: HttpCall): Promise<ApiAnswer> {
    return call(this.#http, request);
  }

  async close(): Promise<void> {
    await this.#process.stop();
    this.#http.close();
  }
}

interface HttpCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}

async function call(client: Deno.HttpClient, request: HttpCall): Promise<ApiAnswer> {
  const { method, path, headers } = request;
  if (request.body !== undefined) headers.set("content-type", "application/json");
  const init: RequestInit & { readonly client: Deno.HttpClient } = {
    client,
    method,
    headers,
    redirect: "manual",
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  };
  const response = await fetch(`http://127.0.0.1${path}`, init);
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}

function unixClient(path: string): Deno.HttpClient {
  return Deno.createHttpClient({
    proxy: { transport: "unix", path },
    poolMaxIdlePerHost: 0,
  });
}

/** Carries each connection to the socket and back, until the listener closes. */
async function carry(listener: Deno.TcpListener, path: string): Promise<void> {
  const open = new Set<Promise<void>>();
  const connections = new Set<Deno.Conn>();
  for await (const from of listener) {
    const pipe = (async (): Promise<void> => {
      connections.add(from);
      // Else the end of a longer answer waits until its begin is acknowledged, 40 ms later.
      from.setNoDelay(true);
      try {
        const to = await Deno.connect({ transport: "unix", path });
        connections.add(to);
        await Promise.allSettled([
          from.readable.pipeTo(to.writable),
          to.readable.pipeTo(from.writable),
        ]);
        connections.delete(to);
      } catch {
        from.close();
      }
      connections.delete(from);
    })();
    open.add(pipe);
    pipe.finally(() => open.delete(pipe));
  }
  for (const connection of connections) {
    try {
      connection.close();
    } catch {
      // It closed by itself.
    }
  }
  await Promise.all(open);
}
