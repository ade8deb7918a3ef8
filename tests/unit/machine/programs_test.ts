import assert from "node:assert/strict";
import { launchedPrograms } from "../../../routes/composition/programs.ts";
import { programsOfUnits } from "../../../system/host/tools/units.ts";
import type { Control } from "../../../system/core/process/control.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { callRootSocket } from "../../../system/host/sockets/root_socket.ts";
import { inFolder } from "../../kit/process.ts";

const NOBODY: Control = {
  list: () => Promise.reject(new Error("nobody")),
  start: () => Promise.reject(new Error("nobody")),
  stop: () => Promise.reject(new Error("nobody")),
  restart: () => Promise.reject(new Error("nobody")),
};
const LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** A unit's socket: each connection is told this, then closed; `null` is told nothing and kept. */
async function withSocket(
  text: string | null,
  work: (path: string, connections: () => number) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const path = `${folder}/asked.sock`;
    using listener = Deno.listen({ transport: "unix", path });
    let connections = 0;
    const kept: Deno.Conn[] = [];
    const serving = (async () => {
      for await (const connection of listener) {
        connections++;
        if (text === null) kept.push(connection);
        else {
          await connection.write(new TextEncoder().encode(text));
          connection.close();
        }
      }
    })();
    try {
      await work(path, () => connections);
    } finally {
      for (const connection of kept) connection.close();
      listener.close();
      await serving;
    }
  });
}

const failure = (status: number, text: RegExp) => (error: unknown): true => {
  assert.ok(error instanceof Problem);
  assert.equal(error.status, status);
  assert.match(error.message, text);
  return true;
};

Deno.test("a call to a root socket without output has succeeded", async () => {
  await withSocket("", async (path, connections) => {
    assert.equal(await callRootSocket(path, { what: "timedatectl" }), true);
    assert.equal(connections(), 1);
  });
});

Deno.test("a root socket's error is passed on, and a hanging call times out", async () => {
  await withSocket("Failed to set ntp: NTP not supported\n", async (path) => {
    await assert.rejects(
      callRootSocket(path, { what: "timedatectl" }),
      failure(502, /^timedatectl: Failed to set ntp: NTP not supported$/),
    );
  });
  await withSocket("x".repeat(100_000), async (path) => {
    const error = await callRootSocket(path, { what: "it" }).catch((error) => error);
    assert.ok(error.message.length < 2100);
  });
  await withSocket(null, async (path) => {
    await assert.rejects(
      callRootSocket(path, { what: "timedatectl", seconds: 0.05 }),
      failure(502, /did not end within 0.05 seconds/),
    );
  });
});

Deno.test("without a listening root socket the call returns false", async () => {
  await inFolder(async (folder) => {
    assert.equal(await callRootSocket(`${folder}/none.sock`, { what: "it" }), false);
    const path = `${folder}/old.sock`;
    Deno.listen({ transport: "unix", path }).close();
    assert.equal(await callRootSocket(path, { what: "it" }), false);
  });
});

const SHOWN = `MainPID=41
Id=sluice-api.service
LoadState=loaded
ActiveState=active
SubState=running
StateChangeTimestamp=@1732789000

MainPID=0
Id=sluice-netd.service
LoadState=loaded
ActiveState=activating
SubState=auto-restart
StateChangeTimestamp=@1732789001

MainPID=0
Id=sluice-dnsd.service
LoadState=loaded
ActiveState=failed
SubState=failed
StateChangeTimestamp=

MainPID=0
Id=sluice-dhcpd.service
LoadState=not-found
ActiveState=inactive
SubState=dead
StateChangeTimestamp=
`;

Deno.test("systemd units map to processes that run, restart or exited", () => {
  assert.deepEqual(programsOfUnits(SHOWN), [
    { name: "api", state: "running", pid: 41, since: 1_732_789_000_000 },
    { name: "netd", state: "restarting", pid: null, since: 1_732_789_001_000 },
    { name: "dnsd", state: "exited", pid: null, since: 0 },
  ]);
  for (const text of ["", "\n\n", "nonsense", "Id=other.service\nLoadState=loaded\n"]) {
    assert.deepEqual(programsOfUnits(text), []);
  }
});

Deno.test("without a launcher, processes are systemd units and restart through its socket", async () => {
  const units = programsOfUnits(SHOWN);
  await withSocket("", async (restartSocket, connections) => {
    const options = { launcher: NOBODY, log: LOG, since: 5000, restartSocket };
    const programs = launchedPrograms({ ...options, units: () => Promise.resolve(units) });
    assert.deepEqual(await programs.list(), units);
    await programs.restart();
    assert.equal(connections(), 1);
    const alone = launchedPrograms({ ...options, units: () => Promise.resolve(null) });
    assert.deepEqual(await alone.list(), [
      { name: "api", state: "running", pid: Deno.pid, since: 5000 },
    ]);
  });
});

Deno.test("a restart that is not possible is a 503 that says what is needed", async () => {
  await inFolder(async (folder) => {
    const programs = launchedPrograms({
      launcher: NOBODY,
      log: LOG,
      since: 5000,
      units: () => Promise.resolve(null),
      restartSocket: `${folder}/none.sock`,
    });
    await assert.rejects(programs.restart(), failure(503, /systemctl restart sluice\.target/));
  });
});
