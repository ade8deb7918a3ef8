import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

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
