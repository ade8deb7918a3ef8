import { HTTP_SOCKETS, sockets } from "../../system/processes.ts";
import { externalRoutes } from "../app.ts";
import { SOCKET_ROUTES } from "../internal.ts";
import { type ApiVersions, type Audience, type OpenApi, openApi } from "./document.ts";

const paths = sockets("");

/** The document of an internal socket, by the name of the document in `HTTP_SOCKETS`. */
export function internalOpenApi(document: string, versions: ApiVersions): OpenApi {
  const { name, title, description } = HTTP_SOCKETS.get(document)!;
  const audience: Audience = {
    title: `Sluice internal: ${title}`,
    description:
      `${description} Every process that can reach the socket may call it; no credentials are checked.`,
    server: {
      url: "http://localhost",
      description: `Unix socket ${paths[name]} below SLUICE_HOME`,
    },
    guarded: false,
  };
  return openApi(SOCKET_ROUTES[name](undelivered), versions, audience);
}

/** The document of the external API without a router behind it. */
export function externalOpenApi(versions: ApiVersions): OpenApi {
  return openApi(externalRoutes(undelivered), versions);
}

const nothing: unknown = new Proxy(function () {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => "" : nothing,
  apply: () => nothing,
});

/** Stands for whatever routes need from outside where they are described and never called. */
const undelivered = nothing as never;
