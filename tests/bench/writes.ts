import { Connection } from "./connection.ts";
import { print } from "./print.ts";

/**
 * Switches one device's policies again and again over one kept connection in a session, and starts
 * nft between two writes. Prints the milliseconds of each as JSON: `{"writes": [], "starts": []}`.
 * Arguments: host and port, password, how often, the devices' identities joined by commas, and the
 * socket of nft_starts.ts where there is one.
 */
const [host = "", password = "", times = "", identities = "", socket] = Deno.args;
const WARM_UP = 20;

using connection = await Connection.open(host);
const headers = await connection.signIn(password);
const devices = identities.split(",");
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
  const start = socket === undefined ? null : await startNft(socket);
  if (turn < WARM_UP) continue;
  writes.push(took);
  if (start !== null) starts.push(start);
}
print(JSON.stringify({ writes, starts }));

async function startNft(path: string): Promise<number> {
  using conn = await Deno.connect({ transport: "unix", path });
  const text = await new Response(conn.readable).text();
  const milliseconds = Number(text);
  if (Number.isNaN(milliseconds)) throw new Error(`nft: ${text}`);
  return milliseconds;
}
