import assert from "node:assert/strict";
import fc from "fast-check";
import { clockParameters, nextBoot } from "../../kit/vm/clock.ts";
import { cpio, folder, program } from "../../kit/vm/cpio.ts";
import { line, secondInit } from "../../kit/vm/init.ts";

async function shell(script: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script], stdout: "piped" })
    .output();
  return new TextDecoder().decode(stdout);
}

Deno.test("a VM's command line is passed on verbatim", async () => {
  const word = fc.string({ maxLength: 30 }).filter((text) => !text.includes("\0"));
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (words) => {
      const shown = await shell(line("printf", "%s\\0", "", ...words));
      assert.deepEqual(shown.split("\0").slice(0, -1), ["", ...words]);
    }),
    { numRuns: 30 },
  );
  const second = secondInit({
    ...{ command: ["deno", "test", "it's"], folder: "/a b", env: { X: "$(reboot)" } },
    ...{ modules: "/cache", load: [["hwsim", "radios=2"]], clockMatters: true },
  });
  assert.match(second, /^export X='\$\(reboot\)'$/m);
  assert.match(second, /^'cd' '\/a b'$/m);
  assert.match(second, /^'modprobe' 'hwsim' 'radios=2'$/m);
  assert.match(second, /^'deno' 'test' 'it'\\''s' /m);
});

Deno.test("a cpio archive contains each file with path, length and permissions", () => {
  const content = new TextEncoder().encode("seven b");
  const bytes = cpio([folder("bin"), program("bin/x", content)]);
  assert.equal(bytes.length % 4, 0);
  const text = new TextDecoder("latin1").decode(bytes);
  const found: [string, number, string][] = [];
  for (let at = 0;;) {
    assert.equal(text.slice(at, at + 6), "070701", `a header at ${at}`);
    const field = (n: number): number => parseInt(text.slice(at + 6 + 8 * n, at + 14 + 8 * n), 16);
    const name = text.slice(at + 110, at + 110 + field(11) - 1);
    if (name === "TRAILER!!!") break;
    const start = Math.ceil((at + 110 + field(11)) / 4) * 4;
    found.push([name, field(1), text.slice(start, start + field(6))]);
    at = Math.ceil((start + field(6)) / 4) * 4;
  }
  assert.deepEqual(found, [["bin", 0o040755, ""], ["bin/x", 0o100755, "seven b"]]);
});

Deno.test("a VM's cycle counter has the frequency of the host, where that is known", () => {
  const measured = ["tsc=reliable", "tsc=unstable"];
  const cpuinfo = "processor\t: 0\ncpu MHz\t\t: 2599.998\nprocessor\t: 1\ncpu MHz\t\t: 800.0\n";
  assert.deepEqual(clockParameters(cpuinfo), ["tsc=reliable tsc_early_khz=2599998", ...measured]);
  assert.deepEqual(clockParameters("processor\t: 0\n"), measured);
});

Deno.test("a VM that does not come up is booted again with the same clock, a wrong clock is not", () => {
  const clocks = ["known", "measured", "timer"];
  const next = (...failed: Parameters<typeof nextBoot>[1]) => nextBoot(clocks, failed)?.clock;
  assert.equal(next(), "known");
  assert.equal(next("not up"), "known");
  assert.equal(next("not up", "not up"), "measured");
  assert.equal(next("not up", "wrong clock"), "measured");
  assert.equal(next("not up", "wrong clock", "not up"), "measured");
  assert.equal(next("wrong clock", "wrong clock", "not up"), "timer");
  assert.equal(next("wrong clock", "wrong clock", "not up", "not up"), undefined);
  assert.deepEqual(nextBoot(clocks, ["wrong clock"]), { clock: "measured", isLast: false });
  assert.deepEqual(nextBoot(["timer"], []), { clock: "timer", isLast: true });
});
