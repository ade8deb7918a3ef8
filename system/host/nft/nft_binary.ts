import { isAbsent, type Nft, refused } from "./nftables.ts";
import { run, type RunResult, toolMessage } from "../tools/run.ts";

/** A load with hundreds of thousands of elements gets the longer timeout. */
const CALL_TIMEOUT_SECONDS = 20;
const LOAD_TIMEOUT_SECONDS = 60;
/** Characters from which a script counts as such a load. */
const MIN_LOAD_LENGTH = 100_000;

/** nftables through the `nft` tool, a process for each call. */
export function binaryNft(): Nft {
  const call = (args: readonly string[], stdin?: string): Promise<RunResult> =>
    run("nft", {
      args,
      seconds: (stdin?.length ?? 0) < MIN_LOAD_LENGTH ? CALL_TIMEOUT_SECONDS : LOAD_TIMEOUT_SECONDS,
      ...(stdin === undefined ? {} : { stdin }),
    });
  return {
    backend: "binary",
    run: async (script): Promise<void> => {
      const result = await call(["-f", "-"], script);
      if (!result.ok) throw refused(toolMessage(result));
    },
    check: async (script): Promise<string | null> => {
      const result = await call(["-c", "-f", "-"], script);
      return result.ok ? null : toolMessage(result);
    },
    outline: async (): Promise<string> => {
      const result = await call(["-t", "list", "ruleset"]);
      if (!result.ok) throw refused(toolMessage(result));
      return result.stdout;
    },
    list: async (what, { terse } = {}): Promise<string | null> => {
      const result = await call(["-s", "-y", ...(terse ? ["-t"] : []), "list", ...what]);
      if (result.ok) return result.stdout;
      if (isAbsent(toolMessage(result))) return null;
      throw refused(toolMessage(result));
    },
    counted: async (family, table): Promise<string | null> => {
      const result = await call(["list", "table", family, table]);
      if (result.ok) return result.stdout;
      if (isAbsent(toolMessage(result))) return null;
      throw refused(toolMessage(result));
    },
    close: (): Promise<void> => Promise.resolve(),
  };
}
