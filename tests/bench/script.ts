import { fileURLToPath } from "node:url";
import { LabProcess } from "../kit/lab/command.ts";

/** A script of this folder that listens on the loopback. */
export interface Script extends AsyncDisposable {
  readonly pid: number;
  /** Host and port. */
  readonly host: string;
}

/** Starts a script of this folder and waits until it says where it listens. */
export async function startScript(name: string, args: readonly string[] = []): Promise<Script> {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const process = new LabProcess(Deno.execPath(), ["run", "-q", "-A", path, ...args]);
  try {
    const line = await process.line(/^listening /);
    return {
      pid: process.pid,
      host: line.replace("listening ", ""),
      [Symbol.asyncDispose]: async () => void await process.stop(),
    };
  } catch (error) {
    await process.stop();
    throw error;
  }
}
