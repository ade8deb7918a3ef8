// Serves a unix socket, takes every file descriptor until the listener died,
// and says when it is back.
import { serveUnix } from "../../../system/core/ipc/unix_socket.ts";

const say = (word: string) => void Deno.stdout.writeSync(new TextEncoder().encode(`${word}\n`));
const path = Deno.args[0]!;
// As in every process of ours: Deno sets signals up at the first one.
Deno.addSignalListener("SIGTERM", () => Deno.exit(0));
const taken: Deno.FsFile[] = [];
await serveUnix(path, () => new Response("ok"), {
  died() {
    say("died");
    for (const file of taken.splice(0)) file.close();
  },
  back: () => say("back"),
});
say("ready");
await new Response(Deno.stdin.readable).text();
try {
  for (;;) taken.push(Deno.openSync("/dev/null"));
} catch {
  say("exhausted");
}
