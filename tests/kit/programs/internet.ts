/**
 * Run inside the lab's `wan` namespace: the Internet. A web server (80), an echo server (7) and a DNS
 * server (53, UDP and TCP) that answers every question with {@link INTERNET}.
 */
const INTERNET = "198.51.100.7";

/** Bytes before the question of a message (RFC 1035 4.1.1). */
const HEADER = 12;

async function web(listener: Deno.TcpListener): Promise<void> {
  for await (const connection of listener) serveWeb(connection).catch(() => {});
}

async function serveWeb(connection: Deno.TcpConn): Promise<void> {
  try {
    await connection.read(new Uint8Array(4096));
    const text = `internet ${connection.remoteAddr.hostname}\n`;
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head + text));
  } finally {
    connection.close();
  }
}

async function echo(listener: Deno.TcpListener): Promise<void> {
  for await (const connection of listener) {
    connection.readable.pipeTo(connection.writable).catch(() => {});
  }
}

/** Answers every question with one address, over UDP; what is none, as a ping, gets no answer. */
export async function dnsUdp(socket: Deno.DatagramConn, address = INTERNET): Promise<void> {
  for await (const [question, from] of socket) {
    if (question.length <= HEADER + 4) continue;
    // Whose cable was pulled meanwhile is not told.
    await socket.send(answer(question, address), from).catch(() => {});
  }
}

/** Answers every question with one address, over TCP. */
export async function dnsTcp(listener: Deno.TcpListener, address = INTERNET): Promise<void> {
  for await (const connection of listener) serveDnsTcp(connection, address).catch(() => {});
}

async function serveDnsTcp(connection: Deno.TcpConn, address: string): Promise<void> {
  try {
    const buffer = new Uint8Array(1024);
    const size = await connection.read(buffer) ?? 0;
    if (size <= 2 + HEADER + 4) return;
    const reply = answer(buffer.slice(2, size), address);
    await connection.write(new Uint8Array([reply.length >> 8, reply.length & 255, ...reply]));
  } finally {
    connection.close();
  }
}

/** The question again, marked as an answer (RFC 1035 4.1), with one A record that points at its name. */
function answer(question: Uint8Array, address: string): Uint8Array {
  let end = HEADER;
  while ((question[end] ?? 0) !== 0) end += question[end]! + 1;
  const questions = question.slice(0, end + 5);
  questions.set([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0], 2);
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)];
  return new Uint8Array([...questions, ...record]);
}

if (import.meta.main) {
  const listen = (port: number): Deno.TcpListener => Deno.listen({ hostname: "0.0.0.0", port });
  const all = [
    web(listen(80)),
    // By IPv6 as well.
    echo(Deno.listen({ hostname: "::", port: 7 })),
    // Its own address alone: tests put resolvers of theirs on others.
    dnsTcp(Deno.listen({ hostname: INTERNET, port: 53 })),
    dnsUdp(Deno.listenDatagram({ transport: "udp", hostname: INTERNET, port: 53 })),
  ];
  await Deno.stdout.write(new TextEncoder().encode("ready\n"));
  await Promise.all(all);
}
