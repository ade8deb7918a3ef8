/**
 * Run inside a machine of the lab, with its name and ports: tells on each port whom it met, as
 * `<name> <port> from <address>`, and echoes on port 7.
 */
async function greet(name: string, listener: Deno.TcpListener): Promise<void> {
  for await (const connection of listener) {
    if (listener.addr.port === 7) {
      connection.readable.pipeTo(connection.writable).catch(() => {});
      continue;
    }
    const text = `${name} ${listener.addr.port} from ${connection.remoteAddr.hostname}\n`;
    connection.write(new TextEncoder().encode(text)).catch(() => {}).finally(() => {
      connection.close();
    });
  }
}

if (import.meta.main) {
  const [name = "", ...ports] = Deno.args;
  const all = ports.map((port) => Deno.listen({ hostname: "0.0.0.0", port: Number(port) }));
  await Deno.stdout.write(new TextEncoder().encode("ready\n"));
  await Promise.all(all.map((listener) => greet(name, listener)));
}
