import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { dirname, join, normalize } from "node:path";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const LINK = /\]\((?!https?:)([^)#\s]+)(?:#[^)\s]*)?\)/g;

/** The pages of the manual and of the program, by their paths. */
function pages(): readonly string[] {
  const below = ["docs", "docs/decisions"].flatMap((folder) =>
    [...Deno.readDirSync(join(ROOT, folder))].map(({ name }) => `${folder}/${name}`)
  );
  return ["README.md", "CONTRIBUTING.md", ...below.filter((path) => path.endsWith(".md"))];
}

/** The files that a page links to. */
function linked(page: string): readonly string[] {
  const text = Deno.readTextFileSync(join(ROOT, page));
  return [...text.matchAll(LINK)].map(([, target]) => normalize(join(dirname(page), target!)));
}

Deno.test("every link between the pages of the manual leads to a file", async () => {
  for (const page of pages()) {
    for (const target of linked(page)) {
      const found = await Deno.stat(join(ROOT, target)).catch(() => null);
      assert.ok(found, `${page} links to ${target}`);
    }
  }
});

Deno.test("the manual's index lists each of its pages", () => {
  const listed = linked("docs/index.md");
  const manual = pages().filter((page) => page.startsWith("docs/") && page !== "docs/index.md");
  assert.deepEqual(manual.filter((page) => !listed.includes(page)), []);
});

Deno.test("every file that the recipes and the architecture name is there", async () => {
  for (const page of ["CONTRIBUTING.md", "docs/architecture.md"]) {
    const text = await Deno.readTextFile(join(ROOT, page));
    const named = text.matchAll(/`((?:configs|docs|routes|system|tests|ui)\/[\w./-]+)`/g);
    const paths = [...new Set([...named].map(([, path]) => path!))]
      // Files of a running router, in its home.
      .filter((path) => !path.startsWith("configs/") || path.startsWith("configs/systemd"));
    assert.ok(paths.length > 5, page);
    for (const path of paths) {
      const found = await Deno.stat(join(ROOT, path)).catch(() => null);
      assert.ok(found, `${page} names ${path}`);
    }
  }
});
