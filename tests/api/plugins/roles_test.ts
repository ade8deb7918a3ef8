import assert from "node:assert/strict";
import { eventually, inTime } from "../../kit/eventually.ts";
import { otpOf } from "../../kit/otp.ts";
import { type PluginStage, pluginStage } from "../../kit/plugins/stage.ts";
import { basic } from "../../kit/router.ts";

const PASSWORD = "correct horse battery";
const FRAMED = { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-origin" };

function program(request: Request): Response {
  if (request.headers.get("upgrade") === "websocket") {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = ({ data }) => socket.send(data);
    return response;
  }
  return new Response("<!doctype html><p>page</p>", { headers: { "content-type": "text/html" } });
}

/** A plugin, and the users `op` (operator) and `eye` (read-only). */
async function stageWithUsers() {
  const stage = await pluginStage(program);
  const headers = await otpOf(stage.router);
  for (const [name, Role] of [["op", "operator"], ["eye", "read-only"]] as const) {
    const body = { Role, Password: PASSWORD };
    await stage.router.ask("PUT", `/auth/users/${name}`, { headers, body });
  }
  const end = (name: string) => stage.router.ask("DELETE", `/auth/users/${name}`, { headers });
  return { stage, headers, end };
}

async function page(stage: PluginStage, authorization: string): Promise<string | null> {
  const answer = await stage.call("/plugins/sample/", { headers: { ...FRAMED, authorization } });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return /"SPR_API_TOKEN":"([^"]+)"/.exec(text)?.[1] ?? null;
}

async function status(stage: PluginStage, method: string, token: string): Promise<number> {
  const answer = await stage.router.ask(method, "/plugins/sample/x", { as: `Bearer ${token}` });
  await answer.text();
  return answer.status;
}

function socketTo(stage: PluginStage, authorization: string): WebSocket {
  return new (WebSocket as unknown as new (url: string, options: unknown) => WebSocket)(
    `${stage.origin.replace("http", "ws")}/plugins/sample/ws`,
    { headers: { authorization } },
  );
}

function opened(socket: WebSocket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.onopen = () => resolve(true);
    socket.onerror = () => resolve(false);
  });
}

Deno.test("the page of a plugin may do what its user may, for as long as the user may", async () => {
  const { stage, headers, end } = await stageWithUsers();
  await using _ = stage;
  const eye = (await page(stage, basic("eye", PASSWORD)))!;
  assert.deepEqual([await status(stage, "GET", eye), await status(stage, "PUT", eye)], [200, 403]);
  const op = (await page(stage, basic("op", PASSWORD)))!;
  assert.deepEqual([await status(stage, "GET", op), await status(stage, "PUT", op)], [200, 200]);
  const body = { Role: "read-only" };
  await stage.router.ask("PUT", "/auth/users/op", { headers, body });
  assert.equal(await status(stage, "GET", op), 401, "another role ends what was signed in before");
  const less = (await page(stage, basic("op", PASSWORD)))!;
  assert.deepEqual([await status(stage, "GET", less), await status(stage, "PUT", less)], [
    200,
    403,
  ]);
  await end("op");
  assert.equal(await status(stage, "GET", less), 401);
});

Deno.test("a page's token gets no other one, so it ends after its ten minutes", async () => {
  const { stage } = await stageWithUsers();
  await using _ = stage;
  const token = (await page(stage, basic()))!;
  assert.equal(await page(stage, `Bearer ${token}`), null);
});

Deno.test("a WebSocket to a plugin needs an operator, and ends with the user", async () => {
  const { stage, end } = await stageWithUsers();
  await using _ = stage;
  assert.equal(await inTime("a refusal", opened(socketTo(stage, basic("eye", PASSWORD)))), false);
  const eye = (await page(stage, basic("eye", PASSWORD)))!;
  assert.equal(await inTime("a refusal", opened(socketTo(stage, `Bearer ${eye}`))), false);
  const op = (await page(stage, basic("op", PASSWORD)))!;
  const sockets = [basic("op", PASSWORD), `Bearer ${op}`].map((as) => socketTo(stage, as));
  assert.deepEqual(await inTime("the handshakes", Promise.all(sockets.map(opened))), [true, true]);
  await end("op");
  await eventually("they end", () => {
    assert.ok(sockets.every(({ readyState }) => readyState === WebSocket.CLOSED));
  });
});

Deno.test("the token of a page, and what the page opened, end when its user signs out", async () => {
  const { stage } = await stageWithUsers();
  await using _ = stage;
  const signedIn = await fetch(`${stage.origin}/auth/login`, {
    method: "PUT",
    headers: { authorization: basic("op", PASSWORD) },
  });
  await signedIn.text();
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
  const framed = await fetch(`${stage.origin}/plugins/sample/`, { headers: { ...FRAMED, cookie } });
  const token = /"SPR_API_TOKEN":"([^"]+)"/.exec(await framed.text())![1]!;
  const socket = socketTo(stage, `Bearer ${token}`);
  assert.ok(await opened(socket));
  const closed = new Promise((resolve) => socket.onclose = resolve);
  assert.equal(await status(stage, "PUT", token), 200);
  const out = await fetch(`${stage.origin}/auth/logout`, {
    method: "PUT",
    headers: { cookie, origin: stage.origin },
  });
  assert.ok(out.ok, await out.text());
  assert.equal(await status(stage, "GET", token), 401);
  await inTime("the WebSocket of the page ends", closed);
});
