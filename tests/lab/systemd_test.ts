import assert from "node:assert/strict";
import { copyProgram } from "../kit/installed_program.ts";
import { MACHINE } from "../kit/installed_router.ts";
import { must } from "../kit/lab_command.ts";
import { noSystemd, runUnderSystemd } from "../kit/systemd_machine.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** Run one after the other, each where the one before it was cut off. */
const BOOTS = ["first_boot", "second_boot"];

const lacking = await noSystemd();

Deno.test({
  name: "an installed router does under systemd what it does under its launcher" +
    (lacking === null ? "" : ` (left out: ${lacking})`),
  ignore: lacking !== null,
  async fn(t) {
    // Memory: what is written must not lie on the disk that it covers.
    const folder = await Deno.makeTempDir({ dir: "/dev/shm", prefix: "sluice-systemd-" });
    try {
      const binds = {
        ...await copyProgram(ROOT, `${folder}/program`),
        ...(await isElsewhere(ROOT) ? { [ROOT.slice(0, -1)]: ROOT } : {}),
      };
      let before = true;
      for (const boot of BOOTS) {
        if (!before) break;
        before = await t.step(boot.replace("_", " "), async () => {
          const { ok, output } = await runUnderSystemd({
            command: [
              ...["/usr/local/bin/deno", "test", "-A", "--no-check", "--cached-only"],
              ...["--node-modules-dir=manual", `tests/systemd/${boot}.ts`],
            ],
            folder: ROOT,
            env: {
              PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
              HOME: "/root",
              DENO_NO_UPDATE_CHECK: "1",
              NO_COLOR: "1",
              [MACHINE]: "1",
              DENO_DIR: await denoFolder(),
            },
            binds,
            disk: `${folder}/disk`,
            seconds: 600,
          });
          assert.ok(ok, output);
        });
      }
    } finally {
      await must("rm", ["-rf", "--one-file-system", folder]);
    }
  },
});

/** Where Deno keeps what it has fetched and compiled, which serves inside as well. */
async function denoFolder(): Promise<string> {
  return JSON.parse(await must(Deno.execPath(), ["info", "--json"])).denoDir;
}

/** True for what lies on another disk than `/`, so that it is not below the machine. */
async function isElsewhere(path: string): Promise<boolean> {
  return (await Deno.stat(path)).dev !== (await Deno.stat("/")).dev;
}
