import { fileURLToPath } from "node:url";
import type { KeyPair } from "../../../system/certificates/x509.ts";
import { serveUnix } from "../../../system/core/ipc/unix_socket.ts";
import { openLog } from "../../../system/core/log/log.ts";
import { startMesh } from "../../../system/mesh/service.ts";
import { sockets } from "../../../system/processes.ts";
import { SOCKET_ROUTES } from "../../../routes/internal.ts";
import { socketApp } from "../../../routes/http/socket_app.ts";
import { otpOf } from "../otp.ts";
import { freePort } from "../process.ts";
import { type TestRouter, testRouter, type TestRouterOptions } from "../router.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** A router with TLS on an address of the loopback interface, and its process `mesh`. */
export interface MeshRouter extends AsyncDisposable {
  readonly address: string;
  readonly router: TestRouter;
  /** Requests that came over TLS, as `PUT /devices`. */
  readonly requests: readonly string[];
  /** Leaves requests like this one unanswered until it is called again with null. */
  hold(request: string | null): void;
  /** How often the process `mesh` has asked for what is new: each time it has taken what came before. */
  readonly polls: number;
  /** From now on it responds as a version does that has no encrypted link. */
  beEarlier(): void;
  /** Ends the listener, as a cut link does; the router goes on. */
  cut(): Promise<void>;
  /** Serves TLS again, with another certificate where one is given. */
  heal(pair?: KeyPair): void;
  /** Ends the process `mesh`, and starts it again. */
  restartMesh(): Promise<void>;
  /** The header that proves a second factor of the admin. */
  readonly otp: Readonly<Record<string, string>>;
  /** The token by which a parent adds this router. */
  leafToken(): Promise<string>;
}

/** Port of the API on every router of this test program, which differ by address. */
export const port = freePort();
const log = openLog({ process: "test", human: false, level: "error", write: () => {} });

/** Opens a router on `127.0.0.<number>`. */
export async function meshRouter(
  number: number,
  options: TestRouterOptions = {},
): Promise<MeshRouter> {
  const address = `127.0.0.${number}`;
  const requests: string[] = [];
  let pair: KeyPair | null = null;
  let server: Deno.HttpServer | null = null;
  let isEarlier = false;
  let held: string | null = null, released = Promise.withResolvers<void>(), polls = 0;
  const close = async (): Promise<void> => {
    const closing = server;
    server = null;
    await closing?.shutdown();
  };
  const serve = (): void => {
    if (pair === null) return;
    server = Deno.serve(
      { hostname: address, port, ...pair, onListen: () => {} },
      async (request, info) => {
        const name = `${request.method} ${new URL(request.url).pathname}`;
        requests.push(name);
        if (name === held) await released.promise;
        const source = (info.remoteAddr as Deno.NetAddr).hostname;
        const peer = { source, port: 40000, local: null, tls: true };
        const response = await router.external.fetch(request, { peer });
        if (!isEarlier || name !== "GET /plugins/mesh/config") return response;
        const { Networks: _, ...config } = await response.json();
        return Response.json(config);
      },
    );
  };
  const router: TestRouter = await testRouter({
    hasTunnels: true,
    ...options,
    files: { "base/dhcp.json": { TinyNets: [`192.168.${100 + number}.0/24`] }, ...options.files },
    // Nothing else of a machine is looked at.
    machine: {
      ...{ root: ROOT, features: [] },
      serveTls: async (next: KeyPair | null) => {
        await close();
        pair = next;
        serve();
      },
    } as unknown as NonNullable<TestRouterOptions["machine"]>,
  });
  const own = sockets(router.home);
  const inside = await serveUnix(own.mesh, (request) => {
    if (new URL(request.url).pathname === "/plan") polls++;
    return router.internal.mesh.fetch(request);
  });
  const start = async () => {
    const mesh = startMesh({ socket: own.mesh, log, port });
    const app = socketApp(SOCKET_ROUTES.meshControl(mesh), {
      by: "mesh",
      log: (error) => {
        throw error;
      },
    });
    const control = await serveUnix(own.meshControl, (request) => app.fetch(request));
    return {
      async stop() {
        await control.shutdown();
        await mesh.stop();
      },
    };
  };
  let process = await start();
  const otp = await otpOf(router, options.now?.());
  await router.json("PUT", "/firewall/enableTLS");
  return {
    address,
    router,
    requests,
    otp,
    hold(request) {
      held = request;
      released.resolve();
      released = Promise.withResolvers();
    },
    beEarlier() {
      isEarlier = true;
    },
    get polls() {
      return polls;
    },
    cut: close,
    heal(other) {
      if (other !== undefined) pair = other;
      serve();
    },
    async restartMesh() {
      await process.stop();
      process = await start();
    },
    async leafToken() {
      const answer = await router.json<{ Token: string }>("PUT", "/plugins/mesh/leafToken", {
        headers: otp,
      });
      return answer.Token;
    },
    async [Symbol.asyncDispose]() {
      await process.stop();
      router.endStreams();
      await close();
      await inside.shutdown();
      await router[Symbol.asyncDispose]();
    },
  };
}
