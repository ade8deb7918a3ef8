// Opens connections to an address and port that send half a header, each anew some time after it was
// ended. Says `holding` once each was opened. Arguments: address, port, connections.
const [hostname, port, wanted] = [Deno.args[0]!, Number(Deno.args[1]), Number(Deno.args[2])];
const half = new TextEncoder().encode("GET / HTTP/1.1\r\nHo");
/** Connections that are being opened at a time. */
const OPENING = 100;
const AGAIN_MS = 5000;

async function hold(opened: () => void): Promise<void> {
  try {
    using connection = await Deno.connect({ hostname, port });
    opened();
    await connection.write(half);
    await connection.read(new Uint8Array(1));
  } catch {
    // Ended by the router.
    opened();
  }
  setTimeout(() => void hold(() => {}), AGAIN_MS);
}

for (let begun = 0; begun < wanted; begun += OPENING) {
  await Promise.all(
    Array.from({ length: OPENING }, () => new Promise<void>((opened) => void hold(opened))),
  );
}
Deno.stdout.writeSync(new TextEncoder().encode("holding\n"));
