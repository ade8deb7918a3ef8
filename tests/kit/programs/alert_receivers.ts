/**
 * Run inside the lab's `wan` namespace: the receivers of alerts. A web server on port 8080, mail servers on
 * 2525 (plain) and 2526 (STARTTLS), and a DNS server at the address that is given. Prints what comes.
 */
import { createHmac } from "node:crypto";
import { Buffer } from "node:buffer";
import { decode, encode } from "dns-packet";
import { SMTPServer } from "smtp-server";
import { INTERNET } from "../lab/lab.ts";

const [secret = "", dnsAddress = "", cert = "", key = ""] = Deno.args;

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Whether a request is signed as Standard Webhooks say. */
function isSigned(headers: Headers, body: string): boolean {
  const [id, time, signature] = ["id", "timestamp", "signature"]
    .map((name) => headers.get(`webhook-${name}`));
  const right = createHmac("sha256", secret).update(`${id}.${time}.${body}`).digest("base64");
  return signature === `v1,${right}` && Math.abs(Date.now() / 1000 - Number(time)) < 300;
}

let busy = 1;
/** Requests that are held until the next one for `/release`. */
const held: (() => void)[] = [];

Deno.serve({ port: 8080, onListen: () => say("web ready") }, async (request) => {
  const { pathname } = new URL(request.url);
  const body = await request.text();
  if (pathname === "/redirect") {
    return Response.redirect("http://192.168.2.1/", 307);
  }
  if (pathname === "/release") {
    held.splice(0).forEach((release) => release());
    return new Response("");
  }
  const parsed = JSON.parse(body);
  if (pathname === "/") {
    say(`ntfy ${request.headers.get("authorization")} ${JSON.stringify(parsed)}`);
    return new Response("published");
  }
  const line = `hook ${pathname} ${isSigned(request.headers, body) ? "signed" : "forged"} ` +
    `${parsed.id} ${parsed.title}`;
  if (pathname === "/busy" && busy-- > 0) {
    say(`busy ${parsed.id}`);
    return new Response("come back later", { status: 503 });
  }
  say(line);
  if (pathname === "/hold") await new Promise<void>((resolve) => held.push(resolve));
  if (pathname === "/never") await new Promise(() => {});
  return new Response("thank you");
});

for (const [port, tls] of [[2525, false], [2526, true]] as const) {
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: tls ? [] : ["STARTTLS", "AUTH"],
    ...(tls ? { cert: atob(cert), key: atob(key) } : {}),
    onAuth: ({ username, password }, session, done) => {
      say(`auth ${username} ${password} ${session.secure}`);
      done(null, { user: username ?? "" });
    },
    onRcptTo: ({ address }, _, done) =>
      done(address.startsWith("nobody") ? new Error("no such mailbox here") : null),
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const text = Buffer.concat(parts).toString();
        const to = session.envelope.rcptTo.map(({ address }) => address);
        say(`mail ${JSON.stringify({ port, secure: session.secure, to, text })}`);
        done(null, "queued for you");
      });
    },
  });
  // A client that does not trust the certificate goes away in the middle.
  server.on("error", () => {});
  server.listen(port, "0.0.0.0", () => say(`smtp ready ${port}`));
}

/** Addresses by name; of several, each query gets the next, and the last goes on. */
const NAMES: Readonly<Record<string, string[]>> = {
  "hooks.test": [INTERNET],
  "inside.test": ["192.168.2.1"],
  "local.test": ["127.0.0.1"],
  "rebind.test": [INTERNET, "192.168.2.1"],
};
const socket = Deno.listenDatagram({ transport: "udp", hostname: dnsAddress, port: 53 });
say("dns ready");
for await (const [bytes, from] of socket) {
  const query = decode(Buffer.from(bytes));
  const [question] = query.questions ?? [];
  const name = question?.name.toLowerCase() ?? "";
  const known = NAMES[name] ?? [];
  const data = question?.type !== "A" ? undefined : known.length > 1 ? known.shift() : known[0];
  say(`query ${question?.type} ${name}`);
  await socket.send(
    encode({
      type: "response",
      id: query.id ?? 0,
      flags: 0x180,
      questions: query.questions ?? [],
      answers: data === undefined ? [] : [{ type: "A", name, data, ttl: 0 }],
    }),
    from,
  );
}
