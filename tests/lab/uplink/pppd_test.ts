import assert from "node:assert/strict";
import { eventually } from "../../kit/lab/bed.ts";
import { disconnectPppd, pppdArgs, pppdRunning } from "../../../system/host/tools/pppd.ts";

/** A program of the name pppd that stays until it is ended. */
async function stand(work: (program: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-pppd-" });
  const program = `${folder}/pppd`;
  try {
    await Deno.writeTextFile(program, "#!/bin/sh\nwhile :; do sleep 0.1; done\n");
    await Deno.chmod(program, 0o755);
    await Deno.chmod(folder, 0o755);
    await work(program, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function start(program: string, args: readonly string[], uid?: number): Deno.ChildProcess {
  const ends = { stdin: "null", stdout: "null", stderr: "null" } as const;
  const who = uid === undefined ? {} : { uid };
  return new Deno.Command(program, { args: [...args], ...ends, ...who }).spawn();
}

async function end(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended already.
  }
  await child.status;
}

Deno.test("a running pppd is found by its account's file, whatever the path", () =>
  stand(async (program, folder) => {
    const files = ["plain", "two  blanks", "file  twice", "bücher", "a\tb", "peers/provider_wan1"]
      .map((name) => `${folder}/${name}`);
    const children = files.map((file) => start(program, pppdArgs(file)));
    const foreign = start(program, ["file", `${folder}/other`]);
    try {
      for (const [at, file] of files.entries()) {
        await eventually(`${file} is found`, async () => {
          return await pppdRunning(file) === children[at]!.pid;
        });
      }
      assert.equal(await pppdRunning(`${folder}/two blanks`), null);
      assert.equal(await pppdRunning(`${folder}/provider_wan1`), null);
      assert.equal(await pppdRunning(`${folder}/other`), null, "it was not started by us");
      await disconnectPppd(files[1]!);
      await children[1]!.status;
      assert.equal(await pppdRunning(files[1]!), null);
      await disconnectPppd(files[1]!);
      for (const at of [0, 2, 3, 4, 5]) {
        assert.equal(await pppdRunning(files[at]!), children[at]!.pid, "others go on");
      }
    } finally {
      for (const child of [...children, foreign]) await end(child);
    }
  }));

Deno.test("a foreign process called pppd is neither taken for ours nor ended", () =>
  stand(async (program, folder) => {
    const file = `${folder}/peers`;
    const foreign = start(program, pppdArgs(file), 65_534);
    try {
      await new Promise((go) => setTimeout(go, 200));
      assert.equal(await pppdRunning(file), null);
      await disconnectPppd(file);
      const ended = await Promise.race([
        foreign.status.then(() => true),
        new Promise<boolean>((go) => setTimeout(() => go(false), 300)),
      ]);
      assert.equal(ended, false);
    } finally {
      await end(foreign);
    }
  }));
