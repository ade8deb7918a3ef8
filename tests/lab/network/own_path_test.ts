import assert from "node:assert/strict";
import { INTERNET, PROVIDER, UPLINK } from "../../kit/lab/lab.ts";
import { eventually, withBed } from "../../kit/lab/bed.ts";
import { LAB_PASSWORD } from "../../kit/lab/router.ts";

/** The router's next address towards its provider. */
const NEXT = "203.0.113.50";

interface Answer {
  readonly status: number;
  readonly headers: Headers;
}

/** Reads an answer as `curl -i` prints it. */
function answerOf(text: string): Answer {
  const [first = "", ...lines] = text.replaceAll("\r", "").split("\n\n")[0]!.split("\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(" ")[1]), headers: new Headers(headers) };
}

Deno.test("an uplink's address changes under the one who asks for it, and back unless confirmed", async () => {
  await withBed({ name: "path", lab: { clients: 1 }, leases: 0 }, async ({ lab, router }) => {
    await router.api("PUT", "/firewall/service_port", {
      body: { Protocol: "tcp", Port: "80", UpstreamEnabled: true },
    });
    const call = async (address: string, path: string, args: readonly string[]) => {
      const options = ["-s", "-i", "-m", "5", "-X", "PUT", ...args];
      return answerOf(
        (await lab.exec("wan", "curl", [...options, `http://${address}${path}`])).stdout,
      );
    };
    const body = JSON.stringify({
      Name: "wan0",
      DisableDHCP: true,
      IP: `${NEXT}/24`,
      Router: PROVIDER,
    });
    const move = (...headers: readonly string[]): Promise<Answer> =>
      call(UPLINK, "/uplink/ip", [
        ...["-u", `admin:${LAB_PASSWORD}`, "-d", body],
        ...headers.flatMap((header) => ["-H", header]),
      ]);
    const answers = async (address: string): Promise<boolean> =>
      await lab.tcp("wan", address, 80) === "open";

    assert.equal((await move()).status, 409, "neither forced nor under a window");
    const tried = await move("Confirm-Within: 10");
    assert.equal(tried.status, 202, "answered before it happens");
    await eventually("the new address answers", () => answers(NEXT));
    assert.equal(await answers(UPLINK), false);
    assert.equal(await lab.tcp("router", INTERNET, 80), "open", "and leads out");
    await eventually("the old address is back by itself", () => answers(UPLINK));
    assert.equal(await answers(NEXT), false);
    assert.equal(await lab.tcp("router", INTERNET, 80), "open");

    const kept = await move("Confirm-Within: 60");
    assert.equal(kept.status, 202);
    await eventually("the new address answers again", () => answers(NEXT));
    const path = `/changes/${kept.headers.get("change-id")}/confirm`;
    const token = `Authorization: Bearer ${kept.headers.get("confirm-token")}`;
    assert.equal((await call(NEXT, path, ["-H", token])).status, 200, "confirmed from over there");
    assert.equal((await call(NEXT, path, ["-H", token])).status, 401, "the token is used up");
    const shown = await lab.must("router", "ip", ["address", "show", "dev", "wan0"]);
    assert.match(shown, new RegExp(`inet ${NEXT}/24`));
    assert.doesNotMatch(shown, new RegExp(UPLINK));
  });
});
