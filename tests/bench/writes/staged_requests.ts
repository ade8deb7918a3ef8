import { Connection } from "../connection.ts";
import { print } from "../print.ts";

/** Milliseconds of requests, and the router's metrics before and after them. */
export interface StageTimes {
  readonly each: readonly number[];
  readonly count: number;
  readonly before: string;
  readonly after: string;
}

/*
 * Makes one request after the other over a kept connection in a session, and prints StageTimes as JSON.
 * Arguments: host and port, password, how often, then `GET` and a path, or `write` and the identities
 * of devices joined by commas, whose policies are switched.
 */
const [host = "", password = "", times = "", kind = "", subject = ""] = Deno.args;
const WARM_UP = 40;

if (import.meta.main) {
  using connection = await Connection.open(host);
  const headers = await connection.signIn(password);
  const devices = subject.split(",");
  const request = (turn: number): Uint8Array => {
    if (kind === "GET") return connection.request("GET", subject, { headers });
    const identity = devices[Math.floor(turn / 2) % devices.length]!;
    const Policies = turn % 2 === 0 ? ["dns"] : ["wan", "dns"];
    return connection.request("PUT", `/device?identity=${identity}`, {
      headers,
      body: { Policies },
    });
  };
  const take = async (count: number): Promise<number[]> => {
    const each: number[] = [];
    for (let turn = 0; turn < count; turn++) {
      const bytes = request(turn);
      const began = performance.now();
      await connection.must(bytes);
      each.push(performance.now() - began);
    }
    return each;
  };
  const metrics = async (): Promise<string> => {
    const answer = await connection.must(connection.request("GET", "/metrics", { headers }));
    return new TextDecoder().decode(answer.body);
  };
  await take(WARM_UP);
  const before = await metrics();
  const each = await take(Number(times));
  print(JSON.stringify({ each, count: each.length, before, after: await metrics() }));
}
