import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { readUi } from "../../../routes/ui.ts";
import type { Route } from "../../../routes/http/route.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { isRestrictive } from "../../../system/firewall/sets/transition.ts";
import { configWith } from "../../kit/builders/device_config.ts";
import { basic, type TestRouter, testRouter } from "../../kit/router.ts";

const DIST = fileURLToPath(new URL("../../../ui/dist", import.meta.url));
/** The host name in the requests, which the router need not hide. */
const CALLED = "198.51.100.250";
const VERSIONS = { api: "91.82.73", program: "64.55.46" };
const NAME = "parlour-gateway";
const LINKS = ["lanxyz0", "wanxyz0"];

/** A router that knows a lot and that nobody has set up yet. */
async function knowing(): Promise<TestRouter & { readonly code: string }> {
  const announced: string[] = [];
  const interfaces = configWith().interfaces.slice(0, 2).map((link, at) => ({
    ...link,
    Name: LINKS[1 - at]!,
  }));
  const router = await testRouter({
    adminPassword: null,
    host: memoryHost({ isRestrictive, links: LINKS }),
    files: { "base/interfaces.json": interfaces },
    access: {
      watch: false,
      announce: (secret) => {
        announced.push(secret);
        return Promise.resolve(null);
      },
    },
    app: { ui: await readUi(DIST), versions: VERSIONS, names: () => new Set([NAME]) },
    machine: { features: ["dns", "wifi"] } as never,
  });
  const as = basic("admin", announced[0]);
  const named = await router.ask("PUT", "/info/hostname", { as, body: NAME });
  assert.equal(named.status, 200, await named.text());
  return { ...router, code: announced[0]! };
}

/** What nobody may read without credentials: names, addresses and versions that the router knows. */
async function secrets(router: TestRouter & { readonly code: string }): Promise<Set<string>> {
  const { links, addresses } = await router.host.facts();
  return new Set([
    router.code,
    NAME,
    // A short one stands in any text.
    ...(Deno.hostname().length > 4 ? [Deno.hostname()] : []),
    Deno.osRelease(),
    Deno.version.deno,
    router.home,
    ...Object.values(VERSIONS),
    ...LINKS,
    ...links.flatMap(({ name, mac }) =>
      name === "lo" ? [] : [name, ...(mac === null ? [] : [mac])]
    ),
    ...addresses.map(({ address }) => address.split("/")[0]!).filter((one) =>
      !one.startsWith("127.") && one !== "::1"
    ),
  ]);
}

/** Everything that a response shows, but for what the request itself said. */
async function shown(response: Response): Promise<string> {
  const headers = [...response.headers].map((pair) => pair.join(": ")).join("\n");
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    await response.body?.cancel();
    return headers;
  }
  return `${response.status}\n${headers}\n${await response.text()}`;
}

function pathOf({ description }: Route): string {
  return description.path.replaceAll(/\{\w+\}/g, "x");
}

Deno.test("before it is set up a router discloses nothing without credentials", async (t) => {
  await using router = await knowing();
  const hidden = await secrets(router);
  assert.ok(hidden.size > 10);
  const ask = async (
    method: string,
    path: string,
    more: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<string> => {
    const { headers = {}, ...rest } = more;
    const peer = { source: "203.0.113.77" };
    return await shown(
      await router.ask(method, path, {
        as: null,
        peer,
        headers: { host: CALLED, ...headers },
        ...rest,
      }),
    );
  };
  const quiet = (what: string, text: string, secrets: Iterable<string> = hidden): void => {
    for (const secret of secrets) {
      assert.ok(!text.toLowerCase().includes(secret.toLowerCase()), `${what} discloses ${secret}`);
    }
  };

  await t.step("by any public route, whatever is sent", async () => {
    const open = router.routes.filter(({ description }) => description.access === "public");
    assert.ok(open.length >= 8, "the walk found the routes");
    const bodies = [undefined, {}, [], { Name: "admin" }, { name: "admin", password: "wrong" }];
    for (const route of open) {
      const { method, path } = route.description;
      for (const body of bodies) {
        if (body !== undefined && (method === "GET" || method === "HEAD")) continue;
        quiet(`${method} ${path}`, await ask(method, pathOf(route), { body }));
      }
      for (const origin of [`http://${CALLED}`, "http://elsewhere.example"]) {
        const upgrade = path.startsWith("/ws") ? { upgrade: "websocket" } : {};
        const headers = { origin, ...upgrade };
        quiet(`${method} ${path}`, await ask(method, pathOf(route), { headers }));
      }
    }
  });

  await t.step("by any other route, which asks for credentials", async () => {
    for (const route of router.routes) {
      const { method, path, access } = route.description;
      if (access === "public") continue;
      const answer = await ask(method, pathOf(route));
      assert.match(answer, /^401\n/, `${method} ${path}`);
      quiet(`${method} ${path}`, answer);
    }
  });

  await t.step("by its page and its files", async () => {
    const paths = ["/", "/admin", "/admin/", "/admin/devices", "/auth/validate", "//admin//"];
    const files = [...(await readUi(DIST)).keys()].map((path) => `/admin/${path}`);
    assert.ok(files.length > 10);
    // The same files everywhere: only what is of this router would be told.
    const own = [...LINKS, NAME, router.code, router.home, ...Object.values(VERSIONS)];
    for (const path of [...paths, ...files]) quiet(path, await ask("GET", path), own);
  });

  await t.step("by what it refuses", async () => {
    for (const path of ["/nothing", "/.git/config", "/device/../../etc/passwd", "/%2e%2e/x"]) {
      quiet(path, await ask("GET", path));
    }
    for (const method of ["OPTIONS", "POST", "DELETE", "HEAD", "PATCH"]) {
      quiet(method, await ask(method, "/setup"));
      quiet(method, await ask(method, "/"));
    }
    for (const host of ["elsewhere.example", "", "x y"]) {
      quiet(`Host: ${host}`, await ask("GET", "/setup", { headers: { host } }));
    }
    for (
      const authorization of ["Bearer x", basic("admin", "wrong"), "Basic !", "Digest x", "Bearer "]
    ) {
      const setup = await ask("PUT", "/setup", { headers: { authorization }, body: {} });
      quiet(authorization, setup);
      quiet(authorization, await ask("GET", "/auth/stage", { headers: { authorization } }));
    }
  });
});
