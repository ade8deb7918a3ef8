import { dirname, join } from "node:path";
import { removeFile, syncFolder } from "../../core/config/files.ts";
import type { PppDeps } from "./ppp_connections.ts";

/** Bytes read from the end of a log. */
const LOG_TAIL_BYTES = 8192;
/** A longer log is truncated. */
const MAX_LOG_BYTES = 65_536;

/** pppd's option files and logs, below a folder of mode 0700. */
export function openPppFiles(
  folder: string,
): Pick<PppDeps, "write" | "remove" | "list" | "readLog" | "truncateLog" | "path"> {
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
      {
        using file = await Deno.open(temporary, { write: true, mode: 0o600, createNew: true });
        const bytes = new TextEncoder().encode(text);
        for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
        await file.sync();
      }
      await Deno.rename(temporary, path);
      await syncFolder(dirname(path));
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
    async readLog(name) {
      const path = join(folder, name);
      try {
        using file = await Deno.open(path, { read: true });
        const { size } = await file.stat();
        await file.seek(Math.max(0, size - LOG_TAIL_BYTES), Deno.SeekMode.Start);
        const end = new Uint8Array(LOG_TAIL_BYTES);
        const length = await file.read(end) ?? 0;
        // pppd appends, so that it continues at the start.
        if (size > MAX_LOG_BYTES) await Deno.truncate(path);
        return new TextDecoder().decode(end.subarray(0, length));
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return "";
        throw error;
      }
    },
    async truncateLog(name) {
      const path = join(folder, name);
      await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await Deno.writeTextFile(path, "", { mode: 0o600 });
    },
    path: (name) => join(folder, name),
  };
}
