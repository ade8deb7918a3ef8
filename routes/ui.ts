import type { Context, Env, Hono } from "hono";
import { Problem } from "../system/core/errors/problem.ts";
import { problemAnswer } from "./http/answer.ts";

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
};

/** One file of the built UI with what was packed beside it. */
interface Asset {
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly br?: Uint8Array<ArrayBuffer>;
  readonly gzip?: Uint8Array<ArrayBuffer>;
}

/** The built UI, by path below `/admin/`. */
export type UiAssets = ReadonlyMap<string, Asset>;

/**
 * Reads the built UI into memory, by path below `/admin/`. A request can then name only files that
 * are there, never a path on disk. Returns an empty map when the UI was not built.
 */
export async function readUi(folder: string): Promise<UiAssets> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  await walk(folder, "", files);
  const assets = new Map<string, Asset>();
  for (const [path, plain] of files) {
    const type = typeOf(path);
    if (type === undefined) continue;
    const br = files.get(`${path}.br`), gzip = files.get(`${path}.gz`);
    assets.set(path, { type, plain, ...(br ? { br } : {}), ...(gzip ? { gzip } : {}) });
  }
  return assets;
}

function typeOf(path: string): string | undefined {
  return TYPES[path.slice(path.lastIndexOf(".") + 1)];
}

async function walk(
  root: string,
  below: string,
  files: Map<string, Uint8Array<ArrayBuffer>>,
): Promise<void> {
  try {
    for await (const entry of Deno.readDir(`${root}/${below}`)) {
      const path = below + entry.name;
      if (entry.isDirectory) await walk(root, `${path}/`, files);
      // Source maps, which nobody is served, are most of what lies there.
      else if (entry.isFile && typeOf(path.replace(/\.(br|gz)$/, "")) !== undefined) {
        files.set(path, await Deno.readFile(`${root}/${path}`));
      }
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/**
 * Mounts the UI: `/` and every path under `/admin/` that is no file answer the page, whose script
 * reads the path itself.
 */
export function mountUi<E extends Env>(app: Hono<E>, assets: UiAssets): void {
  const page = (c: Context) => {
    const asset = assets.get("index.html");
    if (asset) return send(c, asset, "no-cache");
    return problemAnswer(
      new Problem(503, "The admin UI was not built; run `deno run -P=build ui/build.ts`"),
    );
  };
  app.get("/", page);
  app.all("/auth/validate", page);
  app.get("/admin/*", (c) => {
    const path = c.req.path.slice("/admin/".length);
    const asset = assets.get(path);
    if (!asset || path === "index.html") {
      return path.startsWith("assets/")
        ? problemAnswer(new Problem(404, "There is no such file"))
        : page(c);
    }
    const hashed = path.startsWith("assets/");
    return send(c, asset, hashed ? "public, max-age=31536000, immutable" : "no-cache");
  });
}

/** True for a path that {@link mountUi} serves. */
export function isUiPath(path: string): boolean {
  return path === "/" || path === "/auth/validate" || /^\/admin(\/|$)/.test(path);
}

function send(c: Context, asset: Asset, cache: string): Response {
  const accepted = (c.req.header("accept-encoding") ?? "").split(",").map((part) =>
    part.trim().split(";")[0]
  );
  const coding = asset.br && accepted.includes("br")
    ? "br"
    : asset.gzip && accepted.includes("gzip")
    ? "gzip"
    : null;
  const headers = new Headers({
    "content-type": asset.type,
    "cache-control": cache,
    "vary": "accept-encoding",
  });
  if (coding) headers.set("content-encoding", coding);
  const body = coding === "br" ? asset.br! : coding === "gzip" ? asset.gzip! : asset.plain;
  return new Response(body, { headers });
}
