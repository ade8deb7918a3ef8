import assert from "node:assert/strict";
import { errorText } from "../../../system/core/errors/error_text.ts";
import { openLog } from "../../../system/core/log/log.ts";

function lines(human: boolean, write: (log: ReturnType<typeof openLog>) => void): string[] {
  const written: string[] = [];
  write(openLog({
    process: "api",
    human,
    write: (line) => written.push(line),
    now: () => new Date("2026-01-02T03:04:05.678Z"),
  }));
  return written;
}

Deno.test("a log line is one JSON object when no person reads it", () => {
  const [line = "", ...more] = lines(
    false,
    (log) => log.warn("test.happened", "A thing\nhappened", { port: 80 }),
  );
  assert.equal(more.length, 0);
  assert.deepEqual(JSON.parse(line), {
    port: 80,
    time: "2026-01-02T03:04:05.678Z",
    level: "warn",
    process: "api",
    event: "test.happened",
    message: "A thing\nhappened",
  });
  assert.equal(line.indexOf("\n"), line.length - 1);
});

Deno.test("a value cannot forge a line or steer the terminal of the person who reads", () => {
  const [line = ""] = lines(
    true,
    (log) => log.info("test.seen", "Seen", { name: "a\n\x1b[2Jb\x9bc" }),
  );
  assert.equal(line, "03:04:05 api      Seen [test.seen] name=a [2Jb c\n");
});

Deno.test("fields that sound like secrets are hidden", () => {
  const written = lines(
    false,
    (log) =>
      log.info("test.started", "Started", {
        adminPassword: "hunter22",
        databaseToken: "hunter22",
        Psk: "hunter22",
      }),
  );
  assert.doesNotMatch(written.join(), /hunter22/);
});

Deno.test("fields cannot replace what every line has", () => {
  const [line = ""] = lines(
    false,
    (log) => log.info("test.real", "Real", { event: "forged", message: "forged", level: "error" }),
  );
  assert.equal(JSON.parse(line).event, "test.real");
  assert.equal(JSON.parse(line).message, "Real");
  assert.equal(JSON.parse(line).level, "info");
});

Deno.test("lines below the level are not written", () => {
  assert.deepEqual(lines(false, (log) => log.debug("test.detail", "Detail")), []);
});

Deno.test("a failed query's values are neither logged nor reported, only why it failed", () => {
  const cause = new Error("SQLITE_FULL: database or disk is full");
  const error = Object.assign(new Error('Failed query: insert\nparams: "hunter22"', { cause }), {
    query: "insert",
    params: ["hunter22"],
  });
  const [line = ""] = lines(false, (log) => log.error("test.failed", "Could not write", { error }));
  assert.doesNotMatch(line, /hunter22/);
  assert.match(line, /disk is full/);
  assert.equal(errorText(error), "SQLITE_FULL: database or disk is full");
  assert.equal(errorText(new Error("plain")), "plain");
});

Deno.test("an error is logged with its stack where something is broken, elsewhere by its message", () => {
  const error = new Error("It answers 404 instead of a list");
  const [broken = "", odd = ""] = lines(false, (log) => {
    log.error("test.broken", "Broken", { error });
    log.warn("test.odd", "Odd", { error });
  });
  assert.match(JSON.parse(broken).error, /^Error: It answers 404 instead of a list\n +at /);
  assert.equal(JSON.parse(odd).error, "Error: It answers 404 instead of a list");
});
