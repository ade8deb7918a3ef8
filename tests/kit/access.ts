import { join } from "node:path";
import { type Context, Hono } from "hono";
import * as z from "zod";
import { TOTP } from "otpauth";
import { type Access, openAccess } from "../../system/access/open.ts";
import type { Config } from "../../system/config.ts";
import { Bus } from "../../system/core/events/bus.ts";
import type { ChangeEngine, ChangeOptions, Command } from "../../system/core/engine/change.ts";
import { TrustedClock } from "../../system/core/time/trusted_clock.ts";
import { openLog } from "../../system/core/log/log.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { openStore, type Store } from "../../system/core/store/open.ts";
import { accessRoutes } from "../../routes/access.ts";
import { errorAnswer } from "../../routes/http/answer.ts";
import { authenticate } from "../../routes/http/authentication.ts";
import { authorizer } from "../../routes/http/authorization.ts";
import { securityHeaders } from "../../routes/http/headers.ts";
import { mount } from "../../routes/http/mount.ts";
import { originGuard } from "../../routes/http/origin.ts";
import type { Peer } from "../../routes/http/peer.ts";
import { route } from "../../routes/http/route.ts";

/** The password of `admin` in these tests. */
export const PASSWORD = "correct horse: battery";

/** An engine that knows only the users, and applies every change at once. */
function toyEngine(users: Record<string, string> = {}): ChangeEngine<Config> {
  let config = { users, limitedUsers: {} } as unknown as Config;
  let serial = 0;
  const engine = {
    get config() {
      return config;
    },
    etag: () => `"${serial}"`,
    change: <R>(command: Command<Config, R>, _: ChangeOptions) => {
      const [next, result] = command.reduce(config);
      const id = next === config ? null : `c${++serial}`;
      config = next;
      return Promise.resolve({ result, id });
    },
    preview: () => Promise.resolve({ config: [], system: [], reach: {} }),
  };
  return engine as unknown as ChangeEngine<Config>;
}

/** What a test of access works with. */
export interface AccessKit extends AsyncDisposable {
  readonly access: Access;
  readonly engine: ChangeEngine<Config>;
  /** Topics of the events so far. */
  readonly topics: readonly string[];
  readonly home: string;
  /** Lines that were logged. */
  readonly lines: readonly string[];
  /** Secrets that were handed over. */
  readonly announced: readonly string[];
  /** The clock, unix milliseconds, and by how much it was set. */
  readonly clock: { now: number; set: number };
  /** Sends a request as the peer that `options` tell. */
  request(path: string, options?: RequestOptions): Promise<Response>;
  /** Closes access and the store and opens them anew on the same home. */
  restart(): Promise<void>;
  /** Makes every later access to the database fail. */
  breakStore(): void;
  /** Sets one-time passwords up for `admin`; answers the secret and the JWT. */
  enrol(): Promise<{ readonly secret: string; readonly jwt: string }>;
}

/** A request of a test. */
export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly peer?: Partial<Peer>;
  readonly basic?: string;
  readonly bearer?: string;
  readonly cookie?: string;
  readonly jwt?: string;
}

/** Opens access on a temporary home, with its routes and some others on a small app. */
export async function accessKit(
  options: {
    readonly users?: Record<string, string>;
    readonly adminPassword?: string | null;
    readonly prepare?: (home: string) => Promise<void>;
    readonly confirms?: (change: string | null, token: string) => boolean;
  } = {},
): Promise<AccessKit> {
  const home = await Deno.makeTempDir({ prefix: "access-" });
  await Deno.mkdir(join(home, "state"));
  await Deno.mkdir(join(home, "configs/auth"), { recursive: true });
  await Deno.mkdir(join(home, "configs/base"), { recursive: true });
  await options.prepare?.(home);
  const clock = { now: Date.UTC(2030, 0, 1), set: 0 };
  const lines: string[] = [], announced: string[] = [];
  const log = openLog({ process: "test", write: (line) => lines.push(line), human: false });
  const engine = toyEngine(options.users);
  const bus = new Bus(() => clock.now);
  const topics: string[] = [];
  bus.subscribe(({ topic }) => topics.push(topic));
  let store: Store, access: Access, app: Hono, believed: () => number;

  let last: number | null = null;

  async function open(): Promise<void> {
    const wall = () => clock.now, steady = () => clock.now - clock.set;
    const trusted = new TrustedClock({ wall, steady, last });
    believed = () => trusted.now();
    store = await openStore(join(home, "state/sluice.db"));
    access = await openAccess({
      engine,
      db: store.db,
      bus,
      log,
      home,
      adminPassword: options.adminPassword === undefined ? PASSWORD : options.adminPassword,
      announce: (secret) => {
        announced.push(secret);
        return Promise.resolve(null);
      },
      now: wall,
      steady,
      clock: trusted,
      watch: false,
    });
    app = accessApp(access, { engine, confirms: options.confirms });
  }

  await open();
  const kit: AccessKit = {
    get access() {
      return access;
    },
    engine,
    topics,
    home,
    lines,
    announced,
    clock,
    request: (path, request = {}) => send(app, path, request),
    restart: async () => {
      last = believed();
      await access.close();
      store.close();
      await open();
    },
    breakStore: () => store.close(),
    enrol: async () => {
      const { accounts } = access;
      const none = { Name: "", Code: "", UpdateAlwaysOn: false, AlwaysOn: false };
      const secret = (await accounts.registerOtp("admin", none)).OTPUsers[0]!.Secret;
      const Code = codeOf(secret, clock.now);
      return { secret, jwt: (await accounts.validateOtp("admin", { ...none, Code })).jwt };
    },
    [Symbol.asyncDispose]: async () => {
      await access.close();
      store.close();
      await Deno.remove(home, { recursive: true });
    },
  };
  return kit;
}

/** The code that an authenticator app shows. */
export function codeOf(secret: string, now: number): string {
  return new TOTP({ secret }).generate({ timestamp: now });
}

/** The `name=value` that an answer sets as a cookie. */
export function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

function accessApp(
  access: Access,
  options: {
    readonly engine: ChangeEngine<Config>;
    readonly confirms?: ((change: string | null, token: string) => boolean) | undefined;
  },
): Hono {
  const { engine, confirms } = options;
  const log = (error: unknown) => {
    throw error;
  };
  const authorize = authorizer({ access });
  const app = new Hono();
  app.use(securityHeaders());
  app.use(originGuard({ names: () => new Set(["router.lan"]) }));
  app.use(authenticate(access, confirms ? { confirms } : {}));
  const plain = (method: "GET" | "PUT", path: string, need: "auth" | "otp" | "setup" | "public") =>
    route(
      {
        method,
        path,
        summary: "",
        description: "",
        tag: "API",
        access: need,
        response: z.unknown(),
      },
      ({ caller }) => ({ by: caller.by, connection: caller.connection }),
    );
  mount(app, [
    ...accessRoutes({ access, engine }),
    plain("GET", "/devices", "auth"),
    plain("GET", "/events", "auth"),
    plain("PUT", "/device", "auth"),
    plain("GET", "/device/{identity}", "otp"),
    plain("PUT", "/setup", "setup"),
    plain("GET", "/cert", "public"),
    plain("PUT", "/changes/{id}/confirm", "auth"),
    plain("GET", "/plugins/one/x", "auth"),
  ], { engine, authorize, log });
  app.notFound(async (c: Context) => {
    try {
      await authorize(c, null);
      throw new Problem(404, "There is nothing at this path");
    } catch (error) {
      return errorAnswer(error, log);
    }
  });
  return app;
}

async function send(app: Hono, path: string, options: RequestOptions): Promise<Response> {
  const { basic, bearer, cookie, jwt, body } = options;
  const headers = new Headers({ host: "192.168.2.1", ...options.headers });
  if (basic !== undefined) headers.set("authorization", `Basic ${base64(basic)}`);
  if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
  if (cookie !== undefined) headers.set("cookie", cookie);
  if (jwt !== undefined) headers.set("x-jwt-otp", jwt);
  const text = body === undefined ? null : JSON.stringify(body);
  if (text !== null && !headers.has("content-type")) {
    headers.set("content-type", "application/json");
  }
  const peer: Peer = {
    source: "192.168.2.9",
    port: 40000,
    local: null,
    tls: false,
    ...options.peer,
  };
  const request = new Request(`http://192.168.2.1${path}`, {
    method: options.method ?? "GET",
    headers,
    body: text,
  });
  return await app.request(request, undefined, { peer });
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
