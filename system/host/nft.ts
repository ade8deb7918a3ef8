import { type Nft, refused } from "./nftables.ts";
import { run, type RunResult, toolWords } from "./run.ts";

/** Seconds for a whole load with hundreds of thousands of elements. */
const LOAD_SECONDS = 60;

/** nftables through the `nft` tool, a process for each call. */
export function binaryNft(): Nft {
  const call = (args: readonly string[], stdin?: string): Promise<RunResult> =>
    run("nft", {
      args,
      seconds: LOAD_SECONDS,
      ...(stdin === undefined ? {} : { stdin }),
    });
  return {
    way: "binary",
    run: async (script): Promise<void> => {
      const result = await call(["-f", "-"], script);
      if (!result.ok) throw refused(toolWords(result));
    },
    check: async (script): Promise<string | null> => {
      const result = await call(["-c", "-f", "-"], script);
      return result.ok ? null : toolWords(result);
    },
    outline: async (): Promise<string> => {
      const result = await call(["-t", "list", "ruleset"]);
      if (!result.ok) throw refused(toolWords(result));
      return result.stdout;
    },
    close: (): Promise<void> => Promise.resolve(),
  };
}
