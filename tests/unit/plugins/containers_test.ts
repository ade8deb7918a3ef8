import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { openLog } from "../../../system/core/log/log.ts";
import { PluginContainers } from "../../../system/plugins/containers.ts";
import { configWith } from "../../kit/builders/device_config.ts";
import { Plugin } from "../../../system/plugins/schema.ts";

Deno.test("containers of a plugin that do not start or stop are published with why", async () => {
  const ComposeFilePath = "plugins/user/sample/docker-compose.yml";
  const config = (Enabled: boolean) => {
    const base = configWith();
    const plugin = Plugin.parse({ Name: "sample", Enabled, ComposeFilePath });
    return { ...base, plugins: { ...base.plugins, Plugins: [plugin] } };
  };
  let current = config(false);
  const bus = new Bus(), published: unknown[] = [];
  bus.subscribe(({ topic, data }) => published.push([topic, data]));
  const isBusy = () => Promise.reject(new Error("The engine is busy"));
  const containers = new PluginContainers({
    home: "/nonexistent",
    config: () => current,
    machine: () => ({
      actOnContainers: isBusy,
      deployContainers: isBusy,
      removeContainers: isBusy,
      checkRegistryLogin: isBusy,
    }),
    log: openLog({ process: "test", human: false, write: () => {} }),
    bus,
  });
  for (const enabled of [true, false]) {
    current = config(enabled);
    await containers.sync();
  }
  const event = (act: string) => ["plugin:docker:failure", {
    Reason: `Containers of a plugin did not ${act}`,
    ...{ Message: "The engine is busy", ComposeFile: ComposeFilePath },
  }];
  assert.deepEqual(published, [event("start"), event("stop")]);
});

const FILE = "plugins/user/sample/docker-compose.yml";

/** Containers of one plugin, whose acts are recorded and wait until they are let go. */
function recorded() {
  const base = configWith();
  const acts: string[] = [], waiting: (() => void)[] = [];
  const stage = { isOn: false, isWaiting: false, fault: null as Error | null };
  const config = () => ({
    ...base,
    plugins: {
      ...base.plugins,
      Plugins: [Plugin.parse({ Name: "sample", Enabled: stage.isOn, ComposeFilePath: FILE })],
    },
  });
  const act = async (name: string) => {
    acts.push(name);
    if (stage.isWaiting) await new Promise<void>((resolve) => waiting.push(resolve));
    if (stage.fault !== null) throw stage.fault;
    return 1;
  };
  const containers = new PluginContainers({
    ...{ home: "/nonexistent", config, bus: new Bus() },
    machine: () => ({
      actOnContainers: act,
      deployContainers: () => Promise.reject(new Error("none")),
      removeContainers: () => act("remove"),
      checkRegistryLogin: () => Promise.resolve(true),
    }),
    log: openLog({ process: "test", human: false, write: () => {} }),
  });
  return { acts, waiting, stage, containers };
}

Deno.test("a plugin that is turned off while it waits for its turn is not started", async () => {
  const { acts, waiting, stage, containers } = recorded();
  const plugin = { Name: "sample", ComposeFilePath: FILE };
  await assert.rejects(containers.start(plugin), /turned off/);
  Object.assign(stage, { isOn: true, isWaiting: true });
  const first = containers.restart(plugin), second = containers.start(plugin);
  const third = containers.update(plugin);
  await new Promise((resolve) => setTimeout(resolve, 0));
  Object.assign(stage, { isOn: false, isWaiting: false });
  waiting.shift()!();
  await first;
  await assert.rejects(second, /turned off/);
  await assert.rejects(third, /turned off/);
  assert.deepEqual(acts, ["restart"]);
});

Deno.test("what did not start or stop is tried again at the next look, and only that", async () => {
  const { acts, stage, containers } = recorded();
  Object.assign(stage, { isOn: true, fault: new Error("The engine is busy") });
  await containers.sync();
  stage.fault = null;
  await containers.sync();
  await containers.sync();
  assert.deepEqual(acts, ["start", "start"]);
  Object.assign(stage, { isOn: false, fault: new Error("The engine is busy") });
  await containers.sync();
  stage.fault = null;
  await containers.sync();
  await containers.sync();
  assert.deepEqual(acts.slice(2), ["stop", "stop"]);
});
