/**
 * Run inside the lab's `wan` namespace: a server of block lists on port 8080 of an address, and with
 * TLS on 443, and of another name on 444. `/hosts` is a list, `/page` a web page, `/home` redirects to
 * the address of the second argument. Each request is printed: `fetch /hosts`. Further arguments: files
 * of the certificate and key of each TLS port.
 */
const [hostname = "", home = "", ...certificates] = Deno.args;
const say = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
};

function answer(request: Request): Response {
  const { pathname } = new URL(request.url);
  say(`fetch ${pathname}`);
  switch (pathname) {
    case "/hosts":
      return new Response("# ads\n0.0.0.0 ads.test\n0.0.0.0 bücher.test\n");
    case "/tls":
      return new Response("tls.test\n");
    case "/page":
      return new Response("<!doctype html><title>Sign in</title>");
    case "/home":
      return new Response(null, { status: 302, headers: { location: home } });
    default:
      return new Response("nothing", { status: 404 });
  }
}

const [cert, key, otherCert, otherKey] = await Promise.all(
  certificates.map((path) => Deno.readTextFile(path)),
) as [string, string, string, string];
const quiet = { hostname, onListen: () => {} };
Deno.serve({ ...quiet, port: 443, cert, key }, answer);
Deno.serve({ ...quiet, port: 444, cert: otherCert, key: otherKey }, answer);
Deno.serve({ ...quiet, port: 8080, onListen: () => say("ready") }, answer);
