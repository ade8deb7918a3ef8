import { PACE } from "./pace.ts";

/**
 * Run inside a lab client: holds a TCP connection to an echo server, sends a byte each 100 ms, and
 * prints `up`, then `stalled` when no byte came back for a second, or `closed`.
 */
const STALL_MS = 1000 * PACE;
const STEP_MS = 100;

async function hold(hostname: string, port: number): Promise<string> {
  const connection = await Deno.connect({ hostname, port });
  let heard = performance.now();
  let first = true;
  const reading = (async (): Promise<string> => {
    const buffer = new Uint8Array(256);
    while (await connection.read(buffer).catch(() => null) !== null) {
      heard = performance.now();
      if (first) say("up");
      first = false;
    }
    return "closed";
  })();
  const writing = (async (): Promise<string> => {
    while (performance.now() - heard < STALL_MS) {
      try {
        await connection.write(new Uint8Array([46]));
      } catch {
        return "closed";
      }
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    return "stalled";
  })();
  return await Promise.race([reading, writing]);
}

function say(word: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${word}\n`));
}

if (import.meta.main) {
  const [hostname = "", port = ""] = Deno.args;
  say(await hold(hostname, Number(port)).catch((error: Error) => `failed ${error.message}`));
  Deno.exit(0);
}
