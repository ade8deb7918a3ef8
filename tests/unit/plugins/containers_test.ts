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
