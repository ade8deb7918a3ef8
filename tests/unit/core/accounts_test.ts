import assert from "node:assert/strict";
import { findAccounts, FIRST_ID, idsOf } from "../../../system/core/process/accounts.ts";
import { heldCapabilities } from "../../../system/core/process/held_capabilities.ts";
import { restricted } from "../../../system/core/process/privileges.ts";
import { PROCESSES } from "../../../system/processes.ts";

const PASSWD = "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n";
const GROUP = "root:x:0:\nsystemd-journal:x:101:\n";
const WITH_UNIT = PROCESSES.filter(({ unit }) => unit !== null);
const account = (name: string) => PROCESSES.find((one) => one.name === name)!.unit!.account;

Deno.test("each process has a number of its own, in a range that nobody else gives out", () => {
  const numbers = WITH_UNIT.map(({ unit }) => FIRST_ID + unit!.account.number);
  assert.equal(new Set(numbers).size, WITH_UNIT.length);
  for (const number of numbers) assert.ok(number >= 60_578 && number <= 61_183, `${number}`);
});

Deno.test("without names, users and groups have our numbers; root stays root", () => {
  const accounts = findAccounts(PROCESSES, { passwd: PASSWD, group: GROUP });
  assert.ok(typeof accounts !== "string");
  const api = idsOf(account("api"), accounts);
  assert.deepEqual([api.uid, api.gid], [FIRST_ID, FIRST_ID]);
  assert.ok(api.groups.includes(FIRST_ID + account("netd").number), "it connects to netd");
  assert.ok(!api.groups.includes(101), "no group of another program");
  assert.deepEqual(idsOf(account("uplinkd"), accounts), {
    uid: 0,
    gid: FIRST_ID + account("uplinkd").number,
    groups: [],
  });
});

Deno.test("the users and groups of an installed router are used where all of them are there", () => {
  const names = WITH_UNIT.map(({ unit }) => unit!.account);
  const lines = (key: "user" | "group", from: number) =>
    names.map((one, at) => `${one[key]}:x:${from + at}:\n`).join("");
  const passwd = PASSWD + lines("user", 900).replaceAll(/^root:.*\n/gm, "");
  const accounts = findAccounts(PROCESSES, { passwd, group: GROUP + lines("group", 950) });
  assert.ok(typeof accounts !== "string");
  const at = names.findIndex(({ user }) => user === "sluice-dnsd");
  assert.deepEqual(idsOf(account("dnsd"), accounts), { uid: 900 + at, gid: 950 + at, groups: [] });
  const without = findAccounts(PROCESSES, { passwd, group: GROUP });
  assert.ok(typeof without !== "string");
  assert.equal(idsOf(account("dnsd"), without).uid, FIRST_ID + account("dnsd").number);
});

Deno.test("no number is used that somebody has already", () => {
  const group = `${GROUP}printers:x:${FIRST_ID + 1}:\n`;
  assert.equal(
    findAccounts(PROCESSES, { passwd: PASSWD, group }),
    `printers has the number ${FIRST_ID + 1} on this machine`,
  );
});

Deno.test("a capability that the launcher itself lacks is not requested from the kernel", () => {
  const text = (status: string) =>
    restricted({
      setpriv: "/usr/bin/setpriv",
      overridesModes: false,
      accounts: null,
      holds: heldCapabilities(status),
    }, PROCESSES.find(({ name }) => name === "netd")!).at(-1);
  assert.equal(
    text("Name:\tdeno\nCapPrm:\t000001ffffffffff\n"),
    "--bounding-set=-all,+net_admin,+net_raw,+sys_time",
  );
  // What Docker gives, with NET_ADMIN.
  assert.equal(text("CapPrm:\t00000000a80435fb\n"), "--bounding-set=-all,+net_admin,+net_raw");
  assert.match(text("") ?? "", /sys_time/);
});

Deno.test("a process is started as its user, with the capabilities of its descriptor handed on", () => {
  const accounts = findAccounts(PROCESSES, { passwd: PASSWD, group: GROUP });
  assert.ok(typeof accounts !== "string");
  const text = (name: string, own: boolean) =>
    restricted(
      { setpriv: "/usr/bin/setpriv", overridesModes: false, accounts: own ? accounts : null },
      PROCESSES.find((one) => one.name === name)!,
    ).join(" ");
  const { uid } = idsOf(account("dnsd"), accounts);
  assert.equal(
    text("dnsd", true),
    `/usr/bin/setpriv --no-new-privs --regid=${uid} --clear-groups --reuid=${uid} ` +
      "--inh-caps=-all,+net_bind_service --ambient-caps=-all,+net_bind_service " +
      "--bounding-set=-all,+net_bind_service",
  );
  assert.equal(
    text("dnsd", false),
    "/usr/bin/setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+net_bind_service",
  );
  // One that must be root hands nothing on, and gains nothing.
  assert.match(text("uplinkd", true), /--regid=\d+ --clear-groups --inh-caps=-all --bounding/);
  assert.doesNotMatch(text("uplinkd", true), /reuid|ambient/);
  for (const own of [true, false]) {
    assert.match(
      text("install", own),
      /--no-new-privs --inh-caps=-all --bounding-set=-all,\+chown,/,
    );
    assert.doesNotMatch(text("install", own), /sys_admin|net_|sys_module|sys_ptrace|sys_rawio/);
  }
});
