import { PackageList } from "../../system/install/schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link packagesRoutes}. */
export interface PackagesDeps {
  readonly packages: { list(): Promise<PackageList> };
}

/** The Debian packages that the network needs. */
export function packagesRoutes({ packages }: PackagesDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/packages",
      compresses: true,
      tag: "System",
      access: "auth",
      duringSetup: true,
      summary: "Debian packages that the network needs",
      description:
        "Lists the packages of the processes that run here, who needs each and why, and whether it " +
        "is installed. What is missing is installed when the network is first applied, if `installs`; " +
        "nothing is installed before.",
      response: PackageList,
    }, () => packages.list()),
  ];
}
