import { Connection } from "../connection.ts";
import { print } from "../print.ts";
import { ToolStarts } from "../tool_starts.ts";

/**
 * Switches one device's policies again and again over one kept connection in a session, and starts
 * nft between two writes. Prints the milliseconds of each as JSON: `{"writes": [], "starts": []}`.
 * Arguments: host and port, password, how often, the devices' identities joined by commas, and where
 * nft is started the folder of its pipes and two scripts.
 */
const [host = "", password = "", times = "", identities = "", folder, ...scripts] = Deno.args;
const WARM_UP = 20;

using connection = await Connection.open(host);
const headers = await connection.signIn(password);
const devices = identities.split(",");
using tools = folder === undefined ? null : new ToolStarts(folder);
const writes: number[] = [];
const starts: number[] = [];
for (let turn = 0; turn < WARM_UP + Number(times); turn++) {
  const identity = devices[Math.floor(turn / 2) % devices.length]!;
  const Policies = turn % 2 === 0 ? ["dns"] : ["wan", "dns"];
  const request = connection.request("PUT", `/device?identity=${identity}`, {
    headers,
    body: { Policies },
  });
  const started = performance.now();
  const answer = await connection.must(request);
  const took = performance.now() - started;
  if (!/\r\nchange-id: /i.test(answer.head)) throw new Error("The write changed nothing");
  const start = await tools?.start(["nft", "-f", scripts[turn % 2]!]);
  if (turn < WARM_UP) continue;
  writes.push(took);
  if (start !== undefined) starts.push(start);
}
print(JSON.stringify({ writes, starts }));
