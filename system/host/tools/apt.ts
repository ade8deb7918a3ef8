/** How a run of apt-get ended; `message` is the end of its error output. */
export interface AptResult {
  readonly ok: boolean;
  readonly message: string;
}

/** Runs apt-get with these arguments. */
export type Apt = (args: readonly string[]) => Promise<AptResult>;

const DPKG_QUERY = "/usr/bin/dpkg-query";
const APT_GET = "/usr/bin/apt-get";
/** For maintainer scripts. */
const PATH = "/usr/sbin:/usr/bin:/sbin:/bin";
const MAX_MESSAGE_LENGTH = 2000;

/** The states of these packages as dpkg knows them, one `name state` a line; null without dpkg. */
export async function dpkgQuery(
  names: readonly string[],
  signal: AbortSignal,
): Promise<string | null> {
  try {
    // The exit status only says that a package is unknown, as does its missing line.
    const { stdout } = await new Deno.Command(DPKG_QUERY, {
      args: ["-W", "-f", "${Package} ${Status}\\n", ...names],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      clearEnv: true,
      env: { LC_ALL: "C", PATH },
      signal,
    }).output();
    return new TextDecoder().decode(stdout);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/**
 * Non-interactive apt-get. When `signal` aborts, a run is left to finish by itself: an interrupted
 * installation leaves packages half configured.
 */
export function aptGet(signal: AbortSignal): Apt {
  return async (args) => {
    const child = new Deno.Command(APT_GET, {
      args: [...args],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      clearEnv: true,
      env: { LC_ALL: "C", PATH, DEBIAN_FRONTEND: "noninteractive" },
    }).spawn();
    child.unref();
    const aborted = new Promise<AptResult>((resolve) => {
      const left = (): void => resolve({ ok: false, message: "left to finish by itself" });
      if (signal.aborted) left();
      else signal.addEventListener("abort", left, { once: true });
    });
    const finished = child.output().then(({ success, stderr }) => ({
      ok: success,
      message: new TextDecoder().decode(stderr).trim().slice(-MAX_MESSAGE_LENGTH),
    }));
    return await Promise.race([finished, aborted]);
  };
}
