import assert from "node:assert/strict";
import { gzip } from "../../../system/backup/gzip.ts";
import { writeTar } from "../../../system/backup/tar.ts";
import { openLog } from "../../../system/core/log/log.ts";
import { pluginControlClient } from "../../../system/plugins/deno/control.ts";
import { startPlugind } from "../../../system/plugins/deno/service.ts";
import type { Plugin } from "../../../system/plugins/schema.ts";
import { sockets } from "../../../system/processes.ts";
import { eventually } from "../../kit/eventually.ts";
import { otpOf } from "../../kit/otp.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const SAMPLE = new URL("../../kit/plugins/sample/", import.meta.url);

interface Review {
  readonly hash: string;
  readonly rights: readonly { text: string; isDangerous: boolean }[];
  readonly change: null | {
    readonly from: string;
    readonly added: readonly { text: string }[];
    readonly removed: readonly { text: string }[];
  };
}

/** The sample as an archive, with changes of its files. */
async function archive(changes: Readonly<Record<string, string>> = {}): Promise<string> {
  const texts: Record<string, string> = {};
  for (const name of ["plugin.json", "main.ts", "page.html"]) {
    texts[name] = await Deno.readTextFile(new URL(name, SAMPLE));
  }
  const files = Object.entries({ ...texts, ...changes }).map(([path, text]) => ({
    path: `sample/${path}`,
    bytes: new TextEncoder().encode(text),
  }));
  return (await gzip(writeTar(files, 0))).toBase64();
}

interface Stage extends AsyncDisposable {
  readonly router: TestRouter;
  readonly lines: string[];
  readonly headers: Record<string, string>;
  install(changes?: Readonly<Record<string, string>>): Promise<Review>;
}

/** A router and the process that runs plugins. */
async function stage(): Promise<Stage> {
  const home = await Deno.makeTempDir({ prefix: "sp-" });
  const lines: string[] = [];
  const log = (process: string) =>
    openLog({ process, human: false, write: (line) => void lines.push(line) });
  const socket = sockets(home).plugind;
  const first = await testRouter({ home });
  const router = await first.reopen({
    plugins: { launcher: null, control: pluginControlClient(socket) },
  });
  const plugind = await startPlugind({
    ...{ home, socket, log: log("plugind") },
    logOf: (name) => log(`plugin:${name}`),
  });
  const headers = await otpOf(router);
  return {
    router,
    lines,
    headers,
    async install(changes) {
      const review = await router.json<Review>("PUT", "/plugin/review", {
        body: { Archive: await archive(changes) },
        headers,
      });
      await router.json("PUT", "/plugin/install", { body: { hash: review.hash }, headers });
      return review;
    },
    async [Symbol.asyncDispose]() {
      await plugind.stop();
      await router[Symbol.asyncDispose]();
    },
  };
}

const call = async (router: TestRouter, path: string) => {
  const answer = await router.ask("GET", `/plugins/sample${path}`);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
};

Deno.test("the sample plugin is reviewed, approved, runs with its rights alone, updates and is removed", async () => {
  await using set = await stage();
  const { router, headers, lines } = set;
  const body = { Archive: await archive() };
  assert.equal((await router.ask("PUT", "/plugin/review", { body })).status, 403, "it needs OTP");
  const first = await set.install();
  assert.equal(first.change, null);
  assert.ok(first.rights.some(({ text }) => text === "Read /devices of the API"));
  const { count, caller } = JSON.parse(
    await eventually("the plugin answers", () => call(router, "/count")),
  );
  assert.deepEqual([count, caller], [1, "admin"]);
  assert.match(await call(router, "/"), /<title>Sample/);
  const token = `${router.home}/state/plugind/data/sample/token`;
  const secret = await Deno.readTextFile(token);
  const reads = async (path: string) =>
    (await router.ask("GET", path, { as: `Bearer ${secret}` })).status;
  assert.deepEqual([await reads("/devices"), await reads("/groups")], [200, 403]);
  const { items } = await router.json<{ items: { state: string; version: string }[] }>(
    "GET",
    "/plugin/status",
  );
  assert.deepEqual([items[0]!.state, items[0]!.version], ["running", "1.0.0"]);

  // An update that asks for more, and tries to reach further than it may.
  const manifest = JSON.parse(await Deno.readTextFile(new URL("plugin.json", SAMPLE)));
  const evil = `
    const [socket, folder] = Deno.args;
    const tries = [
      () => Deno.readTextFile("${router.home}/configs/auth/auth_users.json"),
      () => Deno.readTextFile("/etc/passwd"),
      () => Deno.writeTextFile(new URL("main.ts", import.meta.url), "x"),
      () => Deno.connect({ transport: "unix", path: "${router.home}/state/net/netd.sock" }),
      () => fetch("http://127.0.0.1:9/"),
      () => new Deno.Command("id").output(),
      () => Promise.resolve(Deno.env.toObject()),
      () => import("https://example.org/x.ts"),
      () => Promise.resolve(Deno.symlinkSync("/etc", folder + "/link")),
    ];
    const done = [];
    for (const one of tries) {
      try { await one(); done.push("done"); } catch (error) { done.push(error.name); }
    }
    console.log("a line of the plugin");
    Deno.serve({ path: socket }, () => Response.json(done));`;
  const changes = {
    "plugin.json": JSON.stringify({
      ...manifest,
      Version: "2.0.0",
      Permissions: { sys: ["hostname"] },
      ScopedPaths: [],
    }),
    "main.ts": evil,
  };
  const second = await set.install(changes);
  assert.equal(second.change?.from, "1.0.0");
  assert.deepEqual(second.change?.added.map(({ text }) => text), ["Read the fact hostname"]);
  assert.ok(second.change?.removed.some(({ text }) => text === "Read /devices of the API"));
  const done: string[] = JSON.parse(
    await eventually("the update answers", async () => {
      const text = await call(router, "/");
      assert.match(text, /^\[/);
      return text;
    }),
  );
  assert.equal(done.length, 9);
  assert.ok(!done.includes("done"), done.join());
  await eventually(
    "its lines are logged",
    () => assert.ok(lines.some((one) => /plugin:sample.*a line of the plugin/.test(one))),
  );
  await eventually("its token is revoked", async () => assert.equal(await reads("/devices"), 401));

  // Files that were changed after the approval are not run.
  await router.json("PUT", "/stopPlusExtension?name=sample");
  await eventually(
    "it is stopped",
    async () => assert.equal((await router.ask("GET", "/plugins/sample/")).status, 404),
  );
  const code = `${router.home}/state/plugind/code/${second.hash}/main.ts`;
  await eventually(
    "its process is gone",
    () => assert.rejects(Deno.lstat(`${router.home}/state/plugind/run/sample/socket`)),
  );
  await Deno.writeTextFile(code, "// changed");
  await router.json("PUT", "/startPlusExtension?name=sample");
  await eventually("it is refused", async () => {
    const { items } = await router.json<{ items: { state: string; detail: string }[] }>(
      "GET",
      "/plugin/status",
    );
    assert.equal(items[0]!.state, "down");
    assert.match(items[0]!.detail, /not those that were approved/);
  });
  const rest = await router.json<Plugin[]>("DELETE", "/plugins_api/sample");
  assert.ok(!rest.some(({ Name }) => Name === "sample"));
  assert.equal((await router.ask("GET", "/plugins/sample/")).status, 404);
  const again = await router.ask("PUT", "/plugin/install", {
    body: { hash: "0".repeat(64) },
    headers,
  });
  assert.equal(again.status, 404, "what was not reviewed is not installed");
});

/** How the sample runs, as the API says. */
async function running(
  router: TestRouter,
): Promise<{ state: string; detail: string; restarts: number; memory: number }> {
  const { items } = await router.json<
    { items: { state: string; detail: string; restarts: number; memory: number }[] }
  >("GET", "/plugin/status");
  return items[0]!;
}

Deno.test("a plugin that takes too much memory is ended, and starts again after a while", async () => {
  await using set = await stage();
  const { router, lines } = set;
  // Beside the heap of V8, which its own limit would hold.
  const hog = `
    const [socket] = Deno.args;
    const taken = [];
    const timer = setInterval(() => {
      taken.push(new Uint8Array(32 << 20).fill(1));
      if (taken.length > 12) clearInterval(timer);
    }, 20);
    Deno.serve({ path: socket }, () => new Response("here"));`;
  await set.install({ "main.ts": hog });
  await eventually("it is ended", async () => {
    const { detail, restarts } = await running(router);
    assert.match(detail, /^It was ended: it held \d+ MiB$/);
    assert.ok(restarts >= 1);
  });
  assert.ok(lines.some((one) => /plugin:sample.*plugin\.memory/.test(one)));
  await eventually("it runs again", async () => {
    assert.equal((await running(router)).state, "running");
    assert.equal(await call(router, "/"), "here");
  });
});

Deno.test("a plugin that ends by itself waits longer each time, and holds up no other", async () => {
  await using set = await stage();
  const { router } = set;
  await set.install({ "main.ts": "Deno.exit(3);" });
  await eventually("it was started four times", async () => {
    assert.ok((await running(router)).restarts >= 4);
  });
  const { state, restarts } = await running(router);
  assert.ok(["waiting", "running"].includes(state));
  // 0.2 s, doubling: the fifth wait alone is longer than three seconds.
  assert.ok(restarts <= 6, `${restarts} restarts`);
  const answer = await router.ask("GET", "/plugins/sample/");
  await answer.text();
  assert.ok([502, 503].includes(answer.status));
});

Deno.test("hostile sources are refused before anything of them is run", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const review = async (body: object) => {
    const answer = await router.ask("PUT", "/plugin/review", { body, headers });
    await answer.text();
    return answer.status;
  };
  for (
    const GitURL of [
      ...["file:///etc/passwd", "--upload-pack=touch x", "ssh://-oProxyCommand=x/y", "git@h:x"],
      ...["ext::sh -c id", "http://h/x", "https://u:p@h/x", "https://h/--x", "https://h/../x"],
    ]
  ) {
    assert.equal(await review({ GitURL }), 400, GitURL);
    for (const path of ["/plugin/download_info", "/plugin/install_user_url"]) {
      const answer = await router.ask("PUT", path, { body: GitURL, headers });
      assert.equal(answer.status, 400, GitURL);
    }
  }
  const failures: unknown[] = [];
  router.bus.subscribe(({ data }) => failures.push(data), ["plugin:download:failure"]);
  const GitURL = "https://git.example/me/sample";
  assert.ok(await review({ GitURL }) >= 500, "plugind, which would fetch it, does not run");
  assert.equal((failures[0] as { GitURL: string }).GitURL, GitURL);
  const bomb = (await gzip(new Uint8Array(32 << 20))).toBase64();
  assert.equal(await review({ Archive: bomb }), 413);
  assert.equal(await review({ Archive: "!" }), 400);
  assert.equal(await review({ Archive: btoa("no archive") }), 400);
  for (const Folder of ["..", "../x", "/etc", "-x", ".hidden", "a/b"]) {
    assert.equal(await review({ Folder }), 400, Folder);
  }
  assert.equal(await review({ Folder: "none" }), 404);
  assert.equal(await review({}), 400);
  assert.equal(await review({ Folder: "a", GitURL: "https://h/x" }), 400);
  const incoming = `${router.home}/state/plugind/incoming/linked`;
  await Deno.mkdir(incoming, { recursive: true });
  await Deno.symlink("/etc/passwd", `${incoming}/main.ts`);
  assert.equal(await review({ Folder: "linked" }), 400);
});
