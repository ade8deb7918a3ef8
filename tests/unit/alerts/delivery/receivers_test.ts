import assert from "node:assert/strict";
import * as fc from "fast-check";
import { jwtVerify } from "jose";
import { AlertChannel } from "../../../../system/alerts/channels/schema.ts";
import { fromAlert, fromNotice } from "../../../../system/alerts/delivery/alert_texts.ts";
import { attempt } from "../../../../system/alerts/delivery/attempt.ts";
import { decisionLinks, messageText } from "../../../../system/alerts/delivery/links.ts";
import { mailOf } from "../../../../system/alerts/delivery/mail.ts";
import { ChannelMessage } from "../../../../system/alerts/delivery/message.ts";
import { ntfyRequest } from "../../../../system/alerts/delivery/ntfy.ts";
import { DeliveryError, type Outgoing, post } from "../../../../system/alerts/delivery/outgoing.ts";
import { pushRequest } from "../../../../system/alerts/delivery/push.ts";
import { webhookRequest } from "../../../../system/alerts/delivery/webhook.ts";

const ID = "0f9c2c1e-6a51-4f0e-9d3b-5a1c7e2d4b60";
const NOW = 1_790_000_000_000;
const ORIGIN = "https://router.lan";
const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function message(fields: Partial<ChannelMessage> = {}): ChannelMessage {
  return ChannelMessage.parse({
    ...{ id: ID, at: NOW, type: "warning", title: "Line “down”", text: "wan0", topic: "wan:down" },
    ...{ source: "rule", rule: "r", repeated: 0, decides: "", event: null, ...fields },
  });
}

async function hmac(key: Uint8Array<ArrayBuffer>, content: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const bytes = await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(content));
  return `v1,${new Uint8Array(bytes).toBase64()}`;
}

Deno.test("a webhook is signed over id, timestamp and body, as another implementation computes it", async () => {
  const raw = crypto.getRandomValues(new Uint8Array(24));
  for (
    const [secret, key] of [
      ["clé de la signature", new TextEncoder().encode("clé de la signature")],
      [`whsec_${raw.toBase64()}`, raw],
    ] as const
  ) {
    const url = "https://hooks.example/x";
    const { headers, body } = webhookRequest({ url, secret }, message(), {
      ...{ origin: ORIGIN, router: "home", now: NOW + 4999 },
    });
    assert.equal(headers["Webhook-Timestamp"], String(NOW / 1000 + 4));
    const content = `${ID}.${headers["Webhook-Timestamp"]}.${text(body)}`;
    assert.equal(headers["Webhook-Signature"], await hmac(key, content));
    assert.equal(JSON.parse(text(body)).title, "Line “down”");
  }
});

Deno.test("links lead to the page with the decision, and hold nothing that lets anybody in", () => {
  const links = decisionLinks({ decides: "a b&c" }, { origin: ORIGIN });
  assert.deepEqual(links.map(({ url }) => url), [
    `${ORIGIN}/admin/alerts?notice=a%20b%26c&act=allow`,
    `${ORIGIN}/admin/alerts?notice=a%20b%26c&act=guest`,
    `${ORIGIN}/admin/alerts?notice=a%20b%26c&act=block`,
  ]);
  assert.deepEqual(decisionLinks({ decides: "" }, { origin: ORIGIN }), []);
  assert.deepEqual(decisionLinks({ decides: "a" }, { origin: "" }), []);
});

Deno.test("ntfy gets title, text, priority and buttons; the token stands in a header alone", () => {
  const { url, headers, body } = ntfyRequest(
    { url: "https://ntfy.example", topic: "home", token: "tk_1" },
    message({ decides: "n1", repeated: 3, type: "error" }),
    { origin: ORIGIN },
  );
  const sent = JSON.parse(text(body));
  assert.equal(url, "https://ntfy.example");
  assert.deepEqual([sent.topic, sent.title, sent.priority], ["home", "Line “down”", 5]);
  assert.equal(sent.message, "wan0 (3 times more before)");
  assert.deepEqual(sent.actions.map(({ label }: { label: string }) => label), [
    "Allow",
    "Guest",
    "Block",
  ]);
  assert.equal(headers["Authorization"], "Bearer tk_1");
  assert.ok(!text(body).includes("tk_1"));
});

Deno.test("no header of a mail has a line break, whatever the event held", () => {
  const channel = { from: "router@example.org", to: ["anna@example.org"] };
  const sources = { origin: ORIGIN, router: "home" };
  assert.throws(
    () => mailOf(channel, message({ title: "a\r\nBcc: b@example.org" }), sources),
    (error) => error instanceof DeliveryError && error.outcome.kind === "refused",
  );
  fc.assert(fc.property(fc.string({ unit: "binary" }), (title) => {
    const alert = {
      ...{ ruleId: "r", name: "r", topic: "t", at: NOW, type: "info", body: "", event: null },
      title,
    };
    const mail = mailOf(channel, fromAlert(alert, ID).message, sources);
    assert.doesNotMatch(mail.subject, /[\r\n\u2028\u2029]/);
    assert.equal(mail.messageId, `<${ID}@example.org>`);
  }));
});

Deno.test("notices are distinguished by what they are about, and an event is bounded", () => {
  const notice = {
    ...{ id: "n1", kind: "new-device", detail: "tablet is new\non lan0", at: NOW, lastAt: NOW },
    ...{ data: { subject: "02:00:00:00:0a:01" }, count: 1, resolvedAt: null, resolvedBy: null },
    snoozedUntil: null,
  };
  const { message: sent, subject } = fromNotice(notice, ID);
  assert.deepEqual([subject, sent.decides, sent.text], [
    "02:00:00:00:0a:01",
    "n1",
    "tablet is new on lan0",
  ]);
  assert.equal(fromNotice({ ...notice, kind: "wan-down" }, ID).message.decides, "");
  const alert = {
    ...{ ruleId: "r", name: "r", topic: "t", at: NOW, type: "danger", title: "t", body: "" },
    event: { text: "x".repeat(9000) },
  };
  assert.deepEqual([fromAlert(alert, ID).message.event, fromAlert(alert, ID).message.type], [
    null,
    "error",
  ]);
  assert.equal(messageText(message({ text: "", repeated: 1 })), "(once more before)");
});

/** Decrypts a body of RFC 8188 (aes128gcm) with the key of RFC 8291, by WebCrypto alone. */
async function decrypted(
  body: Uint8Array<ArrayBuffer>,
  browser: CryptoKeyPair,
  auth: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const salt = body.slice(0, 16), size = body[20]!;
  const sender = body.slice(21, 21 + size), sealed = body.slice(21 + size);
  const own = new Uint8Array(await crypto.subtle.exportKey("raw", browser.publicKey));
  const curve = { name: "ECDH", namedCurve: "P-256" };
  const peer = await crypto.subtle.importKey("raw", sender, curve, false, []);
  const shared = new Uint8Array(
    await crypto.subtle.deriveBits({ name: "ECDH", public: peer }, browser.privateKey, 256),
  );
  const label = (description: string) => new TextEncoder().encode(`${description}\0`);
  const derive = async (
    secret: Uint8Array<ArrayBuffer>,
    by: Uint8Array<ArrayBuffer>,
    info: Uint8Array<ArrayBuffer>,
    length: number,
  ) => {
    const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
    const how = { name: "HKDF", hash: "SHA-256", salt: by, info };
    return new Uint8Array(await crypto.subtle.deriveBits(how, key, length * 8));
  };
  const info = new Uint8Array([...label("WebPush: info"), ...own, ...sender]);
  const secret = await derive(shared, auth, info, 32);
  const key = await derive(secret, salt, label("Content-Encoding: aes128gcm"), 16);
  const iv = await derive(secret, salt, label("Content-Encoding: nonce"), 12);
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, aes, sealed);
  const bytes = new Uint8Array(plain);
  // The last record ends with a 2, and padding behind it (RFC 8188 2).
  return text(bytes.subarray(0, bytes.lastIndexOf(2)));
}

Deno.test("only the browser can read what is pushed, and the push service can check who sent it", async () => {
  const curve = { name: "ECDH", namedCurve: "P-256" };
  const browser = await crypto.subtle.generateKey(curve, true, ["deriveBits"]) as CryptoKeyPair;
  const auth = crypto.getRandomValues(new Uint8Array(16));
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", browser.publicKey));
  const channel = AlertChannel.parse({
    ...{ id: ID, name: "b", kind: "push", url: "https://push.example/send/1?x=y" },
    ...{ browserKey: point.toBase64(BASE64URL), auth: auth.toBase64(BASE64URL) },
  });
  const pushKey = Uint8Array.from({ length: 32 }, (_, at) => at + 1).toBase64(BASE64URL);
  const { url, headers, body } = pushRequest(channel, message({ decides: "n1" }), {
    ...{ pushKey, router: "home" },
  });
  assert.equal(url, channel.url);
  assert.equal(headers["Topic"], ID.replaceAll("-", ""));
  assert.ok(!text(body).includes("down"));
  const sent = JSON.parse(await decrypted(new Uint8Array(body), browser, auth));
  assert.deepEqual([sent.title, sent.decides, sent.router], ["Line “down”", "n1", "home"]);
  const [, token = "", key = ""] = /^vapid t=([^,]+), k=(\S+)$/.exec(headers["Authorization"]!)!;
  const imported = await crypto.subtle.importKey(
    "raw",
    Uint8Array.fromBase64(key, { alphabet: "base64url" }),
    { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["verify"],
  );
  const { payload } = await jwtVerify(token, imported, { audience: "https://push.example" });
  assert.ok(payload.exp! - Date.now() / 1000 <= 86_400);
});

/** A connection to a server that responds so. */
function outgoing(response: string, fields: Partial<Outgoing> = {}): Outgoing {
  let left = new TextEncoder().encode(response);
  return {
    resolve: () => Promise.resolve(["198.51.100.7"]),
    connect: () =>
      Promise.resolve({
        read(into) {
          if (left.length === 0) return Promise.resolve(null);
          const part = left.subarray(0, into.length);
          into.set(part);
          left = left.subarray(part.length);
          return Promise.resolve(part.length);
        },
        write: () => Promise.resolve(),
        close: () => {},
      }),
    own: { addresses: [], networks: [] },
    localNetwork: false,
    signal: new AbortController().signal,
    ...fields,
  };
}

const request = { url: "https://hooks.example/x", headers: {}, body: new Uint8Array(1) };

Deno.test("what a receiver responds decides whether the message is sent again", async () => {
  for (
    const [head, kind] of [
      ["200 OK", "sent"],
      ["204 No Content", "sent"],
      ["302 Found", "refused"],
      ["404 Not Found", "refused"],
      ["408 Request Timeout", "busy"],
      ["429 Too Many Requests", "busy"],
      ["503 Service Unavailable", "busy"],
    ] as const
  ) {
    const body = kind === "sent" ? "" : "in my\r\nown \u202ewords";
    const found = await post(request, outgoing(`HTTP/1.1 ${head}\r\n\r\n${body}`));
    assert.equal(found.kind, kind, head);
    assert.doesNotMatch(found.message, /[\r\n]/);
  }
});

Deno.test("a response without end is read only at its beginning, and what is no HTTP is no success", async () => {
  const long = await post(request, outgoing(`HTTP/1.1 500 Oh\r\n\r\n${"x".repeat(1 << 20)}`));
  assert.ok(long.message.length <= 300);
  for (const wrong of ["", "220 mail.example ESMTP\r\n", "HTTP/1.1 200"]) {
    await assert.rejects(
      post(request, outgoing(wrong)),
      (error) => error instanceof DeliveryError && error.outcome.kind === "away",
    );
  }
});

Deno.test("a name with one address that is allowed connects to that one, else to none", async () => {
  const used: string[] = [];
  const { connect, ...rest } = outgoing("HTTP/1.1 200 OK\r\n\r\n");
  const seen: Outgoing = {
    ...rest,
    resolve: () => Promise.resolve(["127.0.0.1", "10.0.0.1", "198.51.100.7"]),
    connect(address, port, tls) {
      used.push(`${address} ${port} ${tls?.serverName}`);
      return connect(address, port, tls);
    },
  };
  assert.equal((await post(request, seen)).kind, "sent");
  assert.deepEqual(used, ["198.51.100.7 443 hooks.example"]);
  const inside = { ...seen, resolve: () => Promise.resolve(["10.0.0.1", "::1"]) };
  await assert.rejects(
    post(request, inside),
    (error) =>
      error instanceof DeliveryError && error.outcome.kind === "refused" &&
      /10\.0\.0\.1 is not on the Internet.*hooks\.example/.test(error.message),
  );
  assert.equal(used.length, 1);
});

Deno.test("a receiver that never comes to an end is left when the attempt is over", async () => {
  const repeated = [
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n",
  ];
  for (const part of repeated) {
    const bytes = new TextEncoder().encode(part);
    let isClosed = false;
    const endless: Outgoing["connect"] = () =>
      Promise.resolve({
        async read(into) {
          await new Promise((resolve) => setTimeout(resolve, 0));
          if (isClosed) throw new Deno.errors.Interrupted("closed");
          into.set(bytes);
          return bytes.length;
        },
        write: () => Promise.resolve(),
        close: () => void (isClosed = true),
      });
    const { resolve, signal } = outgoing("");
    const outcome = await attempt(
      {
        id: "1",
        channel: AlertChannel.parse({
          ...{ id: ID, name: "hook", kind: "webhook", url: "https://hooks.example/x" },
          secret: "a secret of the hook",
        }),
        message: message(),
      },
      {
        ...{ resolve, connect: endless, ending: signal, now: 0, patience: 100 },
        ...{ origin: "", router: "home", pushKey: "", own: { addresses: [], networks: [] } },
      },
    );
    assert.deepEqual(outcome, { kind: "away", message: "The receiver did not respond in time" });
    assert.ok(isClosed);
  }
});

Deno.test("the end of an attempt ends a look-up that never comes back", async () => {
  const ending = new AbortController();
  const waiting = post(
    request,
    outgoing("", { resolve: () => new Promise(() => {}), signal: ending.signal }),
  );
  ending.abort();
  await assert.rejects(waiting, (error) => !(error instanceof DeliveryError));
});
