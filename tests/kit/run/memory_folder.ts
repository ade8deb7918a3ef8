/** A line of /proc/mounts: the folder of a run, and that run's process. */
const MOUNT = /^tmpfs (\/\S+\/sl-(\d+)-\w+) tmpfs /gm;

/** A folder for what tests leave on the way. */
export interface MemoryFolder {
  readonly path: string;
  /** Removes it with everything in it. */
  close(): Promise<void>;
}

/**
 * A folder for temporary files, in memory where the run is root's: programs under test wait for the
 * disk at every change that must survive a power cut, and a run has tens of thousands of those. Its
 * path is short, since sockets lie in it.
 */
export async function memoryFolder(): Promise<MemoryFolder> {
  if (Deno.uid() === 0) await removeLeft();
  const path = await Deno.makeTempDir({ prefix: `sl-${Deno.pid}-` });
  // As /tmp is: programs with users of their own pass through.
  await Deno.chmod(path, 0o1777);
  const isMounted = Deno.uid() === 0 &&
    await succeeds("mount", ["-t", "tmpfs", "-o", "mode=1777,size=50%", "tmpfs", path]);
  return {
    path,
    async close() {
      // A program that lingers keeps its files for that long.
      if (isMounted) await succeeds("umount", ["--lazy", path]);
      await Deno.remove(path, { recursive: true });
    },
  };
}

/** Removes the folders of runs that were killed, which would keep their memory. */
async function removeLeft(): Promise<void> {
  for (const [, path, pid] of (await Deno.readTextFile("/proc/mounts")).matchAll(MOUNT)) {
    const lives = await Deno.stat(`/proc/${pid}`).then(() => true, () => false);
    if (!lives && await succeeds("umount", ["--lazy", path!])) {
      // What a process of that run wrote after it.
      await Deno.remove(path!, { recursive: true });
    }
  }
}

async function succeeds(tool: string, args: readonly string[]): Promise<boolean> {
  const { success } = await new Deno.Command(tool, {
    args: [...args],
    stdout: "null",
    stderr: "null",
  }).output();
  return success;
}
