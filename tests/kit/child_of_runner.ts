/**
 * Starts a command that the kernel kills when this process ends, however it ends: what emulates a
 * machine would go on working for minutes. Throws {@link Deno.errors.NotFound} without util-linux.
 */
export function childOfRunner(
  [command, ...args]: readonly string[],
  options: Omit<Deno.CommandOptions, "args"> = {},
): Deno.ChildProcess {
  return new Deno.Command("setpriv", {
    ...options,
    args: ["--pdeathsig", "KILL", command!, ...args],
  }).spawn();
}
