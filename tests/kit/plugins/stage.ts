import { listenTcp } from "../../../routes/http/listen.ts";
import { peerOf } from "../../../routes/http/peer.ts";
import { UNWATCHED } from "../../../system/core/ipc/watched_server.ts";
import { basic, type TestRouter, testRouter, type TestRouterOptions } from "../router.ts";

/** A router behind a real listener, and a program that is its plugin `sample`. */
export interface PluginStage extends AsyncDisposable {
  readonly router: TestRouter;
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** The folder of the plugin's socket. */
  readonly folder: string;
  /** A request of the admin over the listener. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Ends the program of the plugin. */
  stopPlugin(): Promise<void>;
}

/** What the plugin on the stage answers. */
export type PluginProgram = (request: Request) => Response | Promise<Response>;

/** Sets a router and a plugin up; dispose it with `await using`. */
export async function pluginStage(
  program: PluginProgram,
  options: TestRouterOptions = {},
): Promise<PluginStage> {
  const router = await testRouter(options);
  const folder = `${router.home}/state/plugins/sample`;
  await Deno.mkdir(folder, { recursive: true });
  const server = Deno.serve({ path: `${folder}/socket`, onListen() {} }, program);
  const listener = await listenTcp({
    hostname: "127.0.0.1",
    port: 0,
    variable: "SLUICE_HTTP",
    watch: UNWATCHED,
    handler: (request, info) =>
      router.external.fetch(request, {
        peer: peerOf(info.remoteAddr, { hostname: "127.0.0.1", port: 0, tls: false, ...info }),
      }),
  });
  const origin = `http://127.0.0.1:${listener.port}`;
  await router.json("PUT", "/plugins_api/sample", { body: SAMPLE });
  let stopped: Promise<void> | null = null;
  const stopPlugin = (): Promise<void> => stopped ??= server.shutdown();
  return {
    router,
    origin,
    folder,
    call: (path, init = {}) =>
      fetch(`${origin}${path}`, {
        redirect: "manual",
        ...init,
        headers: { authorization: basic(), ...init.headers as Record<string, string> },
      }),
    stopPlugin,
    async [Symbol.asyncDispose]() {
      await router.close();
      await listener.close();
      await stopPlugin();
      await router[Symbol.asyncDispose]();
    },
  };
}

/** The entry of the plugin on the stage. */
export const SAMPLE = {
  Name: "sample",
  URI: "sample",
  UnixPath: "/state/plugins/sample/socket",
  Enabled: true,
  HasUI: true,
};
