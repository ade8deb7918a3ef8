import { print } from "./print.ts";

/**
 * Starts the `nft` binary once for each connection to a unix socket, in the network namespace that
 * this script runs in, and answers how many milliseconds that took.
 * Arguments: path of the socket, and files with the scripts that are taken in turn.
 */
const [path = "", ...files] = Deno.args;
const scripts = files.map((file) => Deno.readFileSync(file));
const listener = Deno.listen({ transport: "unix", path });
let turn = 0;
print("ready");
for await (const conn of listener) {
  const started = performance.now();
  const child = new Deno.Command("/usr/sbin/nft", {
    args: ["-f", "-"],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(scripts[turn++ % scripts.length]!);
  await writer.close();
  const { success, stderr } = await child.output();
  const took = performance.now() - started;
  const answer = success ? String(took) : new TextDecoder().decode(stderr);
  await conn.write(new TextEncoder().encode(answer));
  conn.close();
}
