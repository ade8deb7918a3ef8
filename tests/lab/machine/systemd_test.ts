import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { copyProgram } from "../../kit/systemd/installed_program.ts";
import { MACHINE } from "../../kit/systemd/installed_router.ts";
import { must } from "../../kit/lab/command.ts";
import { runUnderSystemd, systemdUnavailable } from "../../kit/systemd/systemd_machine.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Run one after the other, each where the one before it was cut off. */
const BOOTS = ["first_boot", "second_boot"];

/**
 * Deno's cache inside. That of this machine, which others write to at the same time, may not lie below
 * the overlay: its database would be read in two states at once, and V8 ends at compiled code that is torn.
 */
const DENO_DIR = "/opt/deno";
/** Folders that the machine has of its own. */
const OWN_FOLDERS = ["/tmp/", "/run/", "/dev/", "/proc/", "/sys/"];

const lacking = await systemdUnavailable();

Deno.test({
  name: "an installed router works under systemd as under its launcher" +
    (lacking === null ? "" : ` (left out: ${lacking})`),
  ignore: lacking !== null,
  async fn(t) {
    // Memory: what is written must not lie on the disk that it covers.
    const folder = await Deno.makeTempDir({ dir: "/dev/shm", prefix: "sluice-systemd-" });
    try {
      const binds = {
        ...await copyProgram(ROOT, `${folder}/program`),
        ...await bindHidden(ROOT.slice(0, -1)),
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
              DENO_DIR,
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

/** Binds for a folder that is not below the machine: on another disk than `/`, or where that has its own. */
async function bindHidden(path: string): Promise<Readonly<Record<string, string>>> {
  const elsewhere = (await Deno.stat(path)).dev !== (await Deno.stat("/")).dev;
  return elsewhere || OWN_FOLDERS.some((own) => path.startsWith(own)) ? { [path]: path } : {};
}
