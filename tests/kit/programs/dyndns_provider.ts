/**
 * Run inside the lab's `wan` namespace: a provider of dynamic DNS on port 8080. Prints each update with
 * who sent it, and rejects any password but one.
 */
const [password = ""] = Deno.args;

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

Deno.serve({ port: 8080, onListen: () => say("ready") }, (request, { remoteAddr }) => {
  const { searchParams } = new URL(request.url);
  const [name, given] = atob(request.headers.get("authorization")?.slice(6) ?? "").split(":");
  const { hostname } = remoteAddr as Deno.NetAddr;
  say(`${searchParams.get("name")} ${searchParams.get("ip")} ${name} from ${hostname}`);
  return new Response(given === password ? "good" : "badauth");
});
