import assert from "node:assert/strict";
import { LogFiles } from "../../system/core/log_files.ts";
import { answered, inFolder, startProgram } from "../kit/process.ts";

const ROOM = "1m";

async function must(command: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** A home on a disk of its own that is soon full. */
async function onSmallDisk(work: (home: string) => Promise<void>): Promise<void> {
  await inFolder(async (home) => {
    await must("mount", ["-t", "tmpfs", "-o", `size=${ROOM}`, "tmpfs", home]);
    try {
      await work(home);
    } finally {
      await must("umount", ["--lazy", home]);
    }
  });
}

/** Leaves no byte of the disk. */
async function fill(home: string): Promise<void> {
  using file = await Deno.open(`${home}/filler`, { write: true, create: true });
  try {
    for (;;) file.writeSync(new Uint8Array(4096));
  } catch (error) {
    assert.equal((error as { code?: string }).code, "ENOSPC");
  }
}

const AS_ADMIN = { authorization: `Basic ${btoa("admin:correct horse battery")}` };

Deno.test("a full disk is told to whoever changes something, and starts keep what was decided", () =>
  onSmallDisk(async (home) => {
    const ask = async (url: string, method: string, path: string, body?: unknown) => {
      const headers = { ...AS_ADMIN, "content-type": "application/json" };
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${url}${path}`, { method, headers, ...init });
      return { status: answer.status, text: await answer.text() };
    };
    {
      await using program = startProgram({ home });
      await (await answered(program)).body?.cancel();
      assert.equal((await ask(program.url, "PUT", "/groups", { Name: "kitchen" })).status, 200);
      await fill(home);
      for (const [path, body] of [["/groups", { Name: "b" }], ["/backup"]] as const) {
        const { status, text } = await ask(program.url, "PUT", path, body);
        assert.equal(status, 500, text);
        assert.match(text, /disk is full/);
      }
      for await (const { name } of Deno.readDir(`${home}/state/backups`)) {
        assert.fail(`${name} is half a backup`);
      }
    }
    for (const end of ["-shm", "-wal"]) {
      // A start that finds neither needs room for them.
      const path = `${home}/state/sluice.db${end}`;
      if (end === "-wal" && (await Deno.stat(path).catch(() => null))?.size) break;
      await Deno.remove(path).catch(() => {});
      await fill(home);
    }
    await using again = startProgram({ home });
    await (await answered(again)).body?.cancel();
    assert.match((await ask(again.url, "GET", "/groups")).text, /kitchen/);
    assert.equal((await ask(again.url, "PUT", "/groups", { Name: "b" })).status, 500);
    await Deno.remove(`${home}/filler`);
    assert.equal((await ask(again.url, "PUT", "/groups", { Name: "b" })).status, 200);
    assert.match((await ask(again.url, "GET", "/groups")).text, /kitchen.*"b"/);
  }));

Deno.test("a line of the log that a full disk cut takes no other along", () =>
  onSmallDisk(async (home) => {
    const path = `${home}/log.jsonl`;
    using files = new LogFiles(path);
    // So that the disk has room for the beginning of one more line.
    files.append(`${"x".repeat(4085)}\n`);
    await fill(home);
    files.append("cut in the middle\n");
    files.append("lost as a whole\n");
    await Deno.remove(`${home}/filler`);
    files.append("kept\n");
    files.append("as well\n");
    const [, ...rest] = (await Deno.readTextFile(path)).split("\n");
    assert.deepEqual(rest, ["cut in the", "kept", "as well", ""]);
  }));
