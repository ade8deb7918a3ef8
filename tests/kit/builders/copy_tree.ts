import { join } from "node:path";

/** Copies a folder within one turn of the event loop, so that nothing changes meanwhile. */
export function copySync(from: string, to: string): void {
  for (const entry of Deno.readDirSync(from)) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory) {
      Deno.mkdirSync(target, { recursive: true });
      copySync(source, target);
    } else Deno.copyFileSync(source, target);
  }
}
