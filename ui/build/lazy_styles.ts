import type { Plugin } from "esbuild";
import { transform } from "esbuild";

/**
 * Styles that a page or a part imports come with its script and are adopted when it is loaded, so that
 * the first page waits for no style that it does not show. Those of the entry stay a file of their own.
 * Their place in the cascade is their layer’s, whenever they come.
 */
export function lazyStyles(entry: string): Plugin {
  return {
    name: "lazy-styles",
    setup(build): void {
      build.onResolve({ filter: /\.css$/ }, async (args) => {
        if (args.namespace === "lazy" || args.importer === entry) return null;
        if (!/\.tsx?$/.test(args.importer)) return null;
        const { path } = await build.resolve(args.path, {
          resolveDir: args.resolveDir,
          importer: entry,
          kind: args.kind,
        });
        return { path, namespace: "lazy" };
      });
      build.onLoad({ filter: /\.css$/, namespace: "lazy" }, async ({ path }) => {
        const { code } = await transform(await Deno.readTextFile(path), {
          loader: "css",
          minify: true,
        });
        const contents = `const sheet = new CSSStyleSheet();
sheet.replaceSync(${JSON.stringify(code.trim())});
document.adoptedStyleSheets.push(sheet);`;
        return { contents, loader: "js" };
      });
    },
  };
}
