import { dirname, join } from "node:path";
import type { PppDeps } from "./ppp_connections.ts";

/** The files that pppd reads, below a folder of our own; only we may read them. */
export function openPppFiles(folder: string): Pick<PppDeps, "write" | "remove" | "list"> {
  async function read(path: string): Promise<string | null> {
    try {
      return await Deno.readTextFile(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return null;
      throw error;
    }
  }
  return {
    async write(name, text) {
      const path = join(folder, name);
      if (await read(path) === text) return false;
      await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const temporary = `${path}.new`;
      await Deno.remove(temporary).catch(() => {
        // It is only there after a crash.
      });
      await Deno.writeTextFile(temporary, text, { mode: 0o600, createNew: true });
      await Deno.rename(temporary, path);
      return true;
    },
    async remove(name) {
      try {
        await Deno.remove(join(folder, name));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    },
    async list() {
      const names: string[] = [];
      try {
        for await (const entry of Deno.readDir(join(folder, "peers"))) {
          if (!entry.name.endsWith(".new")) names.push(`peers/${entry.name}`);
        }
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
      return names;
    },
  };
}
