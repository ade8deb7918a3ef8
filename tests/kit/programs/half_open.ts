// Holds connections to an address and port that send half a header, and says how many are open.
const [hostname, port, wanted] = [Deno.args[0]!, Number(Deno.args[1]), Number(Deno.args[2])];
const half = new TextEncoder().encode("GET / HTTP/1.1\r\nHo");
const held: Deno.TcpConn[] = [];
for (let opened = 0; opened < wanted; opened++) {
  try {
    const connection = await Deno.connect({ hostname, port });
    held.push(connection);
    await connection.write(half);
  } catch {
    // Ended by the router: the next one.
  }
}
Deno.stdout.writeSync(new TextEncoder().encode("holding\n"));
setInterval(() => {}, 1000);
