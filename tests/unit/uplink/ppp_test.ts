import assert from "node:assert/strict";
import fc from "fast-check";
import { problemDetail, ProblemReport } from "../../../system/uplink/plan_schema.ts";
import { PppConnections } from "../../../system/uplink/ppp/ppp_connections.ts";
import { pppDocument } from "../../../system/uplink/ppp/ppp_document.ts";
import { deletePpp, maskedPpp, setPpp } from "../../../system/uplink/ppp/ppp_rules.ts";
import { openPppFiles } from "../../../system/uplink/ppp/ppp_files.ts";
import { problemInLog } from "../../../system/uplink/ppp/ppp_log.ts";
import { providerText } from "../../../system/uplink/ppp/ppp_text.ts";
import { downReason } from "../../../system/uplink/health/status_rules.ts";
import { PppUpdate } from "../../../system/uplink/schema.ts";
import { link, network } from "../../kit/builders/small_network.ts";

const ACCOUNT = { Iface: "eth0", Enabled: true, Username: "me@isp.example", Secret: "s3cret pass" };

Deno.test("a PPPoE account makes its interface an uplink, keeps its name, and masks its secret", () => {
  const config = network();
  const [first] = setPpp(config, PppUpdate.parse({ ...ACCOUNT, VLAN: 7, MTU: "1492" }));
  assert.deepEqual(first.ppp, [
    { ...ACCOUNT, PPPIface: "ppp0", VLAN: "7", MTU: "1492" },
  ]);
  assert.deepEqual(first.interfaces[0], link("eth0", "Uplink", { Subtype: "pppup" }));
  const [second] = setPpp(first, PppUpdate.parse({ ...ACCOUNT, Iface: "eth5" }));
  assert.equal(second.ppp[1]?.PPPIface, "ppp1");
  const shown = maskedPpp(second.ppp).PPPs[0]!;
  assert.equal(shown.Secret, "**");
  const [same] = setPpp(second, PppUpdate.parse(shown));
  assert.equal(same, second, "what was shown changes nothing");
  const [removed] = deletePpp(second, "eth0");
  assert.deepEqual(removed.ppp.map(({ Iface, PPPIface }) => [Iface, PPPIface]), [["eth5", "ppp1"]]);
  assert.equal(removed.interfaces[0]?.Subtype, "");
  const [third] = setPpp(removed, PppUpdate.parse({ ...ACCOUNT, Iface: "eth6" }));
  assert.deepEqual(third.ppp.map(({ PPPIface }) => PPPIface), ["ppp1", "ppp0"]);
  assert.throws(() => deletePpp(config, "eth0"), { status: 404 });
});

Deno.test("a PPPoE account refuses values that pppd would misinterpret", () => {
  const bad: readonly Readonly<Record<string, unknown>>[] = [
    { Username: "a\nplugin x" },
    { Username: "" },
    { Secret: "a\r\nb" },
    { Secret: "x".repeat(256) },
    ...["0", "0x7", "4095", "-1", "x", "7.5", "1e3"].map((VLAN) => ({ VLAN })),
    ...["0", "127", "1493", "1000000000", "x"].map((MTU) => ({ MTU })),
    { Iface: "eth0;reboot" },
    { Iface: "../../etc" },
  ];
  for (const change of bad) {
    assert.equal(
      PppUpdate.safeParse({ ...ACCOUNT, ...change }).success,
      false,
      JSON.stringify(change),
    );
  }
  for (const change of [{ VLAN: null }, { VLAN: " " }, { MTU: null }, { MTU: "" }]) {
    const parsed = PppUpdate.parse({ ...ACCOUNT, ...change });
    assert.equal(setPpp(network(), parsed)[0].ppp[0]?.MTU, "", JSON.stringify(change));
  }
  const config = network();
  const refused = (update: Readonly<Record<string, unknown>>, pointer: string) =>
    assert.throws(() => setPpp(config, PppUpdate.parse(update)), (error) => {
      assert.equal((error as { errors: { pointer: string }[] }).errors[0]?.pointer, pointer);
      return true;
    });
  refused({ Iface: "eth0", Secret: "x" }, "/Username");
  refused({ Iface: "eth0", Username: "u", Enabled: true }, "/Secret");
  refused({ ...ACCOUNT, Iface: "eth1" }, "/Iface");
  refused({ ...ACCOUNT, Iface: "wlan1" }, "/Iface");
  refused({ ...ACCOUNT, Iface: "ppp0" }, "/Iface");
});

Deno.test("a file of PPPoE accounts rejects invalid and duplicate entries, and marks its secrets", () => {
  const { value, rejected } = pppDocument.read({
    PPPs: [{ ...ACCOUNT, VLAN: "0", MTU: 0 }, { ...ACCOUNT, VLAN: "4095" }, {
      ...ACCOUNT,
      Username: "other",
    }, 7],
  });
  assert.deepEqual(value.map(({ Username }) => Username), [ACCOUNT.Username]);
  assert.deepEqual([value[0]!.VLAN, value[0]!.MTU], ["", ""], "other routers write 0 for none");
  assert.deepEqual(rejected.map(({ pointer }) => pointer), ["/PPPs/1", "/PPPs/2", "/PPPs/3"]);
  assert.match(rejected[0]!.message, /^\/VLAN: /);
  assert.equal(pppDocument.secret?.(["eth0", "Secret"]), true);
  assert.equal(pppDocument.secret?.(["eth0", "Username"]), false);
  assert.deepEqual(pppDocument.write?.(value), { PPPs: value });
  assert.throws(() => pppDocument.read([]));
});

Deno.test("any accepted account is written as one quoted line per pppd option", () => {
  const text = fc.string({ maxLength: 40, unit: "binary" });
  fc.assert(
    fc.property(text, text, (Username, Secret) => {
      const parsed = PppUpdate.safeParse({ ...ACCOUNT, Username, Secret });
      const dialled = {
        ...{ name: "eth0", link: "eth0.7", pppLink: "ppp0", mtu: "1492" },
        ...{ username: Username, secret: Secret },
      };
      if (!parsed.success) return;
      const options = providerText(dialled, "/home/log");
      assert.equal(options.split("\n").length, 20);
      assert.equal(readByPppd(/^password (.*)$/m.exec(options)![1]!), Secret);
      assert.equal(readByPppd(/^user (.*)$/m.exec(options)![1]!), Username);
    }),
    { numRuns: 500 },
  );
  const dialled = {
    name: "eth0",
    link: "eth0",
    pppLink: "ppp0",
    mtu: "",
    username: "u",
    secret: "s",
  };
  for (const change of [{ secret: "a\r" }, { username: "a\n" }, { link: "-x" }, { mtu: "9 up" }]) {
    assert.throws(() => providerText({ ...dialled, ...change }, "/l"), RangeError);
  }
});

Deno.test("pppd is started once, kept across our restart, and ended when its account changes", async () => {
  const files = new Map<string, string>();
  const running = new Map<string, number>();
  const log: string[] = [];
  const problems: ProblemReport[] = [];
  let broken = false;
  const make = () =>
    new PppConnections({
      write: (name, text) => {
        const another = files.get(name) !== text;
        files.set(name, text);
        return Promise.resolve(another);
      },
      remove: (name) => Promise.resolve(void files.delete(name)),
      list: () => Promise.resolve([...files.keys()].filter((name) => name.startsWith("peers/"))),
      readLog: (name) => Promise.resolve(files.get(name) ?? ""),
      truncateLog: (name) => Promise.resolve(void files.set(name, "")),
      path: (name) => `/run/${name}`,
      running: (file) => Promise.resolve(running.get(file) ?? null),
      connect: (file) => {
        if (broken) return Promise.reject(new Error("pppd: no such plugin"));
        log.push(`dial ${file}`);
        return Promise.resolve(void running.set(file, 7));
      },
      disconnect: (file) => {
        if (!running.delete(file)) return Promise.resolve();
        log.push(`hang up ${file}`);
        return Promise.resolve();
      },
      reportProblem: (report) => Promise.resolve(void problems.push(report)),
    });
  const one = { name: "eth0", link: "eth0", pppLink: "ppp0", username: "u", secret: "s", mtu: "" };
  const connections = make();
  await connections.reconcile([one]);
  await connections.reconcile([one]);
  await make().reconcile([one]);
  assert.deepEqual(log, ["dial peers/provider_eth0"]);
  await connections.reconcile([{ ...one, secret: "t" }]);
  assert.deepEqual(log.slice(1), ["hang up peers/provider_eth0", "dial peers/provider_eth0"]);
  await make().reconcile([]);
  assert.deepEqual(log.slice(3), ["hang up peers/provider_eth0"]);
  assert.deepEqual([...files], [], "no secret stays behind");
  broken = true;
  await connections.reconcile([one]);
  await connections.reconcile([one]);
  broken = false;
  await connections.reconcile([one]);
  await connections.reconcile([one]);
  const details = (): readonly string[] => problems.splice(0).map(({ detail }) => detail);
  // The first time, since what was told before we came may be over.
  assert.deepEqual(details(), ["", "", "pppd: no such plugin", ""]);
  files.set("log/provider_eth0", "CHAP authentication failed\nConnection terminated.\n");
  await connections.reconcile([one]);
  await connections.reconcile([one]);
  const [refused] = details();
  assert.match(refused!, /rejects the user name or password/);
  files.set("log/provider_eth0", "");
  await connections.reconcile([one]);
  assert.deepEqual(details(), [], "a log that begins anew says nothing new");
  await connections.reconcile([{ ...one, secret: "t" }]);
  assert.deepEqual(details(), [""], "another account is yet to fail");
  files.set("log/provider_eth0", "Timeout waiting for PADO packets\n");
  running.clear();
  await connections.reconcile([{ ...one, secret: "t" }]);
  assert.match(details()[0]!, /No PPPoE server responds/, "also of one that ended by itself");
  files.set("log/provider_eth0", "local  IP address 192.0.2.9\n");
  await connections.reconcile([{ ...one, secret: "t" }]);
  assert.deepEqual(details(), [""]);
});

Deno.test("an account that cannot be disconnected blocks no other, and is retried", async () => {
  const files = new Set(["peers/provider_eth7"]);
  const done: string[] = [];
  let hangs = true;
  const connections = new PppConnections({
    write: (name) => Promise.resolve(!files.has(name) && files.add(name) !== null),
    remove: (name) => Promise.resolve(void files.delete(name)),
    list: () => Promise.resolve([...files]),
    readLog: () => Promise.resolve(""),
    truncateLog: () => Promise.resolve(),
    path: (name) => `/run/${name}`,
    running: () => Promise.resolve(null),
    connect: (file) => Promise.resolve(void done.push(`dial ${file}`)),
    disconnect: (file) => {
      if (hangs && file.endsWith("eth7")) return Promise.reject(new Error("kill: not permitted"));
      done.push(`hang up ${file}`);
      return Promise.resolve();
    },
    reportProblem: () => Promise.resolve(),
  });
  const one = { name: "eth0", link: "eth0", pppLink: "ppp0", username: "u", secret: "s", mtu: "" };
  await assert.rejects(connections.reconcile([one]), /not permitted/);
  assert.equal(done.at(-1), "dial peers/provider_eth0");
  hangs = false;
  await connections.reconcile([one]);
  assert.ok(done.includes("hang up peers/provider_eth7"));
  assert.deepEqual([...files], ["peers/provider_eth0"]);
});

/** A word between quotes as pppd's own reader takes it (options.c, getword). */
function readByPppd(text: string): string {
  let word = "", quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === "\\") word += text[++at];
    else if (quote === "" && /["']/.test(character)) quote = character;
    else if (character === quote) {
      assert.equal(at, text.length - 1, "the word ends with its quote");
      return word;
    } else word += character;
  }
  throw new Error(`${text} does not end`);
}

Deno.test("the last message of pppd's log counts, with the provider's text sanitized", () => {
  const up = "local  IP address 192.0.2.9\nremote IP address 192.0.2.1\n";
  const lines = {
    "PAP authentication failed": /^The provider rejects the user name or password \(pppd: PAP/,
    "CHAP authentication failed: Access denied": /Access denied\)$/,
    "Timeout waiting for PADO packets": /^No PPPoE server responds/,
    "Unable to complete PPPoE Discovery phase 1": /^No PPPoE server responds/,
    "Timeout waiting for PADS packets": /opens no session/,
    "LCP: timeout sending Config-Requests": /does not agree/,
    "No response to 3 echo-requests": /stopped responding/,
    "LCP terminated by peer (\u001b[2J\u00e9)": /^[\x20-\x7e]*\?\[2J\?\)\)$/,
    "Couldn't open the /dev/ppp device: No such file": /^pppd cannot connect/,
  };
  for (const [line, text] of Object.entries(lines)) {
    assert.match(problemInLog(`${up}${line}\nConnection terminated.\nModem hangup\n`)!, text);
    assert.equal(problemInLog(`${line}\n${up}`), "", line);
  }
  assert.match(
    problemInLog(`${up}Modem hangup\nConnection terminated.\n`)!,
    /has ended.*Modem hangup/,
  );
  assert.equal(problemInLog(`Modem hangup\nConnection terminated.\n${up}`), "");
  assert.equal(problemInLog(""), null);
  assert.equal(problemInLog("Plugin pppoe.so loaded.\nUsing interface ppp0\n"), null);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    assert.ok((problemInLog(`CHAP authentication failed: ${text}`) ?? "").length < 400);
  }));
});

Deno.test("any tool output is accepted as a problem report, on one line", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 4000 }), (text) => {
    assert.ok(ProblemReport.safeParse({ name: "eth0", detail: problemDetail(text) }).success);
  }));
  assert.equal(problemDetail("no /dev/ppp\r\n\tdoes not\nsupport"), "no /dev/ppp does not support");
  assert.ok(
    ProblemReport.safeParse({ name: "a", detail: problemDetail("\u{1f600}".repeat(1999)) }).success,
  );
});

Deno.test("pppd's log has mode 0600, and is truncated when it grows long", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const files = openPppFiles(folder);
    assert.equal(await files.readLog("log/x"), "");
    await files.truncateLog("log/x");
    const path = files.path("log/x");
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    using log = await Deno.open(path, { append: true });
    await log.write(new TextEncoder().encode(`${"a".repeat(70_000)}\nend\n`));
    const lines = await files.readLog("log/x");
    assert.ok(lines.length === 8192 && lines.endsWith("\nend\n"));
    await log.write(new TextEncoder().encode("again\n"));
    assert.equal(await files.readLog("log/x"), "again\n");
    await files.remove("log/x");
    assert.equal(await files.readLog("log/x"), "");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a PPPoE account that is not connected is distinguished from a missing interface", () => {
  const state = { isPresent: true, isDown: false };
  assert.equal(downReason(undefined, state), "PPPoE is not connected");
  assert.equal(downReason(undefined, { ...state, isPresent: false }), "the interface is missing");
});
