import { Problem } from "../../../system/core/errors/problem.ts";
import { type Route, route, type RouteDescription } from "../../http/route.ts";
import { COMMON } from "./common.ts";

/** What the supervisor of existing routers does besides, and why it is not done here. */
const ELSEWHERE: readonly (readonly [RouteDescription["method"], path: string, why: string])[] = [
  ["PUT", "/build", "Images are not built here: name a built image in the compose file"],
  ["PUT", "/release", "Select a release by PUT /releaseSet of the API, with a one-time password"],
  [
    "DELETE",
    "/release",
    "Select a release by DELETE /releaseSet of the API, with a one-time password",
  ],
  ["PUT", "/update_git", "Have an admin review files of plugins by PUT /plugin/review of the API"],
  ["PUT", "/switch_plugin_runtime", "Containers run in the engine's own runtime alone"],
  ["GET", "/attest_status", "Sluice has no container images that could be attested"],
  ["PUT", "/attest_status", "Sluice has no container images that could be attested"],
  ["GET", "/plugin_attest", "Images are known by their digest: name one in the compose file"],
  ["GET", "/authorizedKeys", "Keys for SSH are in ~/.ssh/authorized_keys of the router's users"],
  [
    "PUT",
    "/authorizedKeys",
    "Write keys for SSH into ~/.ssh/authorized_keys of the router's users",
  ],
];

/** Routes that name where else a thing is done. */
export function elsewhereRoutes(): Route[] {
  return ELSEWHERE.map(elsewhere);
}

function elsewhere([method, path, why]: (typeof ELSEWHERE)[number]): Route {
  return route({
    ...COMMON,
    method,
    path,
    summary: "Not done by this router",
    description: `The response is always 501: ${why}.`,
    errors: [501],
  }, () => {
    throw new Problem(501, why);
  });
}
