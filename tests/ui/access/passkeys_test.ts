import assert from "node:assert/strict";
import type { CDPSession, Page } from "playwright";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { PASSWORD } from "../../kit/router.ts";

/** What a ceremony in the page comes to. */
interface Done {
  readonly status: number;
  readonly answer: unknown;
}

/** Gives the page an authenticator whose user is there and verified; answers its name. */
async function plugIn(page: Page): Promise<{ readonly cdp: CDPSession; readonly id: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id: authenticatorId };
}

/** Runs a ceremony as a page of ours would: begin, ask the authenticator, answer. */
async function ceremony(
  page: Page,
  what: "register" | "validate" | "login",
  headers: Readonly<Record<string, string>> = {},
): Promise<Done> {
  return await page.evaluate(async ({ what, headers }) => {
    const send = (method: string, body?: unknown) =>
      fetch(`/webauthn/${what}`, {
        method,
        headers: { ...headers, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const begun = await send("PUT");
    if (!begun.ok) return { status: begun.status, answer: await begun.text() };
    const { Session: session, Options } = await begun.json();
    const credential = what === "register"
      ? await navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(Options.publicKey),
      })
      : await navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(Options.publicKey),
      });
    const ended = await send("POST", { session, credential });
    const text = await ended.text();
    return { status: ended.status, answer: text === "" ? null : JSON.parse(text) };
  }, { what, headers: { ...headers } });
}

Deno.test("a browser's passkey registers, verifies as second factor, and signs in alone", async () => {
  await onRouter({}, async ({ browser, origin, router }) => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(`${origin.replace("127.0.0.1", "localhost")}/admin/`);
      const { cdp, id } = await plugIn(page);
      const call = (method: string, path: string, body?: unknown) =>
        page.evaluate(async ({ method, path, body }) => {
          const sent = body === null ? {} : { body: JSON.stringify(body) };
          const headers = { "content-type": "application/json" };
          return (await fetch(path, { method, headers, ...sent })).status;
        }, { method, path, body: body ?? null });

      assert.equal((await ceremony(page, "login")).status, 400, "nobody has a passkey yet");
      assert.equal(await call("PUT", "/auth/login", { Name: "admin", Password: PASSWORD }), 200);
      const made = await ceremony(page, "register");
      assert.equal(made.status, 200, JSON.stringify(made.answer));
      assert.equal((await ceremony(page, "register")).status, 403, "now it needs the proof");
      const proof = await ceremony(page, "validate");
      assert.equal(proof.status, 200, JSON.stringify(proof.answer));
      const known = await cdp.send("WebAuthn.getCredentials", { authenticatorId: id });
      assert.deepEqual(known.credentials.map(({ rpId }) => rpId), ["localhost"]);

      assert.equal(await call("PUT", "/auth/logout"), 200);
      assert.equal(await call("GET", "/devices"), 401);
      const signedIn = await ceremony(page, "login");
      assert.equal(signedIn.status, 200, JSON.stringify(signedIn.answer));
      assert.equal(await call("GET", "/devices"), 200, "the cookie suffices");
      assert.equal(router.access.sessions.list("admin", null)[0]!.passkey !== null, true);
    } finally {
      await context.close();
    }
  });
});
