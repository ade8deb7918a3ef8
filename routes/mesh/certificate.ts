import { notFound, Problem } from "../../system/core/errors/problem.ts";
import { CERTIFICATE_HASH_HEADER, certificateHash } from "../../system/mesh/certificate_hash.ts";
import { type Route, route } from "../http/route.ts";
import type { MeshDeps } from "./deps.ts";

const MEDIA_TYPE = "application/x-x509-ca-cert";

/** The certificate that another router of the mesh trusts this one by. */
export function certificateRoutes({ engine, mesh }: MeshDeps): Route[] {
  const { tokens, trustedCertificate } = mesh;

  function isOn(): boolean {
    const { LeafMode, LeafRouters } = engine.config.mesh;
    return LeafMode || LeafRouters.length > 0 || tokens.leaf !== "";
  }

  async function certificate(): Promise<Response> {
    const text = await trustedCertificate();
    if (text === null) throw notFound("There is no certificate; turn HTTPS on first");
    const bytes = new TextEncoder().encode(text);
    const token = tokens.leaf;
    return new Response(bytes, {
      headers: {
        "content-type": MEDIA_TYPE,
        ...(token === "" ? {} : { [CERTIFICATE_HASH_HEADER]: certificateHash(bytes, token) }),
      },
    });
  }

  const common = {
    method: "GET",
    tag: "Mesh",
    mediaType: MEDIA_TYPE,
    sends: [CERTIFICATE_HASH_HEADER],
    errors: [404],
  } as const;
  const description =
    "The text of a PEM file. `X-SVC-Mesh-TLS-Hash` is the HMAC-SHA-256 of the exact bytes, keyed with the token that this " +
    "router gave its parent, in lower-case hex: a parent that holds the token trusts nothing else.";
  return [
    route({
      ...common,
      path: "/mesh/cert",
      access: "public",
      summary: "Mesh certificate, without credentials",
      description: `${description} Only while this router is in a mesh, or a parent may add it.`,
    }, async () => {
      if (!isOn()) throw new Problem(404, "This router is in no mesh");
      return await certificate();
    }),
    route({
      ...common,
      path: "/plugins/mesh/cert",
      access: "auth",
      summary: "Mesh certificate",
      description,
    }, certificate),
  ];
}
