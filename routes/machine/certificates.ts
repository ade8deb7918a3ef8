import * as z from "zod";
import type { ServerCertificate } from "../../system/certificates/server_certificate.ts";
import { CertificateStatus } from "../../system/certificates/schema.ts";
import { conflict, notFound } from "../../system/core/errors/problem.ts";
import { flag } from "../http/decide.ts";
import { peerFrom } from "../http/peer.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link certificatesRoutes}. */
export interface CertificatesDeps {
  readonly certificates: Pick<
    ServerCertificate,
    "caCertificate" | "status" | "isEnabled" | "enable" | "disable"
  >;
}

const DONE = "Done" as const;
/** Media type that browsers and phones offer to install as a CA certificate. */
const CA_CERTIFICATE_TYPE = "application/x-x509-ca-cert";

/** HTTPS on and off, and the local CA certificate. */
export function certificatesRoutes({ certificates }: CertificatesDeps): Route[] {
  const tls = { path: "/firewall/enableTLS", tag: "TLS", access: "auth" } as const;
  return [
    caCertificateRoute("/cert", "public", certificates),
    caCertificateRoute("/cert/authorized", "auth", certificates),
    route({
      method: "GET",
      path: "/certificate",
      tag: "TLS",
      access: "auth",
      summary: "TLS state, certificate and issuer",
      description:
        "Whether HTTPS is on, and validity, names and addresses of the certificate and its CA. " +
        "Times are unix milliseconds.",
      response: CertificateStatus,
    }, () => certificates.status()),
    route(
      {
        method: "GET",
        ...tls,
        summary: "Whether HTTPS is on",
        description: "True while the router serves HTTPS beside HTTP.",
        response: z.boolean(),
      },
      () => certificates.isEnabled(),
    ),
    route({
      method: "PUT",
      ...tls,
      summary: "Enable HTTPS",
      description:
        "Creates a local CA if there is none, and a certificate for the router's names and " +
        "addresses, which is renewed automatically.",
      response: z.literal(DONE),
      errors: [400, 409, 503],
    }, async (): Promise<typeof DONE> => {
      await certificates.enable();
      return DONE;
    }),
    route({
      method: "DELETE",
      ...tls,
      summary: "Disable HTTPS",
      description:
        "Stops serving HTTPS; certificate and CA are kept. A call over HTTPS itself needs " +
        "`force=true`.",
      response: z.literal(DONE),
      force: true,
      errors: [400, 409],
    }, async ({ c }): Promise<typeof DONE> => {
      if (peerFrom(c).tls && !flag(c, "force")) {
        throw conflict(
          "This closes the connection that this request came by; send it over HTTP, or with ?force=true",
        );
      }
      await certificates.disable();
      return DONE;
    }),
  ];
}

function caCertificateRoute(
  path: string,
  access: "public" | "auth",
  certificates: CertificatesDeps["certificates"],
): Route {
  return route({
    method: "GET",
    path,
    tag: "TLS",
    access,
    summary: "The router's local CA certificate (PEM)",
    description:
      "The certificate of the local CA that signs the router's HTTPS certificate. Install it on a " +
      "device to trust the router. 404 until HTTPS was enabled once.",
    examples: { response: "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n" },
    response: z.string(),
    mediaType: CA_CERTIFICATE_TYPE,
    sends: ["Content-Disposition"],
    errors: [404],
  }, async () => {
    const pem = await certificates.caCertificate();
    if (pem === null) throw notFound("This router has made no authority of its own yet");
    return new Response(pem, {
      headers: {
        "content-type": CA_CERTIFICATE_TYPE,
        "content-disposition": 'attachment; filename="sluice-ca.crt"',
      },
    });
  });
}
