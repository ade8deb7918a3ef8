import assert from "node:assert/strict";
import { NO_PACKAGES } from "../../../routes/composition/packages.ts";
import { netdApp } from "../../../routes/services/netd.ts";
import { serveUnix } from "../../../system/core/ipc/unix_socket.ts";
import { linuxMachine } from "../../../system/host/kernel/machine.ts";
import { netdMachine } from "../../../system/host/kernel/netd_machine.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { eventually } from "../../kit/eventually.ts";
import { otpOf } from "../../kit/otp.ts";
import { startEngine, type TestEngine } from "../../kit/plugins/engine.ts";
import { inFolder } from "../../kit/process.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const FILE = "plugins/user/sample/docker-compose.yml";
const IMAGE = "ghcr.io/me/sample:1";
const COMPOSE = `services:
  web:
    image: ${IMAGE}
    environment: [LEVEL=3]
    volumes: ["/state/plugins/sample/data:/data:ro"]
`;

interface Stage {
  readonly router: TestRouter;
  readonly engine: TestEngine;
  /** The folder of netd alone. */
  readonly privateState: string;
  readonly headers: Record<string, string>;
  /** Lets requests to the engine with this text wait until the returned function is called. */
  hold(text: string): () => void;
  /** The socket of netd. */
  readonly netd: string;
  compose(text: string): Promise<void>;
  turn(Enabled: boolean): Promise<void>;
  /** A request on the supervisor's socket: its status, and what it says. */
  superd(method: string, path: string, body?: unknown): Promise<readonly [number, string]>;
}

/** A router whose netd speaks to an engine, and the plugin `sample` with a compose file. */
async function withStage(work: (stage: Stage) => Promise<void>): Promise<void> {
  await inFolder(async (home) => {
    await Deno.mkdir(`${home}/configs/base`, { recursive: true });
    await Deno.writeTextFile(
      `${home}/configs/base/custom_compose_paths.json`,
      JSON.stringify([FILE]),
    );
    const folder = await Deno.makeTempDir({ prefix: "sluice-engine-" });
    await using engine = startEngine(folder);
    engine.registry.set(IMAGE, "sha256:one");
    const netd = `${folder}/netd.sock`, privateState = `${folder}/private`;
    await Deno.mkdir(privateState, { mode: 0o700 });
    const app = netdApp(memoryHost(), {
      machine: linuxMachine({ home, privateState, socket: engine.socket, settleMs: 20 }),
    });
    const server = await serveUnix(netd, (request) => app.fetch(request));
    const host = Object.defineProperty(memoryHost(), "kind", { value: "linux" });
    const release = Promise.withResolvers<void>();
    const router = await testRouter({
      ...{ host, home },
      machine: {
        ...{ root: "/nowhere", features: [], packages: NO_PACKAGES },
        programs: { list: () => Promise.resolve([]), restart: () => Promise.resolve() },
        machine: netdMachine(netd),
        journal: () => Promise.resolve(null),
        serveTls: () => Promise.resolve(),
      },
    });
    try {
      const headers = await otpOf(router);
      await work({
        ...{ router, engine, headers, privateState, netd },
        hold(text) {
          const held = Promise.withResolvers<void>();
          const until = Promise.race([held.promise, release.promise]);
          engine.hold = (request) => request.includes(text) ? until : null;
          return held.resolve;
        },
        async compose(text) {
          await Deno.mkdir(`${home}/configs/compose/plugins/user/sample`, { recursive: true });
          await Deno.writeTextFile(`${home}/configs/compose/${FILE}`, text);
        },
        async turn(Enabled) {
          const body = { Name: "sample", Enabled, ComposeFilePath: FILE };
          await router.json("PUT", "/plugins_api/sample", { body, headers });
        },
        async superd(method, path, body) {
          const response = await router.inside("superd", method, path, body);
          return [response.status, await response.text()];
        },
      });
    } finally {
      // Whatever a failed test still holds.
      release.resolve();
      await router.close();
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

const UPDATE = `/update_container?compose_file=${FILE}`;

/** Waits until the containers of the engine are these, by name, image and whether they run. */
async function has(engine: TestEngine, expected: readonly string[]): Promise<void> {
  await eventually("the engine has the containers", () => {
    const found = engine.containers.map(({ name, imageId, running }) =>
      `${name} ${imageId.slice(7)} ${running ? "runs" : "is still"}`
    );
    assert.deepEqual(found, expected);
  });
}

Deno.test("containers are made as their plugin is turned on, with no more rights than they need", async () => {
  await withStage(async ({ router, engine, privateState, compose, turn }) => {
    await compose(COMPOSE);
    await turn(true);
    await has(engine, ["sample-web one runs"]);
    const { HostConfig, Env, Labels, ...body } = engine.containers[0]!.body;
    assert.deepEqual(body, { Image: IMAGE });
    assert.deepEqual(Env, ["LEVEL=3"]);
    assert.equal(Labels["com.docker.compose.service"], "web");
    assert.deepEqual(HostConfig, {
      Mounts: [{
        ...{ Type: "bind", Source: `${privateState}/containers/sample/data` },
        ...{ Target: "/data", ReadOnly: true },
      }],
      ...{ NetworkMode: "none", RestartPolicy: { Name: "unless-stopped" }, Privileged: false },
      ...{ CapDrop: ["MKNOD", "NET_RAW"], SecurityOpt: ["no-new-privileges"], PidsLimit: 512 },
      LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "2" } },
    });
    assert.equal((await Deno.stat(`${privateState}/containers/sample/data`)).isDirectory, true);
    await turn(false);
    await has(engine, ["sample-web one is still"]);
    await turn(true);
    await has(engine, ["sample-web one runs"]);
    const made = engine.requests.filter((one) => one.startsWith("POST /containers/create"));
    assert.equal(made.length, 1, "they are started again, not made anew");
    await router.json("DELETE", "/plugins_api/sample");
    await has(engine, []);
  });
});

Deno.test("an update makes containers anew where the image or the file has changed, and only then", async () => {
  await withStage(async ({ router, engine, compose, turn, superd }) => {
    await compose(COMPOSE);
    await turn(true);
    await has(engine, ["sample-web one runs"]);
    const update = () => router.json("PUT", "/plugins_api/sample/update_container");
    assert.deepEqual(await update(), { Updated: false, GitUpdated: false, ImageUpdated: false });
    const [first] = engine.containers;
    engine.registry.set(IMAGE, "sha256:two");
    assert.deepEqual(await update(), { Updated: true, GitUpdated: false, ImageUpdated: true });
    await has(engine, ["sample-web two runs"]);
    assert.notEqual(engine.containers[0]!.id, first!.id);
    await compose(COMPOSE.replace("LEVEL=3", "LEVEL=4"));
    assert.deepEqual(await superd("PUT", UPDATE), [200, '{"Updated":true}\n']);
    assert.deepEqual(engine.containers[0]!.body.Env, ["LEVEL=4"]);
    assert.deepEqual(await superd("PUT", UPDATE), [200, '{"Updated":false}\n']);
    assert.deepEqual(await superd("PUT", `${UPDATE}&force=1`), [200, '{"Updated":true}\n']);
    await compose(COMPOSE.replace("  web:", "  other:"));
    assert.deepEqual(await superd("PUT", UPDATE), [200, '{"Updated":true}\n']);
    await has(engine, ["sample-other two runs"]);
  });
});

Deno.test("where the new container does not stay up, the one before runs again", async () => {
  await withStage(async ({ router, engine, compose, turn, superd }) => {
    await compose(COMPOSE);
    await turn(true);
    await has(engine, ["sample-web one runs"]);
    const before = engine.containers[0]!.id;
    engine.registry.set(IMAGE, "sha256:two");
    engine.broken.add("sha256:two");
    const [status, text] = await superd("PUT", UPDATE);
    assert.equal(status, 502);
    assert.match(text, /sample-web ended at once with status 7\. Those before run again/);
    await has(engine, ["sample-web one runs"]);
    assert.equal(engine.containers[0]!.id, before);
    // The engine failed between the two: what was kept is put back first.
    engine.containers[0]!.name = "sample-web.before";
    engine.broken.clear();
    assert.deepEqual(await superd("PUT", UPDATE), [200, '{"Updated":true}\n']);
    await has(engine, ["sample-web two runs"]);
    engine.registry.delete(IMAGE);
    const missing = await superd("PUT", UPDATE);
    assert.equal(missing[0], 502);
    assert.match(missing[1], /cannot be fetched: no such manifest/);
    await has(engine, ["sample-web two runs"]);
    await router.json("DELETE", "/plugins_api/sample");
    await has(engine, []);
  });
});

Deno.test("links in place of the compose file or of a folder are not followed", async () => {
  await withStage(async ({ router, engine, privateState, compose, turn, superd }) => {
    const { home } = router, outside = `${home}/outside`;
    await Deno.mkdir(outside);
    await Deno.mkdir(`${privateState}/containers/sample`, { recursive: true });
    await Deno.symlink(outside, `${privateState}/containers/sample/data`);
    await compose(COMPOSE);
    await turn(true);
    const [status, text] = await superd("PUT", `/start?compose_file=${FILE}`);
    assert.deepEqual([status, engine.containers.length], [409, 0]);
    assert.match(text, /\/state\/plugins\/sample\/data is reached by a link/);
    const { items: [state] } = await router.json<{ items: readonly { detail: string }[] }>(
      "GET",
      "/plugin/status",
    );
    assert.match(state!.detail, /reached by a link/);
    await Deno.remove(`${privateState}/containers/sample/data`);
    await Deno.remove(`${home}/configs/compose/plugins`, { recursive: true });
    await Deno.writeTextFile(`${outside}/docker-compose.yml`, COMPOSE);
    await Deno.mkdir(`${home}/configs/compose/plugins/user`, { recursive: true });
    await Deno.symlink(outside, `${home}/configs/compose/plugins/user/sample`);
    const linked = await superd("PUT", `/start?compose_file=${FILE}`);
    assert.equal(linked[0], 400);
    assert.match(linked[1], /reached by a link/);
  });
});

Deno.test("the supervisor's socket acts on compose files of plugins alone, and says why on the rest", async () => {
  await withStage(async ({ router, engine, headers, compose, turn, superd }) => {
    const target = `?compose_file=${FILE}`;
    assert.equal((await superd("PUT", `/start${target}`))[0], 404, "no plugin names it yet");
    await turn(true);
    const none = await superd("PUT", `/start${target}`);
    assert.deepEqual([none[0], /no compose file configs\/compose/.test(none[1])], [404, true]);
    await compose(COMPOSE);
    assert.deepEqual(await superd("PUT", `/start${target}&service=web`), [200, ""]);
    await has(engine, ["sample-web one runs"]);
    assert.equal((await superd("PUT", `/start${target}&service=other`))[0], 404);
    const line = JSON.stringify({ Name: "sample-web", Service: "web", State: "running" });
    assert.deepEqual(await superd("GET", `/docker_ps${target}`), [
      200,
      `${JSON.stringify(line)}\n`,
    ]);
    const [, listed] = await superd("GET", "/docker_info?resource=containers");
    assert.equal(JSON.parse(listed)[0].Names[0], "/sample-web");
    assert.equal((await superd("GET", "/docker_info?resource=networks&id=x"))[0], 404);
    assert.equal((await superd("GET", "/docker_info?resource=volumes"))[0], 400);
    for (const act of ["stop", "restart", "update", "down"]) {
      assert.deepEqual(await superd("PUT", `/${act}${target}`), [200, ""], act);
    }
    await has(engine, []);
    assert.deepEqual(await superd("PUT", `/restart${target}`), [200, ""]);
    assert.deepEqual(await superd("PUT", `/remove${target}`), [200, ""]);
    await has(engine, []);
    const [, paths] = await superd("GET", "/compose_paths");
    assert.ok(JSON.parse(paths).includes(FILE));
    for (const file of ["../x.yml", "/etc/x.yml", "-f.yml", "a/../b.yml", "a.yml%00", "x.sh"]) {
      assert.equal((await superd("PUT", `/start?compose_file=${file}`))[0], 400, file);
    }
    for (const service of ["--privileged", "a/b", "a%20b", "a%0ab"]) {
      assert.equal((await superd("PUT", `/start${target}&service=${service}`))[0], 400, service);
    }
    assert.equal((await superd("PUT", "/stop?service=dns"))[0], 400);
    assert.equal((await superd("PUT", "/restart"))[0], 200);
    // What is permitted no more is not made any more.
    await router.ask("PUT", "/plugin/custom_compose_paths", { body: [], headers });
    assert.equal((await superd("PUT", `/start${target}`))[0], 403);
    for (
      const [method, path] of [
        ...[["PUT", "/build"], ["PUT", "/update_git"], ["PUT", "/switch_plugin_runtime"]],
        ...[["GET", "/attest_status"], ["PUT", "/authorizedKeys"], ["DELETE", "/release"]],
      ] as const
    ) {
      const [status, text] = await superd(method, path);
      assert.equal(status, 501, path);
      assert.ok(JSON.parse(text).detail.length > 20);
    }
    const runtime = async (name: string) =>
      JSON.parse((await superd("GET", `/plugin_runtime_status?runtime=${name}`))[1]);
    assert.equal((await runtime("kvm")).Ready, false);
    assert.deepEqual(JSON.parse((await superd("POST", "/remote_container_tags?container=x"))[1]), {
      tags: ["v0.0.0"],
    });
    assert.equal((await superd("GET", "/user_plugin_exists?git_url=https://a.example/b"))[0], 404);
  });
});

Deno.test("credentials of the registry are checked, kept from others, and sent with its images alone", async () => {
  await withStage(async ({ router, engine, compose, turn, superd }) => {
    engine.registry.set("nginx:latest", "sha256:nginx");
    await compose(`${COMPOSE}  other:\n    image: nginx\n`);
    const bad = await superd("PUT", "/ghcr_auth", { Username: "me", Secret: "wrong" });
    assert.equal(bad[0], 400);
    for (const Secret of ["a b", "a\nb", "$(x)", "-"]) {
      assert.equal((await superd("PUT", "/ghcr_auth", { Username: "me", Secret }))[0], 400);
    }
    const login = { Username: "me", Secret: engine.secret };
    assert.deepEqual(await superd("PUT", "/ghcr_auth", login), [200, ""]);
    const { mode } = await Deno.stat(`${router.home}/state/api/registry_login.json`);
    assert.equal(mode! & 0o077, 0);
    await turn(true);
    await has(engine, ["sample-web one runs", "sample-other nginx runs"]);
    const [ours, others] = engine.logins;
    assert.deepEqual(
      JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(ours!, { alphabet: "base64url" }))),
      { username: "me", password: engine.secret, serveraddress: "ghcr.io" },
    );
    assert.equal(others, null);
  });
});

Deno.test("containers of others are left alone, whatever file they were made of", async () => {
  await withStage(async ({ router, engine, compose, turn, superd }) => {
    engine.images.set(IMAGE, "sha256:one");
    const path = `${router.home}/configs/compose/${FILE}`;
    const label = "com.docker.compose.project.config_files";
    const rows = [
      { [label]: `/home/spr/${FILE}` },
      { [label]: path },
      { [label]: path, "sluice.plugin": "other" },
      { [label]: `${router.home}/configs/compose/x/${FILE}`, "sluice.plugin": "sample" },
    ];
    for (const [n, Labels] of rows.entries()) {
      engine.containers.push({
        ...{ id: `c${n}`.repeat(32), name: `foreign-${n}`, image: IMAGE, imageId: "sha256:one" },
        ...{ running: true, body: { Image: IMAGE, Env: [], HostConfig: {}, Labels } },
      });
    }
    const foreign = rows.map((_, n) => `foreign-${n} one runs`);
    await compose(COMPOSE);
    await turn(true);
    await has(engine, [...foreign, "sample-web one runs"]);
    assert.equal((await superd("PUT", `${UPDATE}&force=1`))[0], 200);
    await turn(false);
    await has(engine, [...foreign, "sample-web one is still"]);
    await router.json("DELETE", "/plugins_api/sample");
    await has(engine, foreign);
  });
});

Deno.test("an image that takes long holds up its own plugin alone, and what comes later is done later", async () => {
  await withStage(async ({ router, engine, headers, hold, compose, turn }) => {
    const release = hold("fromImage=ghcr.io%2Fme%2Fsample");
    engine.registry.set("other:1", "sha256:other");
    await compose(COMPOSE);
    await turn(true);
    const pulls = () => engine.requests.filter((one) => one.includes("fromImage")).length;
    await eventually("it is being fetched", () => assert.equal(pulls(), 1));
    // Another plugin of the same file has containers of its own.
    const folder = `${router.home}/configs/compose/plugins/user/other`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(
      `${folder}/docker-compose.yml`,
      "services: {web: {image: 'other:1'}}\n",
    );
    const other = "plugins/user/other/docker-compose.yml";
    await router.ask("PUT", "/plugin/custom_compose_paths", { body: [FILE, other], headers });
    await router.json("PUT", "/plugins_api/other", {
      body: { Name: "other", Enabled: true, ComposeFilePath: other },
      headers,
    });
    await has(engine, ["other-web other runs"]);
    // The plugin is turned off while its image is on its way.
    await turn(false);
    release();
    await has(engine, ["other-web other runs", "sample-web one is still"]);
    // And removed while its first containers are being made.
    await router.json("DELETE", "/plugins_api/sample");
    await has(engine, ["other-web other runs"]);
    engine.images.clear();
    const again = hold("fromImage=ghcr.io%2Fme%2Fsample");
    await turn(true);
    await eventually("it is being fetched again", () => assert.equal(pulls(), 3));
    await router.json("DELETE", "/plugins_api/sample");
    again();
    await eventually("they were made", () => {
      const made = engine.requests.filter((one) => one.startsWith("POST /containers/create"));
      assert.equal(made.length, 3);
    });
    await has(engine, ["other-web other runs"]);
  });
});

Deno.test("netd does one thing at a time for a plugin, also for an api that was restarted meanwhile", async () => {
  await withStage(async ({ engine, compose, hold, turn, netd, router }) => {
    await compose(COMPOSE);
    await turn(true);
    await has(engine, ["sample-web one runs"]);
    engine.registry.set(IMAGE, "sha256:two");
    const release = hold("fromImage");
    const update = router.json("PUT", "/plugins_api/sample/update_container");
    const count = (text: string) => engine.requests.filter((one) => one.includes(text)).length;
    await eventually("it is being fetched", () => assert.equal(count("fromImage"), 2));
    const owner = { plugin: "sample", composeFile: FILE };
    const stop = netdMachine(netd).actOnContainers("stop", owner);
    assert.equal(await netdMachine(netd).actOnContainers("stop", { ...owner, plugin: "other" }), 0);
    assert.equal(count("/stop"), 0);
    release();
    await update;
    assert.equal(await stop, 1);
    await has(engine, ["sample-web two is still"]);
  });
});
