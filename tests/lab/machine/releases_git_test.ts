import assert from "node:assert/strict";
import type { MachineOptions } from "../../../routes/composition/machine.ts";
import { NO_PACKAGES } from "../../../routes/composition/packages.ts";
import { memoryMachine } from "../../../system/host/memory/machine.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { testRouter } from "../../kit/router.ts";

async function git(folder: string, ...args: readonly string[]): Promise<void> {
  const who = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org"];
  const { success, stderr } = await new Deno.Command("git", {
    args: ["-C", folder, ...who, ...args],
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

function boxAt(root: string): MachineOptions {
  const host = memoryHost();
  return {
    root,
    features: [],
    programs: { list: () => Promise.resolve([]), restart: () => Promise.resolve() },
    packages: NO_PACKAGES,
    machine: memoryMachine(() => host.facts()),
    journal: () => Promise.resolve(null),
    serveTls: () => Promise.resolve(),
  };
}

Deno.test("releases are the tags of a clone, oldest first", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-git-" });
  const [remote, clone] = [`${folder}/remote`, `${folder}/clone`];
  try {
    await Deno.mkdir(remote);
    await git(remote, "init", "--quiet");
    const release = async (tag: string, ...how: readonly string[]): Promise<void> => {
      await git(remote, "commit", "--quiet", "--allow-empty", "-m", tag);
      await git(remote, "tag", ...how, tag);
    };
    await release("v0.9.0");
    await release("v0.10.0-rc.1");
    await release("v0.10.0", "-a", "-m", "annotated");
    await release("sha256-x");
    await release("nightly");
    await git(folder, "clone", "--quiet", remote, clone);
    await using router = await testRouter({ machine: boxAt(clone) });
    const known = () => router.json<string[]>("GET", "/releasesAvailable?container=super_base");
    const first = ["v0.0.0", "v0.9.0", "v0.10.0-rc.1", "v0.10.0"];
    assert.deepEqual(await known(), first, "the one that runs is always among them");
    assert.deepEqual(await router.json("GET", "/releaseChannels?container=superd"), first);
    assert.deepEqual(await router.json("GET", "/releaseChannels/superd"), first);
    await release("v0.11.0");
    assert.deepEqual(await known(), first, "what was not fetched is not known");
    await git(clone, "fetch", "--quiet", "--tags");
    assert.deepEqual(await known(), [...first, "v0.11.0"]);
    await git(clone, "pack-refs", "--all");
    assert.deepEqual(await known(), [...first, "v0.11.0"], "packed or not");
    await git(clone, "tag", "-d", "v0.9.0");
    assert.ok(!(await known()).includes("v0.9.0"));
    await Deno.remove(`${clone}/.git`, { recursive: true });
    assert.deepEqual(await known(), ["v0.0.0"], "installed without its history");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
