import assert from "node:assert/strict";
import { createClient } from "@libsql/client";
import { errorAnswer } from "../../../routes/http/answer.ts";
import { diskError } from "../../../system/core/errors/disk_error.ts";
import { files } from "../../../system/core/config/files.ts";
import { inFolder } from "../../kit/process.ts";

async function caught(work: Promise<unknown>): Promise<unknown> {
  return await work.then(() => assert.fail("it worked"), (error: unknown) => error);
}

/** What writing to a disk without room throws. */
function fullDisk(): Promise<unknown> {
  return caught(Deno.writeTextFile("/dev/full", "much"));
}

Deno.test("a file is created anew, never through a link that lies in its place", async () => {
  await inFolder(async (folder) => {
    const other = `${folder}/of another`;
    await Deno.writeTextFile(other, "kept");
    await Deno.symlink(other, `${folder}/.a.json.x.tmp`);
    await files.place([await files.stage(`${folder}/a.json`, "new", "x")]);
    assert.equal(await Deno.readTextFile(`${folder}/a.json`), "new");
    assert.equal(await Deno.readTextFile(other), "kept");
  });
});

Deno.test("a disk without room is reported by files and by the database, however deep", async () => {
  assert.equal(diskError(await fullDisk()), "The disk is full");
  await inFolder(async (folder) => {
    const client = createClient({ url: `file:${folder}/a.db`, concurrency: 1 });
    await client.executeMultiple("create table t (x); pragma max_page_count = 2;");
    const error = await caught(client.execute("insert into t values (zeroblob(100000))"));
    client.close();
    assert.equal(diskError(new Error("Failed query", { cause: error })), "The disk is full");
  });
  assert.equal(diskError(new Error("ENOSPC is only said here")), null);
  assert.equal(diskError("ENOSPC"), null);
});

Deno.test("a caller learns that the disk is full, and the log has the rest", async () => {
  const logged: unknown[] = [];
  const error = await fullDisk();
  const answer = errorAnswer(error, (one) => logged.push(one));
  assert.equal(answer.status, 500);
  assert.match((await answer.json()).detail, /disk is full/);
  assert.deepEqual(logged, [error]);
});
