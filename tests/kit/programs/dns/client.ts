/**
 * Run inside a lab client: asks a DNS server for the address of `example.test` by UDP or TCP and
 * prints it, or `none` when no answer comes within so many milliseconds. Arguments: the transport, the
 * server, the milliseconds.
 */
const QUESTION = new Uint8Array([
  ...[0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0],
  ...[7, ...new TextEncoder().encode("example"), 4, ...new TextEncoder().encode("test"), 0],
  ...[0, 1, 0, 1],
]);

async function byUdp(hostname: string): Promise<Uint8Array> {
  const socket = Deno.listenDatagram({ transport: "udp", hostname: "0.0.0.0", port: 0 });
  await socket.send(QUESTION, { transport: "udp", hostname, port: 53 });
  const [answer] = await socket.receive();
  return answer;
}

async function byTcp(hostname: string): Promise<Uint8Array> {
  const connection = await Deno.connect({ hostname, port: 53 });
  await connection.write(new Uint8Array([0, QUESTION.length, ...QUESTION]));
  const buffer = new Uint8Array(1024);
  const size = await connection.read(buffer) ?? 0;
  return buffer.slice(2, size);
}

if (import.meta.main) {
  const [transport, hostname = "", patience] = Deno.args;
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), Number(patience)));
  const response = (transport === "tcp" ? byTcp : byUdp)(hostname).catch(() => null);
  const answer = await Promise.race([response, late]);
  const found = answer !== null && answer.length > QUESTION.length
    ? [...answer.slice(-4)].join(".")
    : "none";
  await Deno.stdout.write(new TextEncoder().encode(`${found}\n`));
  Deno.exit(0);
}
