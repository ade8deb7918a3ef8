import { fileURLToPath } from "node:url";
import { BLOCKED_TABLE, renderBlocked } from "../../../system/core/kernel/nft/blocked_text.ts";
import { must } from "../../kit/lab/command.ts";
import { buildLab } from "../../kit/lab/lab.ts";
import { LAB_PASSWORD, startRouter } from "../../kit/lab/router.ts";
import { writeLargeHome } from "../../kit/builders/large_home.ts";
import { answered, inFolder, startProgram, until } from "../../kit/process.ts";
import { blockedRanges } from "../blocked.ts";
import { nftBaseline } from "./nft_baseline.ts";
import { median, quantile, type Row } from "../table.ts";

const SIZES = [10, 100, 1000];
/** Blocked ranges that are loaded beside the rules. */
const RANGES = 300_000;
/** Writes of each size; the median is what counts. */
const WRITES = 60;
const GROUPS = 20;
/** Downlink of the lab's only client. */
const LINK = "cl-a";
/** Ratios aimed at: of the medians, of the slowest twentieth, and from the least to the most devices. */
const AIM = 1, SLOW_AIM = 2, GROWTH_AIM = 1.3;

interface Target {
  readonly home: string;
  readonly identities: readonly string[];
  /** Rules of others that are loaded beside ours. */
  readonly others?: string | undefined;
}

/** Milliseconds of each write, and of starting nft between two of them. */
interface Measured {
  readonly writes: readonly number[];
  readonly starts: readonly number[];
}

/** A durable policy write on the model of the kernel, beside starting nft once with its delta. */
export async function writesOnModel(): Promise<readonly Row[]> {
  return await ofEachSize("model", SIZES, async (target) => {
    await using program = startProgram({
      home: target.home,
      environment: { SLUICE_ADMIN_PASSWORD: LAB_PASSWORD },
    });
    await (await answered(program)).body?.cancel();
    return await measure(
      target,
      program.url.replace("http://", ""),
      (args) => must(Deno.execPath(), args),
    );
  });
}

/** A durable policy write in a namespace of the real kernel, beside starting nft once. */
export async function writesOnKernel(): Promise<readonly Row[]> {
  const beside = blockedTable(RANGES);
  return [
    ...await ofEachSize("kernel", SIZES, (target) => onKernel(target)),
    ...await ofEachSize(
      "kernel + 300 k blocked ranges",
      [1000],
      (target) => onKernel(target, beside),
    ),
  ];
}

async function onKernel(target: Target, others?: string): Promise<Measured> {
  const lab = await buildLab({ clients: 1, name: "bench" });
  try {
    const router = await startRouter(lab, { home: target.home });
    try {
      await until(
        "the network is applied",
        async () => (await router.api("GET", "/network")).json.state === "applied",
      );
      if (others !== undefined) await lab.must("router", "nft", ["-f", "-"], others);
      return await measure(
        { ...target, others },
        "127.0.0.1:80",
        (args) => lab.must("router", Deno.execPath(), args),
      );
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
  }
}

async function ofEachSize(
  where: string,
  sizes: readonly number[],
  run: (target: Target) => Promise<Measured>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const medians: number[] = [];
  for (const devices of sizes) {
    await inFolder(async (home) => {
      const groups = Math.min(GROUPS, devices);
      const identities = await writeLargeHome(home, { devices, groups, link: LINK });
      const { writes, starts } = await run({ home, identities });
      const what = `policy write, ${where}, ${devices} devices`;
      const baseline = median(starts);
      const beside = "starting nft once with the same delta, from a shell";
      medians.push(median(writes));
      rows.push(
        { what, ours: medians.at(-1)!, baseline, unit: "ms", beside, aim: AIM },
        {
          what: `${what}, 95 %`,
          ours: quantile(writes, 0.95),
          baseline,
          unit: "ms",
          beside: "its median",
          aim: SLOW_AIM,
        },
      );
    });
  }
  if (sizes.length > 1) {
    rows.push({
      what: `policy write, ${where}, ${sizes.at(-1)} devices`,
      ours: medians.at(-1)!,
      baseline: medians[0]!,
      unit: "ms",
      beside: `${sizes[0]} devices`,
      aim: GROWTH_AIM,
    });
  }
  return rows;
}

async function measure(
  { home, identities, others }: Target,
  host: string,
  deno: (args: readonly string[]) => Promise<string>,
): Promise<Measured> {
  await using nft = await nftBaseline({ home, identity: identities[0]!, others });
  const script = fileURLToPath(new URL("writes.ts", import.meta.url));
  const list = identities.slice(0, 50).join(",");
  const args = [host, LAB_PASSWORD, String(WRITES), list, nft.folder, ...nft.scripts];
  return JSON.parse(await deno(["run", "-q", "-A", script, ...args])) as Measured;
}

/** The table of so many blocked ranges, under a name that the router does not take for its own. */
function blockedTable(ranges: number): string {
  return renderBlocked(blockedRanges(ranges)).replaceAll(BLOCKED_TABLE, "bench_blocked")
    .replace('comment "sluice"', 'comment "bench"');
}
