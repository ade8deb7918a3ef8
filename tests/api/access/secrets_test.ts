import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { openLog } from "../../../system/core/log/log.ts";
import { basic, PASSWORD, testRouter } from "../../kit/router.ts";

const CARD = "02:00:00:00:0a:01";
const PATH = `/device?identity=${CARD}`;

Deno.test("no secret appears in changes, previews, events, notices, errors, ETags or the log", async () => {
  const logged: string[] = [];
  await using router = await testRouter({
    log: openLog({
      process: "test",
      human: false,
      level: "debug",
      write: (text) => void logged.push(String(text)),
    }),
  });
  const published: string[] = [];
  router.bus.subscribe((event) => void published.push(JSON.stringify(event)));
  const seen: string[] = [];
  const ask = async (method: string, path: string, sent = {}): Promise<Response> => {
    const answer = await router.ask(method, path, sent);
    const headers = [...answer.headers].filter(([name]) => name !== "set-cookie");
    seen.push(`${method} ${path} ${JSON.stringify(headers)} ${await answer.clone().text()}`);
    return answer;
  };

  const secrets = ["first psk 1234", "second psk 123", "refused|psk 12", PASSWORD];
  const [one, two, bad] = secrets;
  const psk = (Psk: string | undefined) => ({ body: { PSKEntry: { Type: "sae", Psk } } });
  const made = await ask("PUT", PATH, psk(one));
  await ask("PUT", `${PATH}&dryRun=true`, psk(two));
  await ask("PUT", PATH, psk(two));
  await ask("PUT", PATH, psk(bad));
  await ask("PUT", "/devices", { body: { [CARD]: psk(bad).body } });
  await ask("PUT", `/device?identity=pending&copy=${CARD}`, { body: { Name: "copy" } });
  await ask("PUT", `/changes/${made.headers.get("change-id")}/undo`);
  await ask("DELETE", `${PATH}&dryRun=true`);

  const guest = "guest psk 1234", other = "other guest 12", worse = "worse|guest 1";
  secrets.push(guest, other, worse);
  const network = (GuestPassword: string) => ({ body: { Ssid: "guests", GuestPassword } });
  await ask("PUT", "/hostapd/wlan0/enable");
  const added = await ask("PUT", "/hostapd/wlan0/enableExtraBSS", network(guest));
  assert.equal(added.status, 200);
  await ask("PUT", "/hostapd/wlan0/enableExtraBSS?dryRun=true", network(other));
  await ask("PUT", "/hostapd/wlan0/enableExtraBSS", network(other));
  await ask("PUT", "/hostapd/wlan0/enableExtraBSS", network(worse));
  await ask("PUT", `/changes/${added.headers.get("change-id")}/undo`);
  for (const path of ["/interfacesConfiguration", "/wifi/networks", "/hostapd/wlan0/config"]) {
    await ask("GET", path);
  }

  const registered = await router.json<{ OTPUsers: { Secret: string }[] }>("PUT", "/otp_register", {
    body: {},
  });
  const seed = registered.OTPUsers[0]!.Secret;
  const Code = new TOTP({ secret: Secret.fromBase32(seed) }).generate();
  const jwt = await router.json<string>("PUT", "/otp_validate", { body: { Code } });
  const headers = { "x-jwt-otp": jwt };
  const made2 = await router.json<{ Token: string }>("PUT", "/tokens", { body: {}, headers });
  const wrong = "a wrong password 1", fresh = "a fresh password 1";
  secrets.push(seed, jwt, made2.Token, wrong, fresh);
  await ask("GET", "/tokens", { headers });
  await ask("GET", "/devices", { as: basic("admin", wrong) });
  await ask("GET", "/devices", { as: `Bearer ${made2.Token}x` });
  await ask("DELETE", "/tokens", { body: { Token: `${made2.Token}x` }, headers });
  await ask("PUT", "/auth/password", { body: { Current: wrong, New: fresh } });
  await ask("PUT", "/auth/password", { body: { Current: PASSWORD, New: fresh } });
  const as = basic("admin", fresh);
  const window = await router.ask("PUT", "/groups", {
    body: { Name: "window" },
    headers: { "confirm-within": "60" },
    as,
  });
  secrets.push(window.headers.get("confirm-token")!);
  await ask("PUT", "/groups", { body: { Name: "other" }, as });

  // A file with an entry that is refused, and one that is no file at all.
  const devices = `${router.home}/configs/devices/devices.json`;
  const file = JSON.parse(await Deno.readTextFile(devices));
  file["no identity"] = { PSKEntry: { Type: "sae", Psk: "aside psk 1234" } };
  file["02:00:00:00:0a:09"] = { PSKEntry: { Type: "sae", Psk: "bad|psk in a file" } };
  secrets.push("aside psk 1234", "bad|psk in a file", "broken psk 123");
  const links = `${router.home}/configs/base/interfaces.json`;
  const interfaces = JSON.parse(await Deno.readTextFile(links));
  interfaces.find(({ Name }: { Name: string }) => Name === "wlan0").ExtraBSS = [
    { Ssid: "guests", Wpa: "9", GuestPassword: "guest of a file" },
  ];
  secrets.push("guest of a file");
  await Deno.writeTextFile(links, JSON.stringify(interfaces));
  await Deno.writeTextFile(devices, JSON.stringify(file));
  await router.engine.adoptEditedFiles();
  await Deno.writeTextFile(devices, '{"x": {"PSKEntry": {"Psk": "broken psk 123"');
  await router.engine.adoptEditedFiles();

  await ask("GET", "/devices", { as });
  await ask("GET", "/groups", { as });
  await ask("GET", "/notices?all=true", { as });
  await ask("GET", "/changes/window", { as });
  await ask("GET", "/auth/sessions", { as });
  const { items } = await router.json<{ items: { id: string }[] }>("GET", "/changes?limit=500", {
    as,
  });
  assert.ok(items.length > 5);
  for (const { id } of items) {
    await ask("GET", `/changes/${id}`, { as });
    await ask("PUT", `/changes/${id}/undo?dryRun=true`, { as });
  }
  for (const [channel, lines] of Object.entries({ seen, published, logged })) {
    for (const secret of secrets) {
      const found = lines.filter((line) => line.includes(secret));
      assert.deepEqual(found, [], `${secret} stands in what was ${channel}`);
    }
  }
});
