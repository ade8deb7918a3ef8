import { dirname, join } from "node:path";
import { removeFile } from "../../core/config/files.ts";
import type { PppDeps } from "./ppp_connections.ts";

/** Bytes of a log's end that are read. */
const END = 8192;
/** Bytes of a log after which it begins anew. */
const MOST = 65_536;

/** The files that pppd reads and writes, below a folder of our own; only we may read them. */
export function openPppFiles(
  folder: string,
): Pick<PppDeps, "write" | "remove" | "list" | "said" | "begin" | "path"> {
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
    remove: (name) => removeFile(join(folder, name)),
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
    async said(name) {
      const path = join(folder, name);
      try {
        using file = await Deno.open(path, { read: true });
        const { size } = await file.stat();
        await file.seek(Math.max(0, size - END), Deno.SeekMode.Start);
        const end = new Uint8Array(END);
        const length = await file.read(end) ?? 0;
        // pppd appends, so that it goes on at the beginning.
        if (size > MOST) await Deno.truncate(path);
        return new TextDecoder().decode(end.subarray(0, length));
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return "";
        throw error;
      }
    },
    async begin(name) {
      const path = join(folder, name);
      await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await Deno.writeTextFile(path, "", { mode: 0o600 });
    },
    path: (name) => join(folder, name),
  };
}
