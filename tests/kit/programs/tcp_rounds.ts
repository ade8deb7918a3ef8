/**
 * Run by a test: sends a byte over TCP to a port of 127.0.0.1 and waits for it to come back, again and
 * again, and prints the milliseconds that half of the times took at most. Arguments: the port, how often.
 */
const [port, count] = Deno.args.map(Number);
const connection = await Deno.connect({ hostname: "127.0.0.1", port: port! });
connection.setNoDelay();
const buffer = new Uint8Array(1);
const times: number[] = [];
for (let i = 0; i < count!; i++) {
  const began = performance.now();
  await connection.write(buffer);
  await connection.read(buffer);
  times.push(performance.now() - began);
}
connection.close();
times.sort((a, b) => a - b);
await Deno.stdout.write(new TextEncoder().encode(String(times[times.length >> 1])));
