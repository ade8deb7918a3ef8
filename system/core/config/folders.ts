import { dirname } from "node:path";

/** Makes a folder with exactly this mode; one that exists keeps the mode that someone gave it. */
export async function folder(path: string, mode: number): Promise<void> {
  // Only what is missing is looked at further up: a process may not see what lies above its home.
  if (await exists(path)) return;
  const parent = dirname(path);
  if (parent !== path) await folder(parent, mode);
  try {
    await Deno.mkdir(path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    throw error;
  }
  // The mode of mkdir is narrowed by the umask of the process that started us.
  await Deno.chmod(path, mode);
}

/** Whether there is anything at a path, a link that leads nowhere among it. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
