import assert from "node:assert/strict";
import { LogFiles } from "../../../system/core/log/log_files.ts";
import { INTERNET } from "../../kit/lab/lab.ts";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";
import { data, dig } from "../../kit/lab/dig.ts";
import { answered, inFolder, startProgram } from "../../kit/process.ts";

const ROOM = "1m";
/** For a router with all its services. */
const MORE_ROOM = "24m";

async function must(command: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** A home on a disk of its own that is soon full. */
async function onSmallDisk(
  work: (home: string) => Promise<void>,
  room: string = ROOM,
): Promise<void> {
  await inFolder(async (home) => {
    await must("mount", ["-t", "tmpfs", "-o", `size=${room}`, "tmpfs", home]);
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

Deno.test("on a full disk changes are refused with a message, and restarts keep the configuration", () =>
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
      const login = await fetch(`${program.url}/auth/login`, { method: "PUT", headers: AS_ADMIN });
      assert.equal(login.status, 200, await login.text());
      const headers = { cookie: login.headers.getSetCookie()[0]!.split(";")[0]! };
      const page = await fetch(`${program.url}/groups`, { headers });
      assert.equal(page.status, 200, await page.text());
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

Deno.test("a full disk is a standing notice, also after a restart, until there is room", () =>
  onSmallDisk(async (home) => {
    const notices = async (url: string): Promise<readonly { kind: string; detail: string }[]> => {
      const answer = await fetch(`${url}/notices`, { headers: AS_ADMIN });
      return (await answer.json()).items;
    };
    const standing = (url: string) => async () =>
      (await notices(url)).some(({ kind, detail }) =>
        kind === "disk-full" && /is full: changes are refused.*Delete files/.test(detail)
      );
    {
      await using program = startProgram({ home });
      await (await answered(program)).body?.cancel();
      assert.deepEqual(await notices(program.url), []);
      await fill(home);
      await eventually("it is reported", standing(program.url));
    }
    await using program = startProgram({ home });
    await (await answered(program)).body?.cancel();
    await eventually("it is reported again", standing(program.url));
    await Deno.remove(`${home}/filler`);
    await eventually("it is over", async () => (await notices(program.url)).length === 0);
  }, "64m"));

Deno.test("on a full disk an edited or missing file neither blocks a start nor loses anything", () =>
  onSmallDisk(async (home) => {
    const path = `${home}/configs/devices/groups.json`;
    const groups = async (url: string) =>
      await (await fetch(`${url}/groups`, { headers: AS_ADMIN })).text();
    const started = async () => {
      const program = startProgram({ home });
      await (await answered(program)).body?.cancel();
      return program;
    };
    {
      await using program = await started();
      for (const Name of ["kitchen", "garden"]) {
        const init = { method: "PUT", headers: AS_ADMIN, body: JSON.stringify({ Name }) };
        const answer = await fetch(`${program.url}/groups`, init);
        assert.equal(answer.status, 200, await answer.text());
      }
    }
    await fill(home);
    {
      using file = await Deno.open(path, { write: true });
      const text = await Deno.readTextFile(path);
      await file.write(new TextEncoder().encode(text.replace("garden", "gardex")));
    }
    {
      await using program = await started();
      assert.match(await groups(program.url), /kitchen.*garden/);
      assert.match(await Deno.readTextFile(path), /gardex/);
    }
    await Deno.rename(path, `${path}.mine`);
    await fill(home);
    {
      await using program = await started();
      assert.match(await groups(program.url), /kitchen.*garden/);
    }
    await Deno.remove(`${home}/filler`);
    {
      await using program = await started();
      assert.match(await groups(program.url), /kitchen.*garden/);
      assert.match(await Deno.readTextFile(path), /garden/, "written again as it was in force");
    }
    await Deno.rename(`${path}.mine`, path);
    await using program = await started();
    assert.match(await groups(program.url), /kitchen.*gardex/, "the edit is taken in with room");
  }));

Deno.test("on a full disk an uploaded block list is refused without leaving files", () =>
  onSmallDisk(async (home) => {
    await using program = startProgram({ home });
    await (await answered(program)).body?.cancel();
    const ask = async (method: string, path: string, body?: unknown) => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${program.url}/plugins/dns/block${path}`, {
        method,
        headers: { ...AS_ADMIN, "content-type": "application/json" },
        ...init,
      });
      return { status: answer.status, text: await answer.text() };
    };
    assert.equal((await ask("PUT", "/upload/mine", { Text: "one.example\n" })).status, 200);
    await fill(home);
    const large = "two.example\n".repeat(50_000);
    for (const name of ["mine", "other"]) {
      const { status, text } = await ask("PUT", `/upload/${name}`, { Text: large });
      assert.equal(status, 500, text);
      assert.match(text, /disk is full/);
    }
    assert.deepEqual(
      JSON.parse((await ask("GET", "/blocklists")).text).map(({ URI }: { URI: string }) => URI),
      ["upload:mine"],
    );
    const folder = `${home}/state/dns/lists`;
    const files = [...Deno.readDirSync(folder)].map(({ name }) => name);
    const texts = files.map((name) => Deno.readTextFileSync(`${folder}/${name}`));
    assert.deepEqual(texts, ["one.example\n"], files.join(" "));
    await Deno.remove(`${home}/filler`);
    assert.equal((await ask("PUT", "/upload/mine", { Text: "three.example\n" })).status, 200);
  }, "4m"));

Deno.test("a log line truncated by a full disk does not affect others", () =>
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

Deno.test("a router that starts on a full disk routes, leases and resolves as before", () =>
  onSmallDisk(async (home) => {
    const router = { home, services: "dnsd,dhcpd,multicastd" };
    await withBed(
      { name: "fulls", leases: 2, router },
      async ({ lab, router, clients: [a, b] }) => {
        await give(router, a!.mac, { Policies: ["wan", "dns"], Name: "first" });
        await give(router, b!.mac, { Policies: ["dns"], Name: "second" });
        const named = async () => data(await dig(lab, "a", "192.168.2.1", "second.lan")) === b!.IP;
        await eventually("dnsd answers", named);
        for (const signal of ["SIGKILL", "SIGTERM"] as const) {
          await fill(home);
          await router.stop(signal);
          await fill(home);
          await router.start();
          await eventually(
            "the network is applied",
            async () => (await router.api("GET", "/network")).json.state === "applied",
          );
          await eventually("dnsd answers again", named);
          assert.equal(await lab.tcp("a", INTERNET, 80), "open", signal);
          assert.notEqual(await lab.tcp("b", INTERNET, 80), "open", signal);
          assert.equal((await router.lease(a!)).IP, a!.IP, signal);
          const refused = await router.api("PUT", `/device?identity=${b!.mac}`, {
            body: { Policies: ["wan"] },
          });
          assert.equal(refused.status, 500, refused.text);
          await Deno.remove(`${home}/filler`);
          const taken = await router.api("PUT", "/groups", { body: { Name: signal } });
          assert.equal(taken.status, 200, taken.text);
        }
      },
    );
  }, MORE_ROOM));

Deno.test("a first start on a full disk reports it, and succeeds once there is space", () =>
  onSmallDisk(async (home) => {
    await using program = startProgram({ home });
    await eventually(
      "it says so",
      () =>
        Promise.resolve(
          /Could not start\. The disk is full: SLUICE_HOME needs/.test(program.log()),
        ),
    );
    await must("mount", ["-o", "remount,size=8m", home]);
    await (await answered(program)).body?.cancel();
  }, "128k"));
