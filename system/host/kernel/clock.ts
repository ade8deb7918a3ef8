import { Problem } from "../../core/errors/problem.ts";
import { ROOT_SOCKETS } from "../../core/process/machine_paths.ts";
import { openLibc } from "../sockets/libc.ts";
import { callRootSocket } from "../sockets/root_socket.ts";
import { run } from "../tools/run.ts";

const SYMBOLS = {
  clock_settime: { parameters: ["i32", "buffer"], result: "i32" },
  adjtimex: { parameters: ["buffer"], result: "i32" },
} as const;

const CLOCK_REALTIME = 0;
/** Bytes of struct timespec and of struct timex (adjtimex(2)) on 64-bit systems. */
const TIMESPEC_SIZE = 16, TIMEX_SIZE = 208;
/** Result of adjtimex where nothing keeps the clock right. */
const TIME_ERROR = 5;

/** Sets the system clock to unix milliseconds. Throws Problem 502, 503 where this process may not. */
export async function setClock(milliseconds: number): Promise<void> {
  const input = `${(milliseconds / 1000).toFixed(3)}\n`;
  if (await callRootSocket(ROOT_SOCKETS.settime, { what: "date", input })) return;
  const library = openLibc(SYMBOLS);
  try {
    const time = new BigInt64Array(TIMESPEC_SIZE / 8);
    time[0] = BigInt(Math.floor(milliseconds / 1000));
    time[1] = BigInt(Math.floor(milliseconds % 1000) * 1_000_000);
    if (library.symbols.clock_settime(CLOCK_REALTIME, time) === 0) return;
  } finally {
    library.close();
  }
  throw new Problem(
    503,
    "netd may not set the clock here: set it on the router, as root, with date --set",
  );
}

/** True where the kernel knows that a time server keeps its clock right. */
export async function isClockSynchronised(): Promise<boolean> {
  const library = openLibc(SYMBOLS);
  try {
    // Nothing is to be adjusted: the structure is zero.
    const state = library.symbols.adjtimex(new Uint8Array(TIMEX_SIZE));
    if (state >= 0) return state !== TIME_ERROR;
  } finally {
    library.close();
  }
  // The units are refused that call.
  const args = ["show", "--property=NTPSynchronized", "--value"];
  const result = await run("timedatectl", { args }).catch(() => null);
  return result?.stdout.trim() === "yes";
}
