import assert from "node:assert/strict";
import type { ContainerPlan } from "../../../system/core/machine/container_plan.ts";
import { deployContainers, type DeployHost } from "../../../system/host/containers/deploy.ts";
import { actOnContainers } from "../../../system/host/containers/engine.ts";
import { startEngine, type TestEngine } from "../../kit/plugins/engine.ts";
import { inFolder } from "../../kit/process.ts";

const OPTIONS = { pull: true, force: false, login: null };

function planOf(...names: readonly string[]): ContainerPlan {
  return {
    ...{ plugin: "sample", composeFile: "sample.yml" },
    containers: names.map((name) => ({
      ...{ service: name, name, image: `${name}:1`, environment: [], labels: {} },
      ...{ network: "none", restart: "always" },
      mounts: [{ source: `state/plugins/sample/${name}`, target: "/data", readOnly: false }],
    })),
  };
}

interface Stage {
  readonly engine: TestEngine;
  readonly host: DeployHost & { readonly privateState: string };
  readonly warnings: string[];
  /** The containers, as `name image runs`. */
  shown(): readonly string[];
}

async function withStage(work: (stage: Stage) => Promise<void>): Promise<void> {
  await inFolder(async (home) => {
    await using engine = startEngine(home);
    for (const name of ["a", "b"]) engine.registry.set(`${name}:1`, "sha256:one");
    const privateState = `${home}/private`, warnings: string[] = [];
    await Deno.mkdir(privateState, { mode: 0o700 });
    await Deno.mkdir(`${home}/state/net`, { recursive: true, mode: 0o750 });
    const log = { warn: (_: string, text: string) => void warnings.push(text) };
    await work({
      ...{ engine, warnings },
      host: { home, privateState, socket: engine.socket, settleMs: 5, log },
      shown: () =>
        engine.containers.map(({ name, imageId, running }) =>
          `${name} ${imageId.slice(7)} ${running ? "runs" : "is still"}`
        ),
    });
  });
}

Deno.test("every container of a plugin is stopped before its folders are looked at", async () => {
  await withStage(async ({ engine, host, shown }) => {
    await deployContainers(planOf("a", "b"), OPTIONS, host);
    engine.registry.set("a:1", "sha256:two");
    // A folder that is a link by the time that nothing runs any more.
    await Deno.remove(`${host.privateState}/containers/sample/b`);
    await Deno.symlink("/", `${host.privateState}/containers/sample/b`);
    const from = engine.requests.length;
    await assert.rejects(
      deployContainers(planOf("a", "b"), OPTIONS, host),
      /sample\/b is reached by a link.*Those before run again/,
    );
    const acts = engine.requests.slice(from).filter((one) => /stop|create\?name/.test(one));
    assert.equal(acts.filter((one) => one.includes("/stop")).length, 2);
    assert.equal(acts.some((one) => one.includes("create")), false);
    assert.deepEqual(shown(), ["a one runs", "b one runs"]);
  });
});

Deno.test("an old container that cannot be removed undoes nothing, and is removed the next time", async () => {
  await withStage(async ({ engine, host, warnings, shown }) => {
    await deployContainers(planOf("a", "b"), OPTIONS, host);
    for (const name of ["a", "b"]) engine.registry.set(`${name}:1`, "sha256:two");
    const second = engine.containers[1]!.id;
    engine.refused.push((one) => one.startsWith(`DELETE /containers/${second}`));
    assert.equal((await deployContainers(planOf("a", "b"), OPTIONS, host))!.recreated, true);
    assert.deepEqual(shown(), ["b.replaced one is still", "a two runs", "b two runs"]);
    assert.deepEqual(warnings, ["An old container of b was not removed"]);
    engine.refused.pop();
    await deployContainers(planOf("a", "b"), OPTIONS, host);
    assert.deepEqual(shown(), ["a two runs", "b two runs"]);
  });
});

Deno.test("what an update set aside when it was cut off runs again, if it ran", async () => {
  const owner = planOf("a", "b");
  for (const act of ["start", "restart", "deploy"] as const) {
    await withStage(async ({ engine, host, shown }) => {
      await deployContainers(owner, OPTIONS, host);
      const [a, b] = engine.containers;
      // Netd ended after it had stopped the first and while it made its successor.
      Object.assign(a!, { name: "a.before", running: false });
      Object.assign(b!, { name: "b.before-still", running: false });
      engine.images.set("a:1", "sha256:two");
      engine.containers.push({
        ...a!,
        ...{ id: "f".repeat(64), name: "a", imageId: "sha256:two" },
      });
      if (act === "deploy") {
        engine.registry.set("b:1", "sha256:two");
        engine.broken.add("sha256:two");
        await assert.rejects(deployContainers(owner, OPTIONS, host), /Those before run again/);
        assert.deepEqual(shown(), ["a one runs", "b one is still"]);
      } else {
        await actOnContainers(act, { plugin: "sample", composeFile: "sample.yml" }, host);
        assert.deepEqual(shown(), ["a one runs", "b one runs"]);
      }
    });
  }
});

Deno.test("an answer says that those before could not be put back", async () => {
  await withStage(async ({ engine, host }) => {
    await deployContainers(planOf("a"), OPTIONS, host);
    const { id } = engine.containers[0]!;
    engine.registry.set("a:1", "sha256:two");
    engine.broken.add("sha256:two");
    engine.refused.push((one) => one === `POST /containers/${id}/start`);
    await assert.rejects(
      deployContainers(planOf("a"), OPTIONS, host),
      /could not all be put back/,
    );
    engine.refused.pop();
    await actOnContainers("start", { plugin: "sample", composeFile: "sample.yml" }, host);
    assert.equal(engine.containers[0]!.running, true);
  });
});

Deno.test("without a folder that netd alone may change, containers get none", async () => {
  await withStage(async ({ engine, host, shown }) => {
    const bare = { ...host, privateState: null };
    await assert.rejects(deployContainers(planOf("a"), OPTIONS, bare), /get no folders here/);
    const [one] = planOf("a").containers;
    const plan = { ...planOf("a"), containers: [{ ...one!, mounts: [] }] };
    await deployContainers(plan, OPTIONS, bare);
    assert.deepEqual(shown(), ["a one runs"]);
    await Deno.chmod(host.privateState, 0o770);
    await assert.rejects(deployContainers(planOf("b"), OPTIONS, host), /Other programs may change/);
    assert.equal(engine.containers.length, 1);
  });
});

Deno.test("the folder of a socket is netd's, and no other program can put another there", async () => {
  await withStage(async ({ engine, host }) => {
    const [one] = planOf("a").containers;
    const source = "state/net/containers/sample";
    const plan = {
      ...planOf("a"),
      containers: [{ ...one!, mounts: [{ source, target: "/run/plugin", readOnly: false }] }],
    };
    const net = `${host.home}/state/net`;
    await Deno.chmod(net, 0o770);
    await assert.rejects(deployContainers(plan, OPTIONS, host), /Other programs may change/);
    await Deno.chmod(net, 0o3770);
    // The owner of a folder above, or a user who may write there, could put another folder in its place.
    const state = `${host.home}/state`;
    for (const above of [host.home, state]) {
      const refused = new RegExp(`Other programs may change ${above}:`);
      const { uid, gid, mode } = await Deno.stat(above);
      await Deno.chown(above, 65534, gid);
      await assert.rejects(deployContainers(plan, OPTIONS, host), refused);
      await Deno.chown(above, uid, gid);
      await Deno.chmod(above, 0o771);
      await assert.rejects(deployContainers(plan, OPTIONS, host), refused);
      await Deno.chmod(above, mode! & 0o7777);
    }
    await Deno.chmod(state, 0o1771);
    await Deno.rename(state, `${state}-moved`);
    await Deno.symlink(`${state}-moved`, state);
    await assert.rejects(
      deployContainers(plan, OPTIONS, host),
      /Other programs may change .*state:/,
    );
    await Deno.remove(state);
    await Deno.rename(`${state}-moved`, state);
    await Deno.mkdir(`${net}/containers`);
    await Deno.chown(`${net}/containers`, 65534, 65534);
    await assert.rejects(deployContainers(plan, OPTIONS, host), /made by another program/);
    await Deno.remove(`${net}/containers`);
    await deployContainers(plan, OPTIONS, host);
    const { Mounts } = engine.containers[0]!.body.HostConfig as { Mounts: { Source: string }[] };
    assert.equal(Mounts[0]!.Source, `${host.home}/${source}`);
    assert.equal(((await Deno.stat(`${host.home}/${source}`)).mode ?? 0) & 0o022, 0);
  });
});
