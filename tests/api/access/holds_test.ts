import assert from "node:assert/strict";
import { type AccessKit, accessKit, cookieOf, PASSWORD } from "../../kit/access.ts";

const ADMIN = `admin:${PASSWORD}`;

function identify(kit: AccessKit, shown: { cookie?: string; authorization?: string }) {
  return kit.access.identify({
    authorization: shown.authorization ?? null,
    cookie: shown.cookie ?? null,
    jwt: null,
    source: "192.168.2.9",
    tls: false,
    confirms: () => false,
  });
}

Deno.test("a stream's authentication is valid until its session, token or password is revoked", async () => {
  await using kit = await accessKit();
  const login = async () => {
    const answer = await kit.request("/auth/login", { method: "PUT", basic: ADMIN });
    return cookieOf(answer).split("=")[1]!;
  };
  const [first, second] = [await login(), await login()];
  const a = await identify(kit, { cookie: first }), b = await identify(kit, { cookie: second });
  const token = await kit.access.accounts.createToken({ Name: "", Expire: 0, ScopedPaths: [] });
  const t = await identify(kit, { authorization: `Bearer ${token.Token}` });
  const basic = await identify(kit, { authorization: `Basic ${btoa(ADMIN)}` });
  const all = () => [a, b, t, basic].map((identity) => kit.access.holds(identity));
  assert.deepEqual(all(), [true, true, true, true]);
  await kit.request("/auth/logout", { method: "PUT", cookie: `sluice-http=${first}` });
  assert.deepEqual(all(), [false, true, true, true]);
  await kit.access.accounts.deleteToken({ Token: "", ID: token.ID });
  assert.deepEqual(all(), [false, true, false, true]);
  const body = { Current: PASSWORD, New: "another password" };
  await kit.request("/auth/password", { method: "PUT", basic: ADMIN, body });
  assert.deepEqual(all(), [false, false, false, false]);
  assert.equal(kit.access.holds(await identify(kit, {})), false);
});
