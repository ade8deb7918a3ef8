/**
 * Run inside the lab's `wan` namespace: a server of block lists on port 8080 of an address. `/hosts` is
 * a list, `/page` a web page, `/home` redirects to the address of the second argument. Each request is
 * printed: `asked /hosts`.
 */
const [hostname = "", home = ""] = Deno.args;
const say = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
};

Deno.serve({ hostname, port: 8080, onListen: () => say("ready") }, (request) => {
  const { pathname } = new URL(request.url);
  say(`asked ${pathname}`);
  switch (pathname) {
    case "/hosts":
      return new Response("# ads\n0.0.0.0 ads.test\n0.0.0.0 bücher.test\n");
    case "/page":
      return new Response("<!doctype html><title>Sign in</title>");
    case "/home":
      return new Response(null, { status: 302, headers: { location: home } });
    default:
      return new Response("nothing", { status: 404 });
  }
});
