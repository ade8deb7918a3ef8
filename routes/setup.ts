import * as z from "zod";
import { FIRST_ADMIN } from "../system/access/first_start.ts";
import type { Access } from "../system/access/open.ts";
import { hashPassword, verifyPassword } from "../system/access/password/password.ts";
import { storedPassword } from "../system/access/rules.ts";
import {
  finishSetup,
  setUp,
  type SetupMachine,
  SetupRequest,
} from "../system/access/setup_rules.ts";
import type { Config } from "../system/config.ts";
import type { Engine } from "../system/core/engine/engine.ts";
import { conflict } from "../system/core/errors/problem.ts";
import { UnicastMac } from "../system/devices/schema.ts";
import { flag } from "./http/decide.ts";
import { type Route, route } from "./http/route.ts";

/** Dependencies of {@link setupWriteRoutes}. */
export interface SetupDeps {
  readonly access: Pick<Access, "setup">;
  readonly engine: Pick<Engine<Config>, "config" | "host">;
  readonly random: (length: number) => Uint8Array;
}

const Done = z.object({ status: z.string() });
const DONE = { status: "done" };

/** The first decisions about a new router, open with its setup code. */
export function setupWriteRoutes({ access, engine, random }: SetupDeps): Route[] {
  const stored = (): string | undefined => storedPassword(engine.config, FIRST_ADMIN);
  const recordOf = async (password: string): Promise<string> => {
    const known = stored();
    if (known === undefined || !access.setup.hasPassword(known)) {
      return await hashPassword(password, random);
    }
    // The same request once more, after its answer was lost, is no second password.
    if (await verifyPassword(password, known)) return known;
    throw conflict("The admin's password is set already; sign in with it to change it");
  };
  return [
    route({
      method: "PUT",
      path: "/setup",
      tag: "Access",
      access: "setup",
      decides: true,
      summary: "Set up a new router",
      description:
        "Sets the password of `admin`, and the WAN interface and the address pools where they are " +
        "given, as one change. It may be repeated with the same password until setup is finished.",
      examples: {
        body: {
          InterfaceUplink: "wan0",
          AdminPassword: "correct horse battery",
          TinyNets: ["192.168.2.0/24"],
        },
        response: DONE,
      },
      body: SetupRequest,
      response: Done,
      errors: [404, 409, 502],
    }, async (call) => {
      const { AdminPassword, ...request } = call.body;
      const record = await recordOf(AdminPassword);
      const machine = await machineOf(engine, call.caller.from);
      return await call.decide(setUp(request, { record, machine }), () => DONE);
    }),
    route({
      method: "PUT",
      path: "/setup_done",
      tag: "Access",
      access: "setup",
      decides: true,
      summary: "Finish setup",
      description:
        "Revokes the setup code and admits the caller's device, so that it keeps its access. Has no " +
        "effect once finished.",
      examples: { response: DONE },
      response: Done,
      errors: [404, 409, 502],
    }, async (call) => {
      if (!access.setup.hasPassword(stored())) {
        throw conflict("Setup is not done: the admin still has the first secret as password");
      }
      const machine = await machineOf(engine, call.caller.from);
      const uplinkAddresses = await addressesOfUplinks(engine);
      const again = !access.setup.isOpen;
      const command = finishSetup({ machine, uplinkAddresses, again });
      const answer = await call.decide(command, () => DONE);
      if (answer.ok && !flag(call.c, "dryRun")) await access.setup.finish();
      return answer;
    }),
  ];
}

/** What the kernel knows of the caller's machine; nothing where it cannot be read. */
async function machineOf(
  engine: SetupDeps["engine"],
  address: string | null,
): Promise<SetupMachine> {
  const { neighbours } = await engine.host.facts().catch(() => ({ neighbours: [] }));
  const mac = neighbours.find((one) => one.address === address)?.mac ?? null;
  return { address, mac: UnicastMac.safeParse(mac).success ? mac : null };
}

async function addressesOfUplinks(engine: SetupDeps["engine"]): Promise<readonly string[]> {
  const uplinks = engine.config.interfaces.filter(({ Type, Enabled }) =>
    Enabled && Type === "Uplink"
  );
  const { addresses } = await engine.host.facts().catch(() => ({ addresses: [] }));
  const seen = addresses.filter(({ link }) => uplinks.some(({ Name }) => Name === link));
  return [...uplinks.map(({ IP }) => IP), ...seen.map(({ address }) => address)]
    .map((text) => text.split("/")[0] ?? "");
}
