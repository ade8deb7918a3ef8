import { Problem } from "../../core/errors/problem.ts";
import { run, type RunResult } from "./run.ts";

/** A peer as a WireGuard interface has it. */
export interface WgPeer {
  readonly publicKey: string;
  /** "" for none. */
  readonly presharedKey: string;
  /** Source of its last packet, or the address that is called; "" for nowhere. */
  readonly endpoint: string;
  readonly allowedIps: readonly string[];
  /** Unix seconds; 0 never. */
  readonly latestHandshake: number;
  /** Bytes. */
  readonly rx: number;
  readonly tx: number;
  /** Seconds; 0 for off. */
  readonly keepalive: number;
}

/** A WireGuard interface as it runs. */
export interface WgInterface {
  /** "" for none. */
  readonly privateKey: string;
  readonly publicKey: string;
  readonly listenPort: number;
  readonly peers: readonly WgPeer[];
}

/** Reads what `wg show <interface> dump` prints (wg(8)); null for what is no such output. */
export function parseWgDump(text: string): WgInterface | null {
  const [first, ...rest] = text.split("\n").filter((line) => line !== "")
    .map((line) => line.split("\t"));
  if (first?.length !== 4) return null;
  const value = (field = ""): string => field === "(none)" ? "" : field;
  const [privateKey, publicKey, listenPort] = first;
  return {
    privateKey: value(privateKey),
    publicKey: value(publicKey),
    listenPort: Number(listenPort) || 0,
    peers: rest.filter((fields) => fields.length === 8).map((fields) => ({
      publicKey: fields[0]!,
      presharedKey: value(fields[1]),
      endpoint: value(fields[2]),
      allowedIps: value(fields[3]).split(",").filter((network) => network !== ""),
      latestHandshake: Number(fields[4]) || 0,
      rx: Number(fields[5]) || 0,
      tx: Number(fields[6]) || 0,
      keepalive: Number(fields[7]) || 0,
    })),
  };
}

/** A WireGuard interface of the kernel or of wireguard-go; null where there is none of this name. */
export async function readWg(name: string): Promise<WgInterface | null> {
  const result = await run("wg", { args: ["show", name, "dump"] });
  return result.ok ? parseWgDump(result.stdout) : null;
}

/**
 * Adds to an interface what a configuration text says: peers that it names are set as they stand there,
 * all others stay untouched. The text has keys and goes by standard input. Throws Problem 502, 503.
 */
export async function addWg(name: string, text: string): Promise<void> {
  const result = await run("wg", { args: ["addconf", name, "/dev/stdin"], stdin: text });
  if (!result.ok) throw new Problem(502, `wg: ${textOf(result)}`);
}

/** Takes peers off an interface; their sessions end at once. Throws Problem 502, 503. */
export async function removeWgPeers(name: string, keys: readonly string[]): Promise<void> {
  const args = keys.flatMap((key) => ["peer", key, "remove"]);
  const result = await run("wg", { args: ["set", name, ...args] });
  if (!result.ok) throw new Problem(502, `wg: ${textOf(result)}`);
}

/** What failed, as far as that quotes no line of the text, where keys stand. */
function textOf({ stderr, code }: RunResult): string {
  const line = stderr.split("\n").find((one) => /^Unable to [a-z ]+: [A-Za-z ]+$/.test(one));
  return line ?? `ended with status ${code}`;
}
