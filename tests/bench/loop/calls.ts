/**
 * Run inside the lab's router: makes each heavy call alone, beside a small request every so often,
 * and prints as JSON when it ran ({@link Called}). Arguments: a file of {@link Calls} as JSON.
 */
import { Secret, TOTP } from "otpauth";
import { Connection } from "../connection.ts";
import { until } from "../../kit/process.ts";
import { print } from "../print.ts";

/** A call to measure. */
export interface Call {
  readonly what: string;
  readonly method: string;
  /** `{backup}` is the name of the newest backup, `{change}` the id of the latest change. */
  readonly path: string;
  readonly body?: unknown;
  /** The statuses that are fine; default those below 300. */
  readonly refused?: boolean;
}

/** What is called, and as whom. */
export interface Calls {
  readonly host: string;
  readonly password: string;
  /** The api's process. */
  readonly pid: number;
  readonly calls: readonly Call[];
}

/** A call that was made, once or several times. */
export interface Called {
  readonly what: string;
  /** Of each time: unix milliseconds of its begin and of when what it left behind is over. */
  readonly spans: readonly { readonly from: number; readonly to: number }[];
  /** Milliseconds of the longest call, and of the longest small request meanwhile. */
  readonly whole: number;
  readonly small: number;
  /** Milliseconds that the api's main thread worked at most for one, with what was left behind. */
  readonly worked: number;
  readonly status: number;
  /** Bytes sent and received. */
  readonly sent: number;
  readonly received: number;
}

/** How often each is called; the first one finds nothing prepared. */
const TIMES = 2;
/** Milliseconds after a response in which what it left behind counts as its own. */
const AFTER = 400;
const SMALL = "/version", SMALL_PAUSE = 15;

const { host, password, pid, calls }: Calls = JSON.parse(await Deno.readTextFile(Deno.args[0]!));
await until("the api listens", () => Connection.open(host).then(() => true, () => false));
let connection = await Connection.open(host);
using beside = await Connection.open(host);
const authorization = `Basic ${btoa(`admin:${password}`)}`;
let headers: Readonly<Record<string, string>> = { authorization };
await until(
  "the network is applied",
  async () => (await json<{ readonly state: string }>("GET", "/network")).state === "applied",
);
headers = { authorization, ...await secondFactor() };

for (const call of calls) {
  const spans: { readonly from: number; readonly to: number }[] = [];
  let whole = 0, small = 0, worked = 0, status = 0, sent = 0, received = 0;
  for (let turn = 0; turn < TIMES; turn++) {
    const path = await filledIn(call.path);
    const options = call.body === undefined ? { headers } : { headers, body: call.body };
    const request = connection.request(call.method, path, options);
    const ending = new AbortController();
    const waits = smallRequests(ending.signal);
    const from = performance.timeOrigin + performance.now();
    const before = await workedSoFar();
    const began = performance.now();
    // A body that is refused before it is read ends the connection.
    const answer = await connection.ask(request).catch(() => null);
    if (answer === null) connection = await Connection.open(host);
    whole = Math.max(whole, performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, AFTER));
    ending.abort();
    small = Math.max(small, await waits);
    worked = Math.max(worked, await workedSoFar() - before);
    spans.push({ from, to: performance.timeOrigin + performance.now() });
    status = answer?.status ?? 0;
    sent = request.length;
    received = answer?.body.length ?? 0;
    if ((answer === null || status >= 300) && call.refused !== true) {
      const text = new TextDecoder().decode(answer?.body).slice(0, 300);
      print(`failed: ${call.what}: ${status} ${text}`);
    }
  }
  const called: Called = { what: call.what, spans, whole, small, worked, status, sent, received };
  print(JSON.stringify(called));
}
print("over");
Deno.exit(0);

async function smallRequests(ending: AbortSignal): Promise<number> {
  let longest = 0;
  while (!ending.aborted) {
    const began = performance.now();
    await beside.ask(beside.request("GET", SMALL, { headers }));
    longest = Math.max(longest, performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, SMALL_PAUSE));
  }
  return longest;
}

/** Milliseconds of the processor, as the kernel counts them for the main thread (proc_pid_schedstat). */
async function workedSoFar(): Promise<number> {
  const line = await Deno.readTextFile(`/proc/${pid}/task/${pid}/schedstat`);
  return Number(line.split(" ")[0]) / 1e6;
}

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  const options = body === undefined ? { headers } : { headers, body };
  const answer = await connection.must(connection.request(method, path, options));
  return JSON.parse(new TextDecoder().decode(answer.body));
}

async function filledIn(path: string): Promise<string> {
  if (path.includes("{backup}")) {
    const names = await json<readonly { readonly Name: string }[]>("GET", "/backup");
    return path.replace("{backup}", names[0]?.Name ?? "none");
  }
  if (path.includes("{change}")) {
    const { items } = await json<{ readonly items: readonly { readonly id: string }[] }>(
      "GET",
      "/changes?limit=1",
    );
    return path.replace("{change}", items[0]?.id ?? "none");
  }
  return path;
}

/** A backup holds secrets, so that it takes a second factor. */
async function secondFactor(): Promise<Readonly<Record<string, string>>> {
  const { OTPUsers } = await json<{ readonly OTPUsers: readonly { readonly Secret: string }[] }>(
    "PUT",
    "/otp_register",
    { Name: "admin" },
  );
  const totp = new TOTP({ secret: Secret.fromBase32(OTPUsers[0]!.Secret) });
  const token = await json<string>("PUT", "/otp_validate", {
    Name: "admin",
    Code: totp.generate(),
  });
  return { "x-jwt-otp": token };
}
