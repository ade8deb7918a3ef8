import assert from "node:assert/strict";
import { MEMORY_VARIABLES } from "../../../system/core/process/deno_arguments.ts";
import { ROOT } from "../../kit/process.ts";
import { LAUNCHER_FLAGS, launcherBundle } from "../../kit/run/bundle.ts";
import { PROCESSES } from "../../../system/processes.ts";

Deno.test("each process has a bundle, which finds its workers there and its other files in the sources", async () => {
  launcherBundle();
  const addresses = new Set<string>();
  for (const name of ["launcher", ...PROCESSES.map((process) => process.name)]) {
    // A line may end anywhere, also within a string.
    const text = (await Deno.readTextFile(`${ROOT}/dist/${name}.cjs`)).replaceAll(/\\?\n/g, "");
    assert.doesNotMatch(
      text,
      /(require|import)\("(\.|zod|hono|drizzle)/,
      `${name} imports what it should contain`,
    );
    // A single other character, as in a regular expression, doubles what V8 keeps of the source.
    assert.doesNotMatch(text, /[\u0080-\uffff]/, `${name} has characters outside ASCII`);
    for (const [, path = ""] of text.matchAll(/new URL\("(\.[^"]+)",ownAddress\)/g)) {
      addresses.add(path);
    }
  }
  for (const path of addresses) {
    assert.ok(await Deno.stat(new URL(path, `file://${ROOT}/dist/`)), path);
  }
  const workers = [...addresses].filter((path) => path.startsWith("./"));
  assert.deepEqual(workers.sort(), [
    "./system_dns_block_table_build_worker.js",
    "./system_dns_log_writer_thread.js",
    "./system_events_store_thread.js",
    "./system_lookup_tables_compile_worker.js",
  ]);
  assert.ok(addresses.has("../system/core/store/open.ts"), "the migrations are found by it");
});

Deno.test("deno task start starts the launcher as sparing with memory as its children", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
  const variables = Object.entries(MEMORY_VARIABLES).map(([name, value]) => `${name}=${value}`);
  assert.ok(
    tasks.start.command.endsWith(
      `${
        variables.join(" ")
      } deno run -q -P=launcher ${LAUNCHER_FLAGS} dist/launcher.js --attached`,
    ),
  );
});
