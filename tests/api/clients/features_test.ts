import assert from "node:assert/strict";
import { answered, inFolder, startProgram } from "../../kit/process.ts";
import { basic } from "../../kit/router.ts";

Deno.test("the program names the features whose pages clients show, and sends them events", async () => {
  await inFolder(async (home) => {
    await using program = startProgram({ home, environment: { SLUICE_SERVICES: "all" } });
    await answered(program);
    const headers = { authorization: basic("admin", "correct horse battery") };
    const get = async <T>(path: string): Promise<T> =>
      await (await fetch(program.url + path, { headers })).json();
    assert.deepEqual(await get<string[]>("/features"), ["dns", "wifi", "ppp", "wireguard"]);
    const [link] = await get<{ ifname: string; addr_info: unknown[] }[]>("/ip/addr");
    assert.equal(typeof link?.ifname, "string");
    assert.ok(Array.isArray(link?.addr_info));
    const socket = new WebSocket(`${program.url.replace("http:", "ws:")}/ws`);
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.onopen = () => socket.send("admin:correct horse battery");
    const answer = await new Promise((resolve) => socket.onmessage = ({ data }) => resolve(data));
    assert.equal(answer, "success");
    socket.close();
    await closed;
  });
});
