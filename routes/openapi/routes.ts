import * as z from "zod";
import { inSlices } from "../../system/core/time/slices.ts";
import { HTTP_SOCKETS } from "../../system/processes.ts";
import { json } from "../http/answer.ts";
import { type Route, route } from "../http/route.ts";
import type { ApiVersions, OpenApi } from "./document.ts";

/** Internal sockets that have a document of their own, by its name. */
const InternalSocketNames = z.enum([...HTTP_SOCKETS.keys()] as [string, ...string[]]);

const common = {
  method: "GET",
  tag: "API",
  access: "auth",
  compresses: true,
  response: z.looseObject({ openapi: z.literal("3.1.0") }),
} as const;

/** The API documents. Each is made at its first request, which most routers never get. */
export function documentRoutes(routes: () => readonly Route[], versions: ApiVersions): Route[] {
  let external: OpenApi | null = null;
  return [
    route({
      ...common,
      path: "/openapi.json",
      summary: "This API as an OpenAPI 3.1 document",
      description: "The document you are reading, computed from the routes of the running version.",
    }, async () => {
      const { openApiSteps } = await import("./document.ts");
      return external ??= await inSlices(openApiSteps(routes(), versions));
    }),
    route({
      ...common,
      path: "/openapi/internal/{socket}",
      summary: "The API of an internal unix socket as an OpenAPI 3.1 document",
      description:
        "Internal sockets connect Sluice's processes and check no credentials; this is for who " +
        "writes a service.",
      params: z.object({ socket: InternalSocketNames }),
    }, async ({ params }) => {
      // What it describes imports this file.
      const { internalOpenApi } = await import("./described.ts");
      return json(internalOpenApi(params.socket, versions));
    }),
  ];
}
