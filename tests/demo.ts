/**
 * The whole UI over a demo home behind the whole router, a model of the kernel and services that answer
 * from samples: nothing is applied to this machine, nothing leaves it, and all is gone with Ctrl-C.
 * `deno task demo [port]`; 8080 unless another is given.
 */
import { fileURLToPath } from "node:url";
import { readUi } from "../routes/ui.ts";
import { serveRouter } from "./kit/browser/real_stage.ts";
import { DEMO, fillHome } from "./kit/builders/demo_home.ts";
import { demoRules } from "./kit/builders/demo_rules.ts";
import { demoVpn } from "./kit/builders/demo_vpn.ts";
import { demoWifi } from "./kit/builders/demo_wifi.ts";
import { demoResolver } from "./kit/dns/demo_resolver.ts";
import { PASSWORD, testRouter } from "./kit/router.ts";

const DEFAULT_PORT = 8080;

const say = (text: string): unknown => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

let ahead = -DEMO.age;
await using router = await testRouter({
  files: DEMO.files,
  host: DEMO.host("wlan0"),
  now: () => Date.now() + ahead,
  app: {
    ui: await readUi(fileURLToPath(new URL("../ui/dist", import.meta.url))),
    versions: { api: "0.3.0", program: "0.0.0" },
    names: () => new Set<string>(),
  },
});
await fillHome(router, (milliseconds) => void (ahead += milliseconds));
await demoRules(router);
await demoVpn(router);
await using _wifid = await demoWifi(router);
await using _resolver = await demoResolver(router);

const port = Number(Deno.args[0] ?? DEFAULT_PORT);
await using server = serveRouter(() => ({ router, peer: {} }), port);
say(`Sluice with sample data: http://127.0.0.1:${server.addr.port}/`);
say(`Sign in as admin with the password: ${PASSWORD}`);
say("Nothing is applied to this machine. Ctrl-C ends it.");

const ended = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => ended.resolve());
}
await ended.promise;
