import { isAbsent, type Nft, refused } from "./nftables.ts";
import { run, type RunResult, toolWords } from "../tools/run.ts";

/** Seconds for an ordinary call, and for a whole load with hundreds of thousands of elements. */
const SECONDS = 20;
const LOAD_SECONDS = 60;
/** Characters from which on a script counts as such a load. */
const LOAD_LENGTH = 100_000;

/** nftables through the `nft` tool, a process for each call. */
export function binaryNft(): Nft {
  const call = (args: readonly string[], stdin?: string): Promise<RunResult> =>
    run("nft", {
      args,
      seconds: (stdin?.length ?? 0) < LOAD_LENGTH ? SECONDS : LOAD_SECONDS,
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
    list: async (what, { terse } = {}): Promise<string | null> => {
      const result = await call(["-s", "-y", ...(terse ? ["-t"] : []), "list", ...what]);
      if (result.ok) return result.stdout;
      if (isAbsent(toolWords(result))) return null;
      throw refused(toolWords(result));
    },
    close: (): Promise<void> => Promise.resolve(),
  };
}
