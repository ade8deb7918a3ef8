import { PACE } from "../pace.ts";

/**
 * Run inside a lab client: holds a TCP connection to an echo server and sends a byte each step. Prints
 * `up`, then `on` each time that ten more bytes came back, and at the end `stalled` when none came back
 * for {@link STALL} steps, or as many as were given, or `closed`. Steps are counted, not time: while nothing here has its turn, no
 * step goes by.
 */
const STEP_MS = 100, STALL = 12 * PACE;

async function hold(hostname: string, port: number, stall: number): Promise<string> {
  const connection = await Deno.connect({ hostname, port });
  let silent = 0, received = 0;
  const reading = (async (): Promise<string> => {
    const buffer = new Uint8Array(256);
    for (;;) {
      const size = await connection.read(buffer).catch(() => null);
      if (size === null) return "closed";
      silent = 0;
      if (received === 0) say("up");
      for (let more = size; more > 0; more--) if (++received % 10 === 0) say("on");
    }
  })();
  const writing = (async (): Promise<string> => {
    for (; silent < stall; silent++) {
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
  const [hostname = "", port = "", stall = STALL] = Deno.args;
  say(
    await hold(hostname, Number(port), Number(stall)).catch((error: Error) =>
      `failed ${error.message}`
    ),
  );
  Deno.exit(0);
}
