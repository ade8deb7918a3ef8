import assert from "node:assert/strict";
import { join } from "node:path";
import {
  ServerCertificate,
  type ServerCertificateOptions,
} from "../../../system/certificates/server_certificate.ts";
import {
  CERTIFICATE_DAYS,
  type CertificateFacts,
  renewalReason,
  validFor,
  wantedNames,
} from "../../../system/certificates/rules.ts";
import {
  type KeyPair,
  makeCaCertificate,
  makeCertificate,
} from "../../../system/certificates/x509.ts";
import { openLog } from "../../../system/core/log/log.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { inFolder } from "../../kit/process.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2027, 0, 1);
const SILENT = openLog({ process: "test", human: false, write: () => {} });

interface Kit {
  readonly certificate: ServerCertificate;
  readonly served: (KeyPair | null)[];
  readonly notices: Map<string, string>;
  readonly clock: { now: number };
  readonly names: { dns: string[]; ip: string[] };
  refuse: boolean;
}

async function withCertificate(home: string, work: (kit: Kit) => Promise<void>): Promise<void> {
  const served: Kit["served"] = [], notices: Kit["notices"] = new Map();
  const clock = { now: NOW };
  const names = { dns: ["router.lan", "localhost"], ip: ["192.168.2.1", "2001:db8::1"] };
  const kit: Kit = { served, notices, clock, names, refuse: false, certificate: null! };
  const options: ServerCertificateOptions = {
    home,
    log: SILENT,
    now: () => clock.now,
    wanted: () => names,
    onNamesChange: () => () => {},
    serve: (pair) => {
      if (kit.refuse) return Promise.reject(new Problem(503, "The port is taken"));
      served.push(pair);
      return Promise.resolve();
    },
    notices: {
      open: (kind, detail) => Promise.resolve(void notices.set(kind, detail)),
      settle: (kind) => Promise.resolve(void notices.delete(kind)),
    },
  };
  const certificate = new ServerCertificate(options);
  await certificate.start(false);
  try {
    await work(Object.assign(kit, { certificate }));
  } finally {
    await certificate.close();
  }
}

const inHome = (work: (kit: Kit, home: string) => Promise<void>): Promise<void> =>
  inFolder((home) => withCertificate(home, (kit) => work(kit, home)));

Deno.test("a certificate names the router, not generic host names", () => {
  const sources = { pools: [], fixed: [], machine: [] };
  const names = ["localhost", "my-router", "my-router.lan"];
  assert.deepEqual(wantedNames({ ...sources, names }).dns, [
    "my-router",
    "my-router.lan",
    "localhost",
  ]);
  assert.deepEqual(wantedNames({ ...sources, names: [] }).dns, ["localhost"]);
});

Deno.test("a certificate contains router addresses and names, but no tiny net", () => {
  const wanted = wantedNames({
    names: new Set(["localhost", "box", "box.lan", "*.example.org"]),
    pools: ["192.168.2.0/24", "10.9.0.0/16"],
    fixed: ["203.0.113.7/24", ""],
    machine: ["192.168.2.5", "127.0.0.1", "fe80::1", "2001:db8::9", "198.51.100.4", "::1"],
  });
  assert.deepEqual(wanted.ip, [
    "192.168.2.1",
    "10.9.0.1",
    "203.0.113.7",
    "198.51.100.4",
    "2001:db8::9",
    "127.0.0.1",
    "::1",
  ]);
  assert.deepEqual(wanted.dns, ["box", "box.lan", "*.example.org", "localhost"]);
});

Deno.test("our certificate is renewed for new names, before it expires, and when the clock is outside its validity", () => {
  const wanted = { dns: ["a"], ip: ["192.0.2.1"] };
  const facts: CertificateFacts = { ...validFor(CERTIFICATE_DAYS, NOW), ...wanted, own: true };
  assert.equal(renewalReason(facts, wanted, NOW), null);
  assert.equal(renewalReason(facts, { ...wanted, dns: ["a", "b"] }, NOW), "names");
  assert.equal(
    renewalReason(facts, { dns: [], ip: [] }, NOW),
    null,
    "a name too many harms nobody",
  );
  assert.equal(renewalReason(facts, wanted, facts.to - 29 * DAY), "age");
  assert.equal(renewalReason(facts, wanted, facts.from - 1), "age");
  const others = { ...facts, own: false };
  assert.equal(renewalReason(others, { dns: ["z"], ip: [] }, facts.to + DAY), null);
});

Deno.test("a certificate issued in 1970 is valid once the clock is right", () => {
  const { from, to } = validFor(CERTIFICATE_DAYS, 0);
  assert.ok(from <= Date.UTC(2026, 0, 1) && to >= Date.UTC(2026, 11, 1));
});

Deno.test("TLS is enabled with files of mode 0600, disabled without leaving a key, and enabled again", async () => {
  await inHome(async ({ certificate, served }, home) => {
    assert.equal(await certificate.isEnabled(), false);
    await certificate.enable();
    await assert.rejects(certificate.enable(), { status: 400 });
    const auth = join(home, "configs/auth");
    for (
      const name of ["www-api.crt", "www-api.key", "cert/www-api-ca.crt", "cert/www-api-ca.key"]
    ) {
      assert.equal((await Deno.stat(join(auth, name))).mode! & 0o777, 0o600, name);
    }
    const authority = await certificate.caCertificate();
    assert.deepEqual(certificate.names, ["router.lan", "localhost"]);
    await certificate.disable();
    await assert.rejects(certificate.disable(), { status: 400 });
    assert.equal(served.length, 1, "the answer leaves before the listener goes");
    await certificate.check();
    assert.deepEqual(served.at(-1), null);
    await assert.rejects(Deno.stat(join(auth, "www-api.key")), Deno.errors.NotFound);
    await certificate.enable();
    assert.equal(await certificate.caCertificate(), authority, "people need not trust another one");
  });
});

Deno.test("a renewed certificate is served at once and signed by the same CA", async () => {
  await inHome(async ({ certificate, served, clock, names, notices }) => {
    await certificate.enable();
    names.ip = [...names.ip, "10.0.0.1"];
    await certificate.check();
    assert.equal(served.length, 2);
    await certificate.check();
    assert.equal(served.length, 2, "nothing changed");
    clock.now += 380 * DAY;
    await certificate.check();
    assert.equal(served.length, 3);
    assert.equal(notices.has("certificate-authority"), false);
    clock.now = NOW + 3600 * DAY;
    await certificate.check();
    assert.match(notices.get("certificate-authority") ?? "", /must trust the new one/);
    clock.now = 0;
    await certificate.check();
    assert.equal(served.length, 5, "the clock went back before its beginning");
    await certificate.check();
    assert.equal(served.length, 5);
  });
});

Deno.test("TLS stays off without a certificate when its port is in use", async () => {
  await inHome(async (kit, home) => {
    kit.refuse = true;
    await assert.rejects(kit.certificate.enable(), { status: 503 });
    assert.equal(await kit.certificate.isEnabled(), false);
    await assert.rejects(Deno.stat(join(home, "configs/auth/www-api.key")), Deno.errors.NotFound);
  });
});

Deno.test("a provided certificate is served, kept while TLS is off, and reported when it expires", async () => {
  await inHome(async ({ certificate, served, notices, clock }, home) => {
    const theirs = await makeCaCertificate("Home", validFor(100, NOW));
    const leaf = await makeCertificate(theirs, {
      dns: ["x.org"],
      ip: [],
      validity: validFor(90, NOW),
    });
    const path = join(home, "configs/auth/www-api");
    await Deno.mkdir(join(home, "configs/auth"), { recursive: true });
    await Deno.writeTextFile(`${path}.key`, leaf.key);
    await Deno.writeTextFile(`${path}.crt`, leaf.cert);
    await certificate.check();
    assert.deepEqual(served.at(-1), leaf);
    await certificate.disable();
    await certificate.enable();
    assert.equal(await Deno.readTextFile(`${path}.crt`), leaf.cert);
    clock.now += 91 * DAY;
    await certificate.check();
    assert.match(notices.get("certificate") ?? "", /is valid from .* to /);
    assert.equal(await Deno.readTextFile(`${path}.crt`), leaf.cert);
  });
});

Deno.test("invalid certificate files open a notice, and HTTP continues", async () => {
  await inHome(async ({ certificate, notices, served }, home) => {
    const path = join(home, "configs/auth/www-api");
    await Deno.mkdir(join(home, "configs/auth"), { recursive: true });
    await Deno.writeTextFile(`${path}.key`, "no key");
    await Deno.writeTextFile(`${path}.crt`, "no certificate");
    await certificate.check();
    assert.match(notices.get("certificate") ?? "", /cannot be used/);
    assert.equal(served.length, 0);
    await certificate.disable();
    await certificate.check();
    assert.equal(notices.has("certificate"), false);
    await assert.rejects(certificate.enable(), { status: 409, message: /no certificate and key/ });
    assert.equal(await certificate.isEnabled(), false);
  });
});

Deno.test("an invalid CA opens a notice, and the status is still served", async () => {
  await inHome(async ({ certificate }, home) => {
    const folder = join(home, "configs/auth/cert");
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "www-api-ca.crt"), "no certificate");
    await Deno.writeTextFile(join(folder, "www-api-ca.key"), "no key");
    assert.deepEqual(await certificate.status(), { on: false, certificate: null, authority: null });
    await assert.rejects(certificate.enable(), { status: 409, message: /no certificate and key/ });
    assert.equal(await certificate.isEnabled(), false);
  });
});

/** Where certificates lie in a home, and the means to break them. */
function pairsOf(home: string) {
  const at = (name: string) => join(home, "configs/auth", name);
  return {
    read: (name: string) => Deno.readTextFile(at(name)).catch(() => null),
    write: (name: string, text: string) => Deno.writeTextFile(at(name), text),
    move: (from: string, to: string) => Deno.rename(at(from), at(to)),
    remove: (name: string) => Deno.remove(at(name)),
  };
}

Deno.test("an interrupted renewal is repeated", async () => {
  await inHome(async ({ certificate, served, notices }, home) => {
    const pairs = pairsOf(home);
    await certificate.enable();
    const cert = await pairs.read("www-api.crt");
    const { key } = await makeCaCertificate("Other", validFor(9, NOW));
    await pairs.write("www-api.key", key);
    await withCertificate(home, async (again) => {
      const pair = again.served.at(-1);
      assert.ok(pair && pair.cert !== cert && pair.key !== key);
      assert.equal(again.notices.size, 0);
      await again.certificate.check();
      assert.equal(again.served.length, 1);
    });
    await pairs.remove("www-api.key");
    await certificate.check();
    assert.ok(served.at(-1)?.cert !== cert && served.at(-1)!.key !== key);
    assert.equal(notices.size, 0, "a certificate of ours without its key is made anew");
  });
});

Deno.test("a provided certificate survives an interrupted enabling or disabling of TLS", async () => {
  await inHome(async ({ certificate, served }, home) => {
    const pairs = pairsOf(home);
    const theirs = await makeCaCertificate("Home", validFor(100, NOW));
    const leaf = await makeCertificate(theirs, {
      dns: ["x.org"],
      ip: [],
      validity: validFor(90, NOW),
    });
    await Deno.mkdir(join(home, "configs/auth"), { recursive: true });
    await pairs.write("www-api.crt", leaf.cert);
    await pairs.write("www-api.key.off", leaf.key);
    await certificate.check();
    assert.equal(await certificate.isEnabled(), false, "it was being put away");
    assert.equal(await pairs.read("www-api.crt.off"), leaf.cert);
    await pairs.move("www-api.key.off", "www-api.key");
    await certificate.check();
    assert.deepEqual(served.at(-1), leaf, "it was being brought back");
  });
});

Deno.test("a provided certificate without its key opens a notice", async () => {
  await inHome(async ({ certificate, notices }, home) => {
    const pairs = pairsOf(home);
    const theirs = await makeCaCertificate("Home", validFor(100, NOW));
    await Deno.mkdir(join(home, "configs/auth"), { recursive: true });
    await pairs.write("www-api.crt", theirs.cert);
    await certificate.check();
    assert.match(notices.get("certificate") ?? "", /www-api\.key.* missing/);
    await certificate.disable();
    assert.equal(
      await pairs.read("www-api.crt.off"),
      theirs.cert,
      "it is kept beside all the same",
    );
    await pairs.move("www-api.crt.off", "www-api.crt");
    await pairs.write("www-api.key", theirs.key);
    await certificate.check();
    assert.equal(notices.has("certificate"), false);
  });
});
