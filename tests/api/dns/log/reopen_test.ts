import assert from "node:assert/strict";
import { join } from "node:path";
import { openLog } from "../../../../system/core/log/log.ts";
import { startDnsd } from "../../../../system/dns/service.ts";
import { until } from "../../../kit/process.ts";

// dnsd keeps the C library for as long as its process lives.
Deno.test("a query log that cannot be opened at the start is opened as soon as possible", {
  sanitizeResources: false,
}, async () => {
  const folder = await Deno.makeTempDir();
  const lines: string[] = [];
  const folderAtPath = join(folder, "log.db");
  await Deno.mkdir(folderAtPath);
  const dnsd = await startDnsd({
    socket: join(folder, "nobody.sock"),
    folder,
    log: openLog({ process: "dnsd", human: false, write: (line) => lines.push(line) }),
    logRetry: 20,
  });
  try {
    const failures = (): number =>
      lines.filter((line) => line.includes("query_log.open_failed")).length;
    await until("it is reported", () => failures() > 0);
    assert.equal(dnsd.queryLog(), null);
    await Deno.remove(folderAtPath);
    await until("the log is open", () => dnsd.queryLog() !== null);
    assert.equal(failures(), 1, "and it is reported once");
  } finally {
    await dnsd.stop();
    await Deno.remove(folder, { recursive: true });
  }
});
