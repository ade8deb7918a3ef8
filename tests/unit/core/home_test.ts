import assert from "node:assert/strict";
import { join } from "node:path";
import { bringDefaults } from "../../../system/core/config/default_files.ts";
import { lockHome, prepareHome } from "../../../system/core/config/home.ts";
import { logFile, LogFiles } from "../../../system/core/log/log_files.ts";
import { STATE_FOLDERS } from "../../../system/processes.ts";
import { Refusal } from "../../../system/core/errors/refusal.ts";

const ROOT = join(import.meta.dirname ?? "", "../../..");
const AT_ONCE = { patience: 0, wait: (): Promise<void> => Promise.resolve() };

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-home-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function mode(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

Deno.test("the first start makes the live tree from the shipped configs", async () => {
  await inFolder(async (folder) => {
    const home = join(folder, "deep", "home");
    const made = await prepareHome({ root: ROOT, home }, STATE_FOLDERS);
    assert.ok(made.includes(join(home, "configs/base/dhcp.json")));
    assert.deepEqual(JSON.parse(await Deno.readTextFile(join(home, "configs/base/dhcp.json"))), {
      TinyNets: ["192.168.2.0/24"],
      LeaseTime: "24h0m0s",
    });
    await assert.rejects(Deno.stat(join(home, "configs/systemd")), Deno.errors.NotFound);
    await assert.rejects(Deno.stat(join(home, "configs/auth/README.md")), Deno.errors.NotFound);
  });
});

Deno.test("folders of the live tree are closed to others, whatever the umask", async () => {
  await inFolder(async (folder) => {
    const home = join(folder, "home");
    const mask = Deno.umask(0o077);
    try {
      await prepareHome({ root: ROOT, home }, STATE_FOLDERS);
    } finally {
      Deno.umask(mask);
    }
    assert.equal(await mode(home), 0o750);
    assert.equal(await mode(join(home, "configs/auth")), 0o700);
    assert.equal(await mode(join(home, "state/net")), 0o770);
    assert.equal(await mode(join(home, "state/plugins/wireguard")), 0o770);
  });
});

Deno.test("a later start keeps what people wrote, and brings each default once", async () => {
  await inFolder(async (home) => {
    await prepareHome({ root: ROOT, home }, STATE_FOLDERS);
    const mine = join(home, "configs/base/dhcp.json");
    const names = join(home, "configs/base/names.json");
    await Deno.writeTextFile(mine, "mine");
    await Deno.remove(names);
    assert.deepEqual(
      await prepareHome({ root: ROOT, home }, STATE_FOLDERS),
      [names],
      "nobody has set it up yet",
    );
    await Deno.writeTextFile(join(home, "configs/auth/auth_users.json"), '{"admin": "x"}');
    await Deno.remove(names);
    assert.deepEqual(
      await prepareHome({ root: ROOT, home }, STATE_FOLDERS),
      [],
      "what is gone is the engine's to tell",
    );
    const record = join(home, "state/defaults.json");
    const known: string[] = JSON.parse(await Deno.readTextFile(record));
    const earlier = known.filter((path) => path !== "base/names.json");
    await Deno.writeTextFile(record, JSON.stringify(earlier));
    assert.deepEqual(
      await prepareHome({ root: ROOT, home }, STATE_FOLDERS),
      [names],
      "as a new version brings it",
    );
    assert.deepEqual(JSON.parse(await Deno.readTextFile(record)), known);
    await Deno.writeTextFile(record, "{broken");
    assert.deepEqual(await prepareHome({ root: ROOT, home }, STATE_FOLDERS), []);
    assert.equal(await Deno.readTextFile(mine), "mine");
  });
});

Deno.test("a full disk keeps nobody from starting: what is there is not written again", async () => {
  await inFolder(async (home) => {
    await prepareHome({ root: ROOT, home }, STATE_FOLDERS);
    const base = join(home, "configs/base");
    await Deno.remove(join(base, "names.json"));
    const full = () => Deno.open("/dev/full", { write: true });
    assert.deepEqual(await bringDefaults(ROOT, home, full), []);
    await assert.rejects(Deno.stat(join(base, "names.json")), Deno.errors.NotFound);
    assert.match(await Deno.readTextFile(join(base, "dhcp.json")), /TinyNets/);
  });
});

Deno.test("nothing is written through a link in the place of a default, a lock or a log", async () => {
  await inFolder(async (folder) => {
    const home = join(folder, "home");
    const other = join(folder, "of another");
    const untouched = async () => assert.equal(await Deno.readTextFile(other), "kept");
    await Deno.writeTextFile(other, "kept");
    await Deno.mkdir(join(home, "configs/base"), { recursive: true });
    await Deno.mkdir(join(home, "state/logs"), { recursive: true });
    await Deno.symlink(other, join(home, "configs/base/dhcp.json.new"));
    await prepareHome({ root: ROOT, home }, STATE_FOLDERS);
    assert.match(await Deno.readTextFile(join(home, "configs/base/dhcp.json")), /TinyNets/);
    await untouched();

    for (const target of [other, join(folder, "nothing")]) {
      const lock = join(home, "state/launcher.lock");
      await Deno.symlink(target, lock);
      await assert.rejects(lockHome(home, "launcher", AT_ONCE), /launcher.lock is a symbolic link/);
      await Deno.remove(lock);
      await Deno.symlink(target, logFile(home));
      using log = new LogFiles(logFile(home));
      log.append("line\n");
      await Deno.remove(logFile(home));
    }
    await untouched();
    await assert.rejects(Deno.stat(join(folder, "nothing")), Deno.errors.NotFound);
  });
});

Deno.test("a process that sees nothing above its home finds it made", async () => {
  await inFolder(async (home) => {
    await prepareHome({ root: ROOT, home }, STATE_FOLDERS);
    const program = `
      const { prepareHome } = await import(${
      JSON.stringify(join(ROOT, "system/core/config/home.ts"))
    });
      await prepareHome(${JSON.stringify({ root: ROOT, home })}, ${JSON.stringify(STATE_FOLDERS)});
    `;
    const script = join(home, "state/script.ts");
    await Deno.writeTextFile(script, program);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-q", "--no-prompt", `--config=${join(ROOT, "deno.json")}`],
        ...[`--allow-read=${ROOT},${home}`, `--allow-write=${home}/configs,${home}/state`, script],
      ],
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
  });
});

Deno.test("a home that is a file is refused by name", async () => {
  await inFolder(async (folder) => {
    const home = join(folder, "file");
    await Deno.writeTextFile(home, "");
    await assert.rejects(lockHome(home, "launcher", AT_ONCE), (error: unknown) => {
      assert.ok(error instanceof Refusal);
      assert.match(error.message, /SLUICE_HOME/);
      return true;
    });
  });
});

Deno.test("a home is locked once; an ended holder holds nobody up", async () => {
  await inFolder(async (home) => {
    const first = await lockHome(home, "launcher", AT_ONCE);
    await assert.rejects(lockHome(home, "launcher", AT_ONCE), /Another Sluice is running on/);
    first[Symbol.dispose]();
    using second = await lockHome(home, "launcher", AT_ONCE);
    assert.equal(second.path, join(home, "state/launcher.lock"));
  });
});

Deno.test("a lock is waited for as long as the predecessor may take to end", async () => {
  await inFolder(async (home) => {
    const first = await lockHome(home, "api", AT_ONCE);
    let turns = 0;
    const wait = (): Promise<void> => {
      if (++turns === 3) first[Symbol.dispose]();
      return Promise.resolve();
    };
    using _second = await lockHome(home, "api", { patience: 1000, wait });
    assert.equal(turns, 3);
  });
});
