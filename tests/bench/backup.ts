import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareHome } from "../../system/core/config/home.ts";
import { STATE_FOLDERS } from "../../system/processes.ts";
import { writeLargeHome } from "../kit/builders/large_home.ts";
import { otpOf } from "../kit/otp.ts";
import { testRouter } from "../kit/router.ts";
import { median, type Row } from "./table.ts";
import { toolStarter, ToolStarts } from "./tool_starts.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DEVICES = 1000;
const TURNS = 7;
const BESIDE = "tar and gzip";

/** A backup of 1,000 devices, and its way back as one durable change, beside packing and unpacking. */
export async function backups(): Promise<readonly Row[]> {
  const home = await Deno.makeTempDir({ prefix: "sluice-bench-backup-" });
  await prepareHome({ root: ROOT, home }, STATE_FOLDERS);
  await writeLargeHome(home, { devices: DEVICES, groups: 200 });
  await using router = await testRouter({ home });
  await using starter = await toolStarter();
  using tools = new ToolStarts(starter.folder);
  const headers = await otpOf(router);
  const made: number[] = [],
    restored: number[] = [],
    packed: number[] = [],
    unpacked: number[] = [];
  const archive = join(home, "beside.tgz"), out = join(home, "beside");
  await Deno.mkdir(out);
  for (let turn = 0; turn < TURNS; turn++) {
    let name = "";
    made.push(await timed(async () => name = await router.json("PUT", "/backup")));
    packed.push(await tools.start(["tar", "-czf", archive, "-C", home, "configs"]));
    const devices = await router.json<Record<string, { Name: string }>>("GET", "/devices");
    const renamed = Object.fromEntries(
      Object.entries(devices).map(([identity, device]) => [
        identity,
        { ...device, Name: `${device.Name} ${turn}` },
      ]),
    );
    // Passwords that are shown as stars stay what they are.
    await must(router.ask("PUT", "/devices?force=true", { body: renamed, headers }));
    restored.push(
      await timed(() =>
        changes(router.ask("PUT", `/backup/${name}/restore?force=true`, { headers }))
      ),
    );
    unpacked.push(await tools.start(["tar", "-xzf", archive, "-C", out]));
    await must(router.ask("DELETE", `/backup/${name}`, { headers }));
  }
  return [
    row("backup of 1,000 devices", median(made), median(packed)),
    row("restore of 1,000 devices, all changed", median(restored), median(unpacked)),
  ];
}

function row(what: string, ours: number, baseline: number): Row {
  return { what, unit: "ms", ours, baseline, beside: BESIDE };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function must(request: Promise<Response>): Promise<Headers> {
  const answer = await request;
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return answer.headers;
}

/** Throws where nothing was changed: then nothing was measured either. */
async function changes(request: Promise<Response>): Promise<void> {
  if (!(await must(request)).has("change-id")) throw new Error("The restore changed nothing");
}
