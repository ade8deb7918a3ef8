import { z } from "zod";
import type { CertificateKeeper } from "../../system/certificates/keeper.ts";
import { CertificateStatus } from "../../system/certificates/schema.ts";
import { conflict, notFound } from "../../system/core/errors/problem.ts";
import { flag } from "../http/decide.ts";
import { peerFrom } from "../http/peer.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of certificates need from outside. */
export interface CertificatesDeps {
  readonly certificates: Pick<
    CertificateKeeper,
    "authority" | "status" | "isOn" | "enable" | "disable"
  >;
}

const DONE = "Done" as const;
/** What browsers and phones offer to trust. */
const AUTHORITY_TYPE = "application/x-x509-ca-cert";

/** TLS on and off, and the authority that people trust. */
export function certificatesRoutes({ certificates }: CertificatesDeps): Route[] {
  const tls = { path: "/firewall/enableTLS", tag: "TLS", access: "auth" } as const;
  return [
    authorityRoute("/cert", "public", certificates),
    authorityRoute("/cert/authorized", "auth", certificates),
    route({
      method: "GET",
      path: "/certificate",
      tag: "TLS",
      access: "auth",
      summary: "Whether TLS is on, with which certificate, and who signed it",
      response: CertificateStatus,
    }, () => certificates.status()),
    route(
      { method: "GET", ...tls, summary: "Whether TLS is on", response: z.boolean() },
      () => certificates.isOn(),
    ),
    route({
      method: "PUT",
      ...tls,
      summary: "Turn TLS on, with a certificate for the router's own names and addresses",
      response: z.literal(DONE),
      errors: [400, 409, 503],
    }, async (): Promise<typeof DONE> => {
      await certificates.enable();
      return DONE;
    }),
    route({
      method: "DELETE",
      ...tls,
      summary: "Turn TLS off; from a page over TLS itself with ?force=true alone",
      response: z.literal(DONE),
      force: true,
      errors: [400, 409],
    }, async ({ c }): Promise<typeof DONE> => {
      if (peerFrom(c).tls && !flag(c, "force")) {
        throw conflict("This ends the way on which you call; ask over HTTP, or with ?force=true");
      }
      await certificates.disable();
      return DONE;
    }),
  ];
}

function authorityRoute(
  path: string,
  access: "public" | "auth",
  certificates: CertificatesDeps["certificates"],
): Route {
  return route({
    method: "GET",
    path,
    tag: "TLS",
    access,
    summary: "The certificate of the router's own authority (PEM), to be trusted once",
    response: z.string(),
    mediaType: AUTHORITY_TYPE,
    sends: ["Content-Disposition"],
    errors: [404],
  }, async () => {
    const pem = await certificates.authority();
    if (pem === null) throw notFound("This router has made no authority of its own yet");
    return new Response(pem, {
      headers: {
        "content-type": AUTHORITY_TYPE,
        "content-disposition": 'attachment; filename="sluice-ca.crt"',
      },
    });
  });
}
