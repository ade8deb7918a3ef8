import { Hono } from "hono";
import { deviceListRoutes } from "../../routes/devices/devices.ts";
import { mount } from "../../routes/http/mount.ts";
import { writeLargeHome } from "../kit/builders/large_home.ts";
import { testRouter } from "../kit/router.ts";
import { print } from "./print.ts";

/**
 * The route `GET /devices` by itself: without guards and without a check of who asks.
 * Arguments: a folder to work in, which is removed at the end.
 */
const home = Deno.args[0]!;
await writeLargeHome(home, { devices: 250, groups: 20 });
await using router = await testRouter({ home });
const app = new Hono();
const deps = {
  ...router,
  now: Date.now,
  random: () => new Uint8Array(),
  tagKey: new Uint8Array(32),
};
mount(app, deviceListRoutes(deps), {
  engine: router.engine,
  authorize: () => ({ by: "bench", from: null, connection: null }),
  log: (error) => print(String(error)),
});
const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ hostname, port }) => print(`listening ${hostname}:${port}`),
}, app.fetch);
Deno.addSignalListener("SIGTERM", () => server.shutdown());
await server.finished;
