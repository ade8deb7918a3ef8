import * as z from "zod";
import { deviceAnswer } from "../../system/devices/answer.ts";
import { deleteDevice } from "../../system/devices/delete.ts";
import { titleOf } from "../../system/devices/device.ts";
import { canonicalIdentity, requireIdentity } from "../../system/devices/identity.ts";
import { generatePsk, passwordPath, sendsPassword } from "../../system/devices/psk.ts";
import type { Device } from "../../system/devices/schema.ts";
import { deviceTag, requireAbsent, requireTag } from "../../system/devices/tag.ts";
import { updateSummary } from "../../system/devices/summary.ts";
import { updateDevice } from "../../system/devices/update.ts";
import { DeviceAnswer, DeviceUpdate } from "../../system/devices/wire.ts";
import { invalid, notFound, sentence } from "../../system/core/errors/problem.ts";
import { type Call, type Route, route, type Sent } from "../http/route.ts";
import type { DevicesDeps } from "./deps.ts";

const Name = z.string().max(256).describe("MAC address, WireGuard public key, or pending");
const ByQuery = { path: "/device", query: z.object({ identity: Name.default("") }) } as const;
const ByPath = {
  path: "/device/{identity}",
  params: z.object({ identity: Name }),
} as const;
const Copy = Name.optional().describe(
  "Device whose password, groups, policies and tags fill what the body leaves out or empty",
);

const IfAbsent = z.literal("*", { error: "Write *" }).optional()
  .describe("* creates the device; 412 when there is one already");

/**
 * One device by its name, which may stand in the query or in the path. GET shows the password and
 * needs an OTP; HEAD gives the entity tag alone. `If-Match` is held against the device's own tag.
 */
export function deviceRoutes(deps: DevicesDeps): Route[] {
  const { engine } = deps;
  const tags = {
    key: deps.tagKey,
    secretVersion: (device: Device) => engine.secretVersion(device),
  };

  function find(text: string): readonly [string, Device] {
    const identity = named(text);
    const device = engine.config.devices[identity];
    if (device === undefined) {
      throw notFound(sentence("There is no device {identity}", { identity }));
    }
    return [identity, device];
  }

  // deno-lint-ignore no-explicit-any -- handlers shared by the query form and the path form
  type Any = Call<any>;

  function get(text: string): Response {
    const [identity, device] = find(text);
    return tagged(
      deviceAnswer(identity, device, engine.observed.devices[identity], { showPsk: true }),
      device,
    );
  }

  function tagged(value: Sent<z.input<typeof DeviceAnswer>>, device: Device): Response {
    return Response.json(value, { headers: { etag: deviceTag(device, tags) } });
  }

  function head(text: string): Response {
    const [, device] = find(text);
    return new Response(null, {
      headers: { "content-type": "application/json", etag: deviceTag(device, tags) },
    });
  }

  async function put(call: Any, text: string, copy: string | undefined): Promise<Response> {
    const identity = named(text);
    const update = call.body as DeviceUpdate;
    return await call.decide({
      kind: "device.update",
      summary: updateSummary(engine.config, identity, update),
      secrets: () => sendsPassword(update, copy) ? [passwordPath(identity)] : [],
      reduce: command(),
    }, (result) => {
      const answer = deviceAnswer(identity, result.device, engine.observed.devices[identity], {
        showPsk: result.generated,
      });
      const response = tagged(answer, result.device);
      response.headers.set("device-identity", identity);
      return response;
    });

    function precondition(before: Device | undefined): void {
      const match = call.c.req.header("if-match");
      if (match !== undefined) requireTag(match, before, tags);
      if (call.headers["If-None-Match"] !== undefined) requireAbsent(before);
    }

    function command() {
      // Drawn once, so that deciding again after a refused batch gives the same password.
      const generated = generatePsk(deps.random);
      const now = Math.floor(deps.now() / 1000);
      return (config: typeof engine.config) =>
        updateDevice(config, {
          identity,
          update,
          copy: copy === undefined || copy === "" ? null : requireIdentity(copy, "/copy"),
          generated,
          now,
          precondition,
        });
    }
  }

  async function remove(call: Any, text: string): Promise<Response> {
    const identity = named(text);
    const match = call.c.req.header("if-match");
    return await call.decide({
      kind: "device.delete",
      summary: `Deleted ${titleOf(identity, engine.config.devices[identity])}`,
      reduce: (config) =>
        deleteDevice(
          config,
          identity,
          match === undefined ? undefined : (before) => requireTag(match, before, tags),
        ),
    });
  }

  const read = {
    tag: "Devices",
    summary: "Device including its password",
    description:
      "The only response that shows the Wi-Fi password. The ETag is the device's own; send it as " +
      "`If-Match` with an update.",
  } as const;
  const etag = {
    tag: "Devices",
    summary: "Entity tag of a device",
    description:
      "Answers the device's ETag without its password, for callers that have no one-time code.",
    access: "auth",
    sends: ["ETag"],
  } as const;
  const write = {
    tag: "Devices",
    summary: "Update a device, or create it",
    description:
      'Missing fields stay unchanged; `""` and `[]` clear. `pending` is a device that has yet to ' +
      "join: without a password it gets a generated one, which only this response shows, and a new " +
      "password under another name replaces it whole. More devices wait at the same time as " +
      "`pending-2`, `pending-3` and so on; `If-None-Match: *` creates and never replaces.",
    access: "auth",
    duringSetup: true,
    decides: true,
    sends: ["ETag", "Device-Identity"],
    headers: z.object({ "If-None-Match": IfAbsent }),
    body: DeviceUpdate,
    response: DeviceAnswer,
    errors: [404, 409, 412],
  } as const;
  const away = {
    tag: "Devices",
    summary: "Delete a device",
    description:
      "Deletes the device with its access, and ends its connections. A device that joins again " +
      "starts as unknown.",
    access: "auth",
    decides: true,
    errors: [404, 409, 412],
  } as const;
  const seen = {
    access: "otp",
    response: DeviceAnswer,
    sends: ["ETag"],
    errors: [404],
  } as const;

  return [
    route(
      { method: "GET", ...ByQuery, ...read, ...seen },
      (call) => get(call.query.identity),
    ),
    route({ method: "GET", ...ByPath, ...read, ...seen }, (call) => get(call.params.identity)),
    route(
      { method: "HEAD", ...ByQuery, ...etag, errors: [404] },
      (call) => head(call.query.identity),
    ),
    route(
      { method: "HEAD", ...ByPath, ...etag, errors: [404] },
      (call) => head(call.params.identity),
    ),
    route(
      { method: "PUT", ...ByQuery, query: ByQuery.query.extend({ copy: Copy }), ...write },
      (call) => put(call, call.query.identity, call.query.copy),
    ),
    route(
      { method: "PUT", ...ByPath, query: z.object({ copy: Copy }), ...write },
      (call) => put(call, call.params.identity, call.query.copy),
    ),
    route(
      { method: "DELETE", ...ByQuery, ...away },
      (call) => remove(call, call.query.identity),
    ),
    route(
      { method: "DELETE", ...ByPath, ...away },
      (call) => remove(call, call.params.identity),
    ),
  ];
}

function named(text: string): string {
  if (text.trim() === "") throw invalid("/identity", "Name the device: ?identity=");
  return canonicalIdentity(text) ?? requireIdentity(text);
}
