import { LAB_PASSWORD } from "../kit/lab/router.ts";
import { writeLargeHome } from "../kit/builders/large_home.ts";
import { answered, inFolder, startProgram } from "../kit/process.ts";
import { Connection } from "./connection.ts";
import { median, type Row } from "./table.ts";
import { startScript } from "./script.ts";

const DEVICES = 250;
/** Connections that ask at once. */
const CONNECTIONS = 4;
/** Length of one round in milliseconds, and how many there are of each. */
const ROUND = 700;
const ROUNDS = 5;
const AIM = 0.3;

/** `GET /devices`, beside a bare server that answers the same bytes. */
export async function devicesList(): Promise<readonly Row[]> {
  return await inFolder(async (home) => {
    await writeLargeHome(home, { devices: DEVICES, groups: 20 });
    await using program = startProgram({
      home,
      environment: { SLUICE_ADMIN_PASSWORD: LAB_PASSWORD },
    });
    await (await answered(program)).body?.cancel();
    const host = program.url.replace("http://", "");
    using first = await Connection.open(host);
    const session = await first.signIn(LAB_PASSWORD);
    const basic = { authorization: `Basic ${btoa(`admin:${LAB_PASSWORD}`)}` };
    const { body } = await first.must(first.request("GET", "/devices", { headers: session }));
    const file = `${home}/answer.json`;
    await Deno.writeFile(file, body);
    await using bare = await startScript("bare_server.ts", [file]);
    await using open = await startScript("open_devices.ts", [`${home}-open`]);
    const targets = [
      { host: bare.host, headers: {} },
      { host, headers: session },
      { host, headers: basic },
      { host: open.host, headers: {} },
    ];
    const rates: number[][] = targets.map(() => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, target] of targets.entries()) rates[i]!.push(await rate(target));
    }
    const [baseline, ...ours] = rates.map(median) as [number, number, number, number];
    const row = (what: string, value: number): Row => ({
      what: `GET /devices, ${DEVICES} devices, ${what}`,
      ours: value,
      baseline,
      unit: "/s",
      beside: `bare Deno.serve, the same ${body.length} bytes`,
      aim: AIM,
    });
    return [
      row("session", ours[0]!),
      row("password", ours[1]!),
      row("no check of who asks", ours[2]!),
    ];
  });
}

/** Answers a second over several kept connections. */
async function rate(
  target: { readonly host: string; readonly headers: Readonly<Record<string, string>> },
): Promise<number> {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => Connection.open(target.host)),
  );
  const started = performance.now();
  let count = 0;
  await Promise.all(connections.map(async (connection) => {
    const request = connection.request("GET", "/devices", { headers: target.headers });
    while (performance.now() - started < ROUND) {
      await connection.must(request);
      count++;
    }
  }));
  const seconds = (performance.now() - started) / 1000;
  for (const connection of connections) connection[Symbol.dispose]();
  return count / seconds;
}
