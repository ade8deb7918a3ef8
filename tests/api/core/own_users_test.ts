import assert from "node:assert/strict";
import { join } from "node:path";
import { findAccounts, idsOf } from "../../../system/core/process/accounts.ts";
import { PROCESSES } from "../../../system/processes.ts";
import { answered, closedFolder, type Program, startProgram, until } from "../../kit/process.ts";

const AS_ADMIN = { authorization: `Basic ${btoa("admin:correct horse battery")}` };

function uidOf(name: string): number {
  const accounts = findAccounts(PROCESSES, {
    passwd: Deno.readTextFileSync("/etc/passwd"),
    group: Deno.readTextFileSync("/etc/group"),
  });
  assert.ok(typeof accounts !== "string");
  return idsOf(PROCESSES.find((one) => one.name === name)!.unit!.account, accounts).uid;
}

async function groups(program: Program): Promise<string> {
  await (await answered(program)).body?.cancel();
  const answer = await fetch(`${program.url}/groups`, { headers: AS_ADMIN });
  return await answer.text();
}

async function put(program: Program, Name: string): Promise<void> {
  const init = { method: "PUT", headers: AS_ADMIN, body: JSON.stringify({ Name }) };
  const answer = await fetch(`${program.url}/groups`, init);
  assert.equal(answer.status, 200, await answer.text());
}

/** The uid of a running process of this program, by its name. */
function runsAs(program: Program, name: string): number {
  const children = Deno.readTextFileSync(`/proc/${program.pid}/task/${program.pid}/children`);
  const pid = children.trim().split(" ").find((one) =>
    Deno.readTextFileSync(`/proc/${one}/cmdline`).includes(`/${name}.js\0${name}\0`)
  );
  assert.ok(pid !== undefined, `${name} runs`);
  return Number(/^Uid:\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))![1]);
}

const ignore = Deno.uid() !== 0;

Deno.test({
  name: "a home where all was root's is given to the users of its processes, and back",
  ignore,
  async fn() {
    const closed = await closedFolder("sluice-");
    const open = await Deno.makeTempDir({ prefix: "sluice-" });
    const moved = join(open, "home");
    await Deno.chmod(open, 0o755);
    try {
      {
        await using program = startProgram({ home: closed.folder });
        await groups(program);
        await put(program, "kitchen");
        assert.equal(runsAs(program, "api"), 0, "others than root cannot reach it");
        assert.match(program.log(), /only root can reach.*users_shared/);
      }
      // As of a process that a crash left; nobody else is to get what it leads to.
      const other = join(open, "of another");
      await Deno.writeTextFile(other, "kept", { mode: 0o600 });
      await Deno.link(other, join(closed.folder, "state/linked"));
      await Deno.symlink(other, join(closed.folder, "state/dns/planted"));
      await Deno.rename(closed.folder, moved);
      {
        await using program = startProgram({ home: moved });
        assert.match(await groups(program), /kitchen/);
        await put(program, "garden");
        assert.equal(runsAs(program, "api"), uidOf("api"));
        assert.doesNotMatch(program.log(), /users_shared/);
      }
      assert.equal((await Deno.stat(other)).uid, 0);
      for (
        const [path, uid, mode] of [
          [".", 0, 0o751],
          ["configs/devices/groups.json", uidOf("api"), 0o600],
          ["state", 0, 0o1771],
          ["state/sluice.db", uidOf("api"), 0o600],
          ["state/launcher.lock", 0, 0o600],
          ["state/logs", 0, 0o2750],
          ["state/net", uidOf("netd"), 0o3770],
          ["private/netd", uidOf("netd"), 0o700],
          ["private/uplinkd", 0, 0o700],
          ["cache/dnsd", uidOf("dnsd"), 0o700],
        ] as const
      ) {
        const found = await Deno.lstat(join(moved, path));
        assert.deepEqual([found.uid, (found.mode ?? 0) & 0o7777], [uid, mode], path);
      }
      // Back where only root gets: it overrides the modes of files that are not its own any more.
      await Deno.rename(moved, closed.folder);
      await using program = startProgram({ home: closed.folder });
      assert.match(await groups(program), /kitchen.*garden/);
      await put(program, "attic");
      assert.equal(runsAs(program, "api"), 0);
    } finally {
      await closed.remove();
      await Deno.remove(open, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "a link in the place of a folder of the home ends the start, and nothing behind it is touched",
  ignore,
  async fn() {
    const home = await Deno.makeTempDir({ prefix: "sluice-" });
    const other = await Deno.makeTempDir({ prefix: "sluice-" });
    try {
      await Deno.mkdir(join(home, "state"));
      await Deno.symlink(other, join(home, "state/net"));
      const program = startProgram({ home });
      assert.equal((await program.status).code, 78);
      assert.match(program.log(), /state\/net is a link or a file/);
      const found = await Deno.stat(other);
      assert.deepEqual([found.uid, (found.mode ?? 0) & 0o777], [0, 0o700]);
      await Deno.remove(join(home, "state/net"));
      await using again = startProgram({ home });
      await groups(again);
      await until("the api is a user of its own", () => runsAs(again, "api") === uidOf("api"));
    } finally {
      await Deno.remove(home, { recursive: true });
      await Deno.remove(other, { recursive: true });
    }
  },
});
