import assert from "node:assert/strict";
import { Problem } from "../../../system/core/errors/problem.ts";
import {
  attachEvents,
  CLIENT_PREFIX,
  ControlSocket,
  removeOldClients,
} from "../../../system/host/sockets/hostapd_socket.ts";
import { FakeHostapd } from "../../kit/wifi/fake_hostapd.ts";

async function withFake(
  work: (fake: FakeHostapd, options: { server: string; folder: string }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-wifi-" });
  const fake = new FakeHostapd(`${folder}/wlan0`);
  try {
    await work(fake, { server: fake.path, folder });
  } finally {
    fake.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function status(work: Promise<unknown>): Promise<number> {
  const error = await work.then(() => null, (reason: unknown) => reason);
  assert.ok(error instanceof Problem, `${error}`);
  return error.status;
}

Deno.test("commands get their replies, in order, from hostapd's socket", () =>
  withFake(async (fake, options) => {
    const control = new ControlSocket(options);
    try {
      const [pong, status, unknown] = await Promise.all([
        control.request("PING"),
        control.request("STATUS"),
        control.request("NO_SUCH"),
      ]);
      assert.equal(pong, "PONG");
      assert.match(status, /^state=ENABLED\n/);
      assert.equal(unknown, "UNKNOWN COMMAND");
      assert.deepEqual(fake.commands, ["PING", "STATUS", "NO_SUCH"]);
    } finally {
      control.close();
    }
  }));

Deno.test("what hostapd refuses is an error with its words, without the command", () =>
  withFake(async (fake, options) => {
    const control = new ControlSocket(options);
    fake.replies.set("SET", "FAIL\n");
    try {
      const refusal = await control.order("SET sae_password secret|mac=02:00:00:00:00:01")
        .catch((error) => error);
      assert.equal(refusal.status, 502);
      assert.match(refusal.message, /FAIL/);
      assert.doesNotMatch(refusal.message, /secret/);
    } finally {
      control.close();
    }
  }));

Deno.test("a socket that gives no reply ends a command in time, and its late reply is no other's", () =>
  withFake(async (fake, options) => {
    const control = new ControlSocket({ ...options, timeoutMs: 100 });
    try {
      fake.trouble = "late";
      assert.equal(await status(control.request("PING")), 502);
      fake.trouble = "none";
      fake.replies.set("STATUS", "mine\n");
      assert.equal(await control.request("STATUS"), "mine");
      // The reply to PING comes now, to nobody.
      await new Promise((resolve) => setTimeout(resolve, 350));
      assert.equal(await control.request("STATUS"), "mine");
    } finally {
      control.close();
    }
  }));

Deno.test("a hostapd that died is 503, and one that came back is spoken to again", () =>
  withFake(async (fake, options) => {
    const control = new ControlSocket(options);
    try {
      assert.equal(await control.request("PING"), "PONG");
      fake.close();
      assert.equal(await status(control.request("PING")), 503);
      const next = new FakeHostapd(fake.path);
      try {
        assert.equal(await control.request("PING"), "PONG");
      } finally {
        next.close();
      }
    } finally {
      control.close();
    }
  }));

Deno.test("garbage and endless replies are texts like any other", () =>
  withFake(async (fake, options) => {
    const control = new ControlSocket(options);
    try {
      for (const trouble of ["garbage", "huge"] as const) {
        fake.trouble = trouble;
        assert.equal(typeof await control.request("STATUS"), "string");
        assert.equal(await status(control.order("STATUS")), 502);
      }
    } finally {
      control.close();
    }
  }));

Deno.test("events arrive without their level until they are no longer wanted", () =>
  withFake(async (fake, options) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const events = await attachEvents(options, resolve);
    await fake.sendEvent("AP-STA-CONNECTED 02:00:00:00:0a:01 keyid=pending-2");
    assert.equal(await promise, "AP-STA-CONNECTED 02:00:00:00:0a:01 keyid=pending-2");
    events.close();
    const left = [...Deno.readDirSync(options.folder)].filter(({ name }) =>
      name.startsWith(CLIENT_PREFIX)
    );
    assert.deepEqual(left, []);
  }));

Deno.test("attaching to a socket that hangs, refuses or is not there fails in time", () =>
  withFake(async (fake, options) => {
    const quick = { ...options, timeoutMs: 100 };
    fake.replies.set("ATTACH", "FAIL\n");
    assert.equal(await status(attachEvents(quick, () => {})), 502);
    fake.trouble = "silent";
    assert.equal(await status(attachEvents(quick, () => {})), 502);
    const nowhere = { ...quick, server: `${options.folder}/none` };
    assert.equal(await status(attachEvents(nowhere, () => {})), 503);
    assert.deepEqual(
      [...Deno.readDirSync(options.folder)].map(({ name }) => name).sort(),
      ["wlan0", "wlan0.events"],
    );
  }));

Deno.test("our ends of an earlier run are removed, and nothing else", () =>
  withFake(async (_fake, options) => {
    await Deno.writeTextFile(`${options.folder}/${CLIENT_PREFIX}1-1`, "");
    await removeOldClients(options.folder);
    assert.deepEqual(
      [...Deno.readDirSync(options.folder)].map(({ name }) => name).sort(),
      ["wlan0", "wlan0.events"],
    );
  }));
