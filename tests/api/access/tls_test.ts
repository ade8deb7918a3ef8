import assert from "node:assert/strict";
import { join } from "node:path";
import {
  answered,
  freePort,
  inFolder,
  type Program,
  startProgram,
  until,
} from "../../kit/process.ts";
import { basic, testRouter } from "../../kit/router.ts";

const AS = { authorization: basic("admin", "correct horse battery") };

/** As a browser does: a connection that could not be made is made again, a request is never sent twice. */
async function fetchAgain(
  url: string,
  init: RequestInit & { readonly client?: Deno.HttpClient },
): Promise<Response> {
  for (let attempt = 0;; attempt++) {
    try {
      return await fetch(url, init);
    } catch (error) {
      const cause = (error as Error).cause;
      const unmade = cause instanceof Error && cause.message.includes("(Connect)");
      if (!unmade || attempt === 5) throw error;
    }
  }
}

async function call(
  program: Program,
  path: string,
  init: RequestInit & { readonly client?: Deno.HttpClient } = {},
  base = program.url,
): Promise<{ status: number; text: string }> {
  const response = await fetchAgain(base + path, { headers: AS, ...init });
  return { status: response.status, text: await response.text() };
}

/** A browser that trusts one authority, and keeps no connection. */
function trusting(authority: string): Deno.HttpClient {
  return Deno.createHttpClient({ caCerts: [authority], poolMaxIdlePerHost: 0 });
}

Deno.test("TLS is enabled, renewed and disabled without a restart", async () => {
  await inFolder(async (home) => {
    const port = freePort();
    const environment = { SLUICE_HTTPS: `127.0.0.1:${port}` };
    await using program = startProgram({ home, environment });
    await answered(program);
    const secure = `https://127.0.0.1:${port}`;
    assert.equal((await call(program, "/cert", { headers: {} })).status, 404);
    assert.deepEqual(await call(program, "/firewall/enableTLS", { method: "PUT" }), {
      status: 200,
      text: '"Done"\n',
    });
    assert.equal((await call(program, "/firewall/enableTLS")).text, "true\n");
    const authority = (await call(program, "/cert", { headers: {} })).text;
    assert.match(authority, /^-----BEGIN CERTIFICATE-----/);
    {
      using client = trusting(authority);
      assert.equal((await call(program, "/status", { client }, secure)).text, '"Online"\n');
    }

    const first = await Deno.readTextFile(join(home, "configs/auth/www-api.crt"));
    const name = await call(program, "/info/hostname", {
      method: "PUT",
      headers: { ...AS, "content-type": "application/json" },
      body: '"another-name"',
    });
    assert.equal(name.status, 200);
    await until(
      "the new name is in the certificate",
      async () => await Deno.readTextFile(join(home, "configs/auth/www-api.crt")) !== first,
    );
    {
      using client = trusting(authority);
      assert.equal((await call(program, "/status", { client }, secure)).status, 200);
    }

    {
      using client = trusting(authority);
      const refused = await call(
        program,
        "/firewall/enableTLS",
        { method: "DELETE", client },
        secure,
      );
      assert.equal(refused.status, 409);
      const off = "/firewall/enableTLS?force=true";
      const done = await call(program, off, { method: "DELETE", client }, secure);
      assert.deepEqual(done, { status: 200, text: '"Done"\n' }, "the answer arrives over TLS");
    }
    await until("the listener is gone", async () => {
      try {
        (await Deno.connect({ hostname: "127.0.0.1", port })).close();
        return false;
      } catch {
        return true;
      }
    });
    assert.equal((await call(program, "/firewall/enableTLS")).text, "false\n");
    assert.equal((await call(program, "/status")).text, '"Online"\n');
  });
});

Deno.test("the certificate is replaced without closing the port or losing a request", async () => {
  const { tlsListener } = await import("../../../routes/composition/https.ts");
  const { listenTcp } = await import("../../../routes/http/listen.ts");
  const { makeCaCertificate, makeCertificate: makeLeaf } = await import(
    "../../../system/certificates/x509.ts"
  );
  const { validFor } = await import("../../../system/certificates/rules.ts");
  const authority = await makeCaCertificate("Test", validFor(10, Date.now()));
  const leaf = () =>
    makeLeaf(authority, {
      dns: ["localhost"],
      ip: ["127.0.0.1"],
      validity: validFor(9, Date.now()),
    });
  const gate = Promise.withResolvers<void>();
  const https = tlsListener((tls, { port }) =>
    listenTcp({
      hostname: "127.0.0.1",
      port,
      variable: "TEST",
      tls,
      watch: { died() {}, back() {} },
      handler: async (request) => {
        if (new URL(request.url).pathname === "/slow") await gate.promise;
        return new Response("ok");
      },
    }), 0);
  await https.serve(await leaf());
  try {
    using client = trusting(authority.cert);
    const url = `https://${https.address}`;
    const get = async (path: string) => {
      const init: RequestInit & { client: Deno.HttpClient } = { client };
      return await (await fetchAgain(url + path, init)).text();
    };
    const slow = get("/slow");
    await get("/");
    const address = https.address;
    const change = leaf().then((pair) => https.serve(pair));
    const quick = await Promise.all(Array.from({ length: 20 }, () => get("/")));
    gate.resolve();
    await change;
    assert.deepEqual(new Set(quick), new Set(["ok"]));
    assert.equal(await slow, "ok");
    assert.equal(https.address, address);
    assert.equal(await get("/"), "ok");
  } finally {
    await https.close();
  }
});

Deno.test("TLS stays off when its port is in use", async () => {
  await inFolder(async (home) => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const environment = { SLUICE_HTTPS: `127.0.0.1:${taken.addr.port}` };
    await using program = startProgram({ home, environment });
    await answered(program);
    const refused = await call(program, "/firewall/enableTLS", { method: "PUT" });
    assert.equal(refused.status, 503);
    assert.match(refused.text, /SLUICE_HTTPS/);
    assert.equal((await call(program, "/firewall/enableTLS")).text, "false\n");
  });
});

Deno.test("certificate routes show what is served; only the CA certificate is public", async () => {
  await using router = await testRouter();
  assert.deepEqual(await router.json("GET", "/certificate"), {
    on: false,
    certificate: null,
    authority: null,
  });
  assert.equal(await router.json("PUT", "/firewall/enableTLS"), "Done");
  assert.equal((await router.ask("PUT", "/firewall/enableTLS")).status, 400);
  const { certificate, authority } = await router.json<{
    certificate: { ip: string[]; own: boolean };
    authority: { fingerprint: string };
  }>("GET", "/certificate");
  assert.ok(certificate.own && certificate.ip.includes("192.168.2.1"));
  assert.match(authority.fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  const cert = await router.ask("GET", "/cert", { as: null });
  assert.equal(cert.headers.get("content-type"), "application/x-x509-ca-cert");
  assert.doesNotMatch(await cert.text(), /PRIVATE/);
  assert.equal(await router.json("DELETE", "/firewall/enableTLS"), "Done");
});
