import { renderLoad } from "../../system/core/kernel/nft/text.ts";
import { isRestrictive } from "../../system/firewall/sets/transition.ts";
import { linuxHost } from "../../system/host/kernel/linux.ts";
import { rulesetOf } from "./nft_baseline.ts";
import { print } from "./print.ts";

/**
 * Loads the rules of a home into this network namespace, again and again, through our host and by
 * `nft -f` of the same text. Prints the milliseconds of each as JSON: `{"ours": [], "nft": []}`.
 * Argument: the home.
 */
const TIMES = 9;
const [home = ""] = Deno.args;
const ruleset = await rulesetOf(home);
const file = `${home}/load.nft`;
await Deno.writeTextFile(file, renderLoad(ruleset));
const host = await linuxHost({ isRestrictive });
const ours: number[] = [];
const nft: number[] = [];
for (let turn = 0; turn <= TIMES; turn++) {
  const first = await timed(() => host.apply({ kind: "load", ruleset }));
  const second = await timed(startNft);
  if (turn === 0) continue;
  ours.push(first);
  nft.push(second);
}
await host.close();
print(JSON.stringify({ ours, nft }));

async function startNft(): Promise<void> {
  const { success, stderr } = await new Deno.Command("nft", { args: ["-f", file] }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
