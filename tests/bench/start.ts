import { answered, inFolder, startProgram } from "../kit/process.ts";
import { median, type Row } from "./table.ts";
import { startScript } from "./script.ts";

const TIMES = 5;

/** From the command to the first answer, beside a bare script that listens. Caches are warm. */
export async function starts(): Promise<readonly Row[]> {
  return await inFolder(async (home) => {
    const launcher: number[] = [];
    const bare: number[] = [];
    // The first start makes the live tree and the admin's password; it is not counted.
    for (let turn = 0; turn <= TIMES; turn++) {
      const ours = await ofProgram(home);
      const theirs = await ofScript();
      if (turn === 0) continue;
      launcher.push(ours);
      bare.push(theirs);
    }
    return [{
      what: "launcher to first answer",
      ours: median(launcher),
      baseline: median(bare),
      unit: "ms",
      beside: "deno run of a script that listens",
    }];
  });
}

async function ofProgram(home: string): Promise<number> {
  const started = performance.now();
  await using program = startProgram({ home });
  await (await answered(program)).body?.cancel();
  return performance.now() - started;
}

async function ofScript(): Promise<number> {
  const started = performance.now();
  await using script = await startScript("bare_server.ts");
  const response = await fetch(`http://${script.host}/`);
  await response.body?.cancel();
  return performance.now() - started;
}
