import type { Hono } from "hono";
import { join } from "node:path";

const DIST = join(import.meta.dirname ?? ".", "../../../ui/dist");
const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  html: "text/html; charset=utf-8",
};
const POLICY =
  "default-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** Serves the built page under `/admin/` with the content policy of the real one. */
export function servePage(app: Hono): void {
  app.get("/admin/assets/:name{[\\w.-]+}", (c) => file(`assets/${c.req.param("name")}`));
  app.get("/admin/*", () => file("index.html"));
  app.get("/", () => file("index.html"));
}

async function file(path: string): Promise<Response> {
  const bytes = await Deno.readFile(join(DIST, path)).catch(() => null);
  if (bytes === null) return new Response("not built", { status: 404 });
  const type = TYPES[path.split(".").at(-1) ?? ""] ?? "application/octet-stream";
  return new Response(bytes, {
    headers: { "Content-Type": type, "Content-Security-Policy": POLICY },
  });
}
