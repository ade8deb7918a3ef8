import assert from "node:assert/strict";
import { makeCaCertificate, makeCertificate } from "../../../system/certificates/x509.ts";
import { type Bed, eventually, withBed } from "../../kit/lab/bed.ts";
import { INTERNET, UPLINK } from "../../kit/lab/lab.ts";
import { pidsOf } from "../../kit/lab/pids.ts";

const SECRET = "the key of the signature";
/** Address of the DNS server that the router's programs ask. */
const DNS = "198.51.100.9";
const WEB = `http://${INTERNET}:8080`;
const RULE = {
  ...{ Name: "groups", TopicPrefix: "groups" },
  Actions: [{ SendNotification: true, MessageTitle: "Groups changed: {{change}}{{no.field}}" }],
};

Deno.test("alerts reach their receivers, and nothing reaches the router", async () => {
  const resolver = await Deno.makeTempFile();
  await Deno.writeTextFile(resolver, `nameserver ${DNS}\noptions timeout:5 attempts:3\n`);
  const hosts = await Deno.makeTempFile();
  const bed = {
    name: "deliver",
    lab: { clients: 1 },
    leases: 0,
    router: {
      services: "notifyd",
      files: { "base/alerts.json": [RULE] },
      covers: { "/etc/resolv.conf": resolver, "/etc/hosts": hosts },
    },
  };
  try {
    await withBed(bed, deliveries);
  } finally {
    await Deno.remove(resolver);
    await Deno.remove(hosts);
  }
});

async function deliveries({ lab, router }: Bed): Promise<void> {
  await lab.must("wan", "ip", ["address", "add", `${DNS}/32`, "dev", "lo"]);
  const validity = { from: Date.now() - 60_000, to: Date.now() + 86_400_000 };
  const authority = await makeCaCertificate("lab", validity);
  const { cert, key } = await makeCertificate(authority, { dns: ["mail.test"], ip: [], validity });
  const receivers = lab.deno("wan", "alert_receivers.ts", [SECRET, DNS, btoa(cert), btoa(key)]);
  for (const line of [/^web ready$/, /^smtp ready 2525$/, /^smtp ready 2526$/, /^dns ready$/]) {
    await receivers.line(line);
  }
  const ids: string[] = [];
  const put = async (body: Readonly<Record<string, unknown>>) => {
    const answer = await router.api("PUT", "/alerts/channels", { body });
    assert.equal(answer.status, 200, answer.text);
    const id: string = body["id"] as string ?? answer.json.at(-1).id;
    if (!ids.includes(id)) ids.push(id);
    return id;
  };
  const hook = (path: string, fields = {}) => ({
    ...{ name: `hook ${path}`, kind: "webhook", url: `${WEB}${path}`, secret: SECRET, ...fields },
  });
  const remove = async (id: string) => {
    assert.equal((await router.api("DELETE", `/alerts/channels/${id}`)).status, 200);
  };
  const test = async (id: string) =>
    (await router.api("POST", `/alerts/channels/${id}/test`)).json as {
      ok: boolean;
      message: string;
    };
  const state = async (id: string) =>
    (await router.api("GET", "/alerts/deliveries")).json
      .find((one: { id: string }) => one.id === id);
  let groups = 0;
  const alert = async () => {
    const answer = await router.api("PUT", "/groups", { body: { Name: `group${++groups}` } });
    assert.equal(answer.status, 200, answer.text);
  };

  // One that never answers ends by itself; the others do not wait for it.
  const never = await put(hook("/never", { enabled: false }));
  const patient = test(never);

  const first = await put(hook("/ok"));
  await alert();
  await receivers.line(/^hook \/ok signed \S+ Groups changed: [^{}]+$/);
  await eventually("it is reported", async () => (await state(first)).ok);
  assert.equal((await state(first)).message, "200 thank you");
  await remove(first);

  const busy = await put(hook("/busy"));
  await alert();
  const id = (await receivers.line(/^busy /)).slice("busy ".length);
  await eventually("it is put off", async () => (await state(busy)).message.startsWith("503"));

  const ntfy = await put({
    ...{ name: "phone", kind: "ntfy", url: WEB, topic: "home", token: "tk_1" },
  });
  assert.deepEqual(await test(ntfy), { ok: true, message: "200 published" });
  assert.match(await receivers.line(/^ntfy /), /^ntfy Bearer tk_1 .*"topic":"home"/);
  await remove(ntfy);

  const mail = await put({
    ...{ name: "mail", kind: "email", host: "hooks.test", port: 2525, security: "none" },
    ...{ from: "router@example.org", to: ["anna@example.org"] },
  });
  const mailed = await test(mail);
  assert.deepEqual([mailed.ok, mailed.message], [true, "250 queued for you"]);
  const received = JSON.parse((await receivers.line(/^mail /)).slice("mail ".length));
  assert.deepEqual(received.to, ["anna@example.org"]);
  assert.match(received.text, /^Subject: Test message\r?$/m);
  await put({ ...await shown(mail), to: ["nobody@example.org"] });
  assert.match((await test(mail)).message, /no such mailbox here/);
  await remove(mail);

  async function shown(id: string) {
    const all = (await router.api("GET", "/alerts/channels")).json as { id: string }[];
    return all.find((one) => one.id === id)!;
  }

  // STARTTLS, with the certificate that is trusted and with one that is not.
  const sending = async (args: readonly string[]) =>
    await lab.deno("router", "send_mail.ts", args).line(/^outcome /);
  assert.equal(await sending([btoa(authority.cert)]), "outcome sent 250 queued for you");
  assert.match(await receivers.line(/^auth /), /^auth anna pass word true$/);
  assert.match(await sending([""]), /^outcome refused mail\.test: no TLS/);

  // Into the router: by its address, by a name, by a redirect, by a name that changes its address.
  for (
    const [url, text] of [
      [`http://${UPLINK}/`, /router itself/],
      ["http://192.168.2.1/", /router itself/],
      ["http://inside.test/", /router itself.*inside\.test/],
      ["http://local.test/", /router itself.*local\.test/],
      [`${WEB}/redirect`, /redirects are not followed.*192\.168\.2\.1/],
      ["http://nothing.test/", /cannot be resolved/],
      [`http://${INTERNET}:81/`, /refused/],
    ] as const
  ) {
    const channel = await put(hook("", { url, localNetwork: true, enabled: false }));
    const { ok, message } = await test(channel);
    assert.equal(ok, false, url);
    assert.match(message, text, `${url} ${message}`);
    await remove(channel);
  }
  // Encrypted with the rights of notifyd, as far as the service that is not there.
  const push = await put({
    ...{ name: "browser", kind: "push", url: `https://${INTERNET}:81/x`, enabled: false },
    ...{ browserKey: await browserKey(), auth: "A".repeat(22) },
  });
  assert.match((await test(push)).message, /connection was refused/);
  await remove(push);

  const rebind = await put(hook("", { url: "http://rebind.test:8080/ok", enabled: false }));
  assert.deepEqual(await test(rebind), { ok: true, message: "200 thank you" });
  assert.equal(receivers.count(/^query A rebind\.test$/), 1, "looked up once, and used");
  assert.match((await test(rebind)).message, /router itself/);
  await remove(rebind);

  // Put off above: it comes with the same id.
  await receivers.line(new RegExp(`^hook /busy signed ${id} `));
  await eventually("it is accepted at last", async () => (await state(busy)).ok);
  await remove(busy);

  // Before the process is killed, which would begin it anew.
  assert.equal((await patient).message, "The receiver did not respond in time");

  // Killed while the receiver has it: one duplicate at most, with the same id.
  const hold = await put(hook("/hold"));
  await alert();
  const [, , , held = ""] = (await receivers.line(/^hook \/hold /)).split(" ");
  for (const pid of await pidsOf(lab, "notifyd")) Deno.kill(pid, "SIGKILL");
  await receivers.until(() => receivers.count(new RegExp(`^hook /hold signed ${held} `)) === 2);
  await lab.must("wan", "curl", ["-sS", "-d", "{}", `${WEB}/release`]);
  await eventually("it is accepted", async () => (await state(hold)).waiting === 0);
  assert.equal(receivers.count(/^hook \/hold /), 2);
  await remove(hold);

  // Without the Internet an alert waits, also over a restart of everything.
  const late = await put(hook("/late"));
  await lab.must("wan", "ip", ["link", "set", "wan0", "down"]);
  await alert();
  await eventually("it waits", async () => {
    const { waiting, at, ok } = await state(late);
    // The uplink that is down is a notice of its own.
    return waiting >= 1 && at > 0 && !ok;
  });
  await router.stop("SIGKILL");
  await lab.must("wan", "ip", ["link", "set", "wan0", "up"]);
  await router.start();
  await receivers.line(/^hook \/late signed /);
  await eventually("nothing waits", async () => (await state(late)).waiting === 0);
  assert.ok((await state(late)).ok);
  for (const secret of [SECRET, "tk_1"]) assert.ok(!router.process.output.includes(secret));
}

/** A public key as a browser gives it. */
async function browserKey(): Promise<string> {
  const curve = { name: "ECDH", namedCurve: "P-256" };
  const { publicKey } = await crypto.subtle.generateKey(curve, true, [
    "deriveBits",
  ]) as CryptoKeyPair;
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  return point.toBase64({ alphabet: "base64url", omitPadding: true });
}
