import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { savedSecret } from "../../../system/core/process/saved_secret.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Milliseconds that a first start may take on a busy machine. */
const MAX_START_MS = 120_000;

Deno.test("the first start shows the setup code on a pseudo-terminal, and in no log", async () => {
  const home = await Deno.makeTempDir();
  // `script` runs the command on a pseudo-terminal of its own.
  const child = new Deno.Command("script", {
    args: ["-qec", `${Deno.execPath()} run -q -P=launcher main.ts`, "/dev/null"],
    cwd: ROOT,
    env: {
      SLUICE_HOME: home,
      SLUICE_NETWORK: "off",
      SLUICE_HTTP: "127.0.0.1:0",
      SLUICE_HTTPS: "127.0.0.1:0",
    },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const late = setTimeout(() => child.kill("SIGKILL"), MAX_START_MS);
  let shown = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const found = () => /with the password (\S+)/.exec(shown)?.[1];
  while (found() === undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    shown += value;
  }
  const code = found();
  child.kill("SIGTERM");
  while (!(await reader.read()).done);
  await child.status;
  clearTimeout(late);
  const saved = await Deno.readTextFile(`${home}/state/first-start.txt`);
  assert.ok(code !== undefined && saved.includes(code), shown);
  for await (const { name, isFile } of Deno.readDir(`${home}/state/logs`)) {
    if (!isFile) continue;
    assert.ok(!(await Deno.readTextFile(`${home}/state/logs/${name}`)).includes(code), name);
  }
  await Deno.remove(home, { recursive: true });
});

const line = (fields: Record<string, unknown>) =>
  JSON.stringify({
    ...{ time: new Date().toISOString(), level: "info", process: "api", message: "Saved" },
    ...fields,
  });

Deno.test("a terminal is shown the setup code's file alone, whatever file a process names", async () => {
  const home = await Deno.makeTempDir();
  const path = join(home, "state/first-start.txt"), other = join(home, "state/other.txt");
  await Deno.mkdir(join(home, "state"));
  await Deno.writeTextFile(path, "the code\u001b[2J is\nhere\n");
  await Deno.writeTextFile(other, "not for this");
  const event = "access.setup_code_saved";
  const shown = (fields: Record<string, unknown>, process = "api") =>
    savedSecret(line(fields), { process, home });
  assert.equal(shown({ event, path }), "the code [2J is\nhere\n");
  assert.equal(shown({ event, path: other }), "");
  assert.equal(shown({ event, path: "/dev/zero" }), "");
  assert.equal(shown({ event, path }, "dnsd"), "", "a process with fewer rights");
  assert.equal(shown({ event: "http.request_failed", name: event, path }), "");
  assert.equal(savedSecret(`"${event}"`, { process: "api", home }), "");
  await Deno.remove(path);
  assert.equal(shown({ event, path }), "", "it was used");
  await Deno.symlink("/dev/zero", path);
  assert.equal(shown({ event, path }), "", "a link in its place");
  await Deno.remove(path);
  await Deno.writeTextFile(path, "x".repeat(5000));
  assert.equal(shown({ event, path }), "", "longer than a code");
  await Deno.remove(home, { recursive: true });
});
