import assert from "node:assert/strict";
import type { MeshStatus } from "../../../system/mesh/status_schema.ts";
import { mac } from "../builders/device_config.ts";
import { eventually } from "../eventually.ts";
import type { TestRouter } from "../router.ts";
import type { MeshRouter } from "./mesh_bed.ts";

/** Where the routes of the mesh are. */
export const PATH = "/plugins/mesh";
/** The password of every device. */
export const PSK = { Type: "sae", Psk: "password1234" };

/** How a router stands in its mesh. */
export const status = (router: TestRouter): Promise<MeshStatus> =>
  router.json<MeshStatus>("GET", `${PATH}/status`);

/** Asserts that a request was refused, in such words. */
export async function refused(answer: Response, code: number, words: RegExp): Promise<void> {
  const text = await answer.text();
  assert.equal(answer.status, code, text);
  assert.match(text, words);
}

/** Adds a device with a Wi-Fi password. */
export async function addDevice(router: TestRouter, n: number, Name: string): Promise<void> {
  const answer = await router.ask("PUT", `/device?identity=${mac(n)}`, {
    body: { Name, PSKEntry: PSK, Policies: ["wan", "dns"], Groups: ["kids"] },
  });
  assert.equal(answer.status, 200, await answer.text());
}

/** Adds a leaf router by its token. */
export function put(
  parent: MeshRouter,
  leaf: MeshRouter,
  APIToken: string,
  query = "",
): Promise<Response> {
  const body = { IP: leaf.address, APIToken, TLSCA: "" };
  return parent.router.ask("PUT", `${PATH}/leafRouter${query}`, { body });
}

/** Waits until the leaf stands so at its parent. */
export async function stands(
  parent: MeshRouter,
  leaf: MeshRouter,
  Status: string,
): Promise<MeshStatus["Leaves"][number]> {
  return await eventually(`the leaf is ${Status}`, async () => {
    const { Leaves } = await status(parent.router);
    const found = Leaves.find(({ IP }) => IP === leaf.address);
    assert.equal(found?.Status, Status, found?.Problem ?? "no leaf");
    return found!;
  });
}

/** A leaf joins; returns its token. */
export async function join(parent: MeshRouter, leaf: MeshRouter): Promise<string> {
  const token = await leaf.leafToken();
  const answer = await put(parent, leaf, token, "?force=true");
  assert.equal(answer.status, 200, await answer.text());
  await stands(parent, leaf, "synced");
  return token;
}
