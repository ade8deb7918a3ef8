// A plugin answers HTTP on its socket. It has its own folder, this socket, and what plugin.json names.
const [socket, folder] = Deno.args as [string, string];

/** How often the page was opened; kept in the plugin's own folder. */
async function count(): Promise<number> {
  const file = `${folder}/count`;
  const before = Number(await Deno.readTextFile(file).catch(() => "0"));
  await Deno.writeTextFile(file, String(before + 1));
  return before + 1;
}

Deno.serve({ path: socket }, async (request) => {
  switch (new URL(request.url).pathname) {
    case "/":
      return new Response(await Deno.readTextFile(new URL("page.html", import.meta.url)), {
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    case "/count":
      // Who calls is what the router says; no client can set it.
      return Response.json({
        count: await count(),
        caller: request.headers.get("sluice-caller"),
      });
    default:
      return new Response("There is nothing here\n", { status: 404 });
  }
});
