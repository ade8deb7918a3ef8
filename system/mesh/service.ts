import { feedPoll, followFeed } from "../core/ipc/feed.ts";
import { Problem } from "../core/errors/problem.ts";
import { ReportQueue } from "../core/ipc/report_queue.ts";
import { socketClient } from "../core/ipc/socket_client.ts";
import type { Log } from "../core/log/log.ts";
import { pause } from "../core/time/pause.ts";
import { pinnedRequest, UntrustedServer } from "../host/sockets/pinned_https.ts";
import { leafDigest } from "./certificate_hash.ts";
import { callLeaf, probe, refusalText, type SendToRouter } from "./contact/leaf_client.ts";
import { contactLeaf } from "./contact/leaf_contact.ts";
import { afterContact, type LeafState, NEW_LEAF, nextContact } from "./contact/leaf_state.ts";
import { leafNotReached, notReached } from "./joining.ts";
import { isPinned } from "./pin.ts";
import {
  type LeafCall,
  type LeafPeer,
  type LeafReport,
  type LeafResponse,
  MeshPlan,
  type Probed,
  REQUEST_TIMEOUT_MS,
  type StationReport,
} from "./plan_schema.ts";

/** Port on which routers serve the API over TLS. */
const HTTPS_PORT = 443;

/** The process `mesh`, as its own socket sees it. */
export interface MeshService {
  /** Looks at a router that is to become a leaf. Throws Problem 502. */
  probe(request: { readonly IP: string; readonly APIToken: string }): Promise<Probed>;
  /** Calls one route of the mesh on a leaf. Throws Problem 502. */
  call(call: LeafCall): Promise<LeafResponse>;
  /** Takes what happened to a station of this leaf, and tells the parent once it can be reached. */
  report(report: StationReport): void;
}

/** Options of {@link startMesh}. */
export interface MeshOptions {
  /** The api's socket for the process `mesh`. */
  readonly socket: string;
  readonly log: Log;
  /** Port of the API on other routers; default 443. */
  readonly port?: number;
}

/** A leaf, and the loop that meets it. */
interface Watched {
  leaf: LeafPeer;
  state: LeafState;
  /** Digest of the devices that it has. */
  digest: string;
  /** Digest of how it reaches this router. */
  parentDigest: string;
  wake: () => void;
  readonly ended: AbortController;
  readonly done: Promise<void>;
}

/** Starts the process `mesh`: keeps leaf routers in step, or tells the parent of stations. */
export function startMesh(
  { socket, log, port = HTTPS_PORT }: MeshOptions,
): MeshService & { stop(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;
  const client = socketClient({ name: "The api", socket, ending: signal });
  const toApi = queue(signal), toParent = queue(signal);
  let plan: MeshPlan | null = null;
  const leaves = new Map<string, Watched>();

  const sendUntil = (ending: AbortSignal): SendToRouter => async ({ token, pin, ...request }) =>
    await pinnedRequest({
      timeoutMs: REQUEST_TIMEOUT_MS,
      ...request,
      pin,
      port,
      accepts: (certificate) => isPinned(certificate, pin ?? ""),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ending,
    });
  const send = sendUntil(signal);

  async function meet(watched: Watched): Promise<void> {
    const { leaf, ended } = watched;
    const before = watched.state.status;
    const result = await contactLeaf({
      ...{
        // A leaf that is removed during a contact is sent nothing more.
        send: sendUntil(AbortSignal.any([signal, ended.signal])),
        leaf,
        plan: plan!,
        digest: watched.digest,
        parentDigest: watched.parentDigest,
        now: Date.now,
      },
      isUntrusted: (error) => error instanceof UntrustedServer,
    });
    if (ended.signal.aborted) return;
    watched.digest = result.digest;
    watched.parentDigest = result.parentDigest;
    watched.state = afterContact(watched.state, result.contact);
    const { status } = watched.state;
    if (status !== before && status !== "synced") {
      log.info("mesh.leaf_status", `The leaf router ${leaf.IP} is ${status}`, {
        leaf: leaf.IP,
        reason: result.report.Problem,
      });
    }
    const report: LeafReport = {
      ...result.report,
      ...{ IP: leaf.IP, Status: status, Met: leafDigest(leaf) },
    };
    toApi.enqueue(leaf.IP, async () => {
      await client.call("/leaf", report);
    });
  }

  function watch(leaf: LeafPeer): Watched {
    const ended = new AbortController();
    const watched: Watched = {
      ...{ leaf, state: NEW_LEAF, digest: "", parentDigest: "", wake: () => {}, ended },
      done: Promise.resolve().then(async () => {
        while (!ended.signal.aborted && !signal.aborted) {
          const { promise, resolve } = Promise.withResolvers<void>();
          // A plan that comes during the contact starts the next one at once.
          watched.wake = resolve;
          await meet(watched).catch((error) =>
            log.error("mesh.contact_failed", "A leaf router could not be met", { error })
          );
          const wait = nextContact(watched.state, Math.random());
          const waited = new AbortController();
          await Promise.race([
            promise,
            pause(wait, AbortSignal.any([signal, ended.signal, waited.signal])),
          ]);
          waited.abort();
        }
      }),
    };
    return watched;
  }

  function apply(next: MeshPlan): void {
    const isAgain = plan !== null && plan.refresh !== next.refresh;
    plan = next;
    const wanted = new Map(next.leaves.map((leaf) => [leaf.IP, leaf]));
    for (const [address, watched] of leaves) {
      if (wanted.has(address)) continue;
      watched.ended.abort();
      leaves.delete(address);
    }
    for (const [address, leaf] of wanted) {
      const watched = leaves.get(address);
      if (watched === undefined) {
        leaves.set(address, watch(leaf));
        continue;
      }
      watched.leaf = leaf;
      if (isAgain) watched.digest = "";
      watched.wake();
    }
  }

  /** `late`: seconds for which the report has waited. */
  async function reportToParent(report: StationReport, late: number): Promise<void> {
    const { kind } = report;
    const body = kind === "connect"
      ? { ...report.body, Seconds: report.body.Seconds + late }
      : report.body;
    const parent = plan?.parent;
    // Stations are reported only to a peer that is proven to be the parent.
    if (parent === null || parent === undefined) return;
    if (parent.ParentIP === "" || parent.ParentCA === "") return;
    const path = {
      connect: "/reportPSKAuthSuccess",
      failure: "/reportPSKAuthFailure",
      disconnect: "/reportDisconnect",
    }[kind];
    const call = {
      address: parent.ParentIP,
      pin: parent.ParentCA,
      token: parent.ParentAPIToken,
      method: "PUT",
    } as const;
    const response = await send({
      ...call,
      path,
      body: (address) => JSON.stringify({ ...body, Router: parent.LeafIP || address }),
    });
    if (response.status !== 200) throw new Problem(response.status, refusalText(response));
  }

  const following = followFeed<MeshPlan>({
    poll: feedPoll(client, "/plan", MeshPlan),
    apply,
    log,
    ending: signal,
  });
  const reporting = [toApi.run(), toParent.run()];
  return {
    probe: ({ IP, APIToken }) =>
      withoutNetworkErrors(
        IP,
        probe(send, { address: IP, token: APIToken, now: Date.now }),
        (error) => notReached(IP, error),
      ),
    call: (call) =>
      withoutNetworkErrors(call.Leaf.IP, callLeaf(send, call, () => performance.now())),
    report(report) {
      const taken = performance.now();
      toParent.enqueue(
        report.body.MAC,
        () => reportToParent(report, Math.floor((performance.now() - taken) / 1000)),
      );
    },
    async stop() {
      ending.abort();
      const loops = [...leaves.values()].map(({ done }) => done);
      await Promise.all([following, ...reporting, ...loops]);
      client.close();
    },
  };
}

function queue(signal: AbortSignal): ReportQueue {
  return new ReportQueue({
    pause: (ms) => pause(ms, signal),
    ended: () => signal.aborted,
  });
}

/** Turns an error of the network into a Problem. */
async function withoutNetworkErrors<T>(
  address: string,
  work: Promise<T>,
  words: (error: { readonly code: string; readonly message: string }) => string = (error) =>
    leafNotReached(address, Object.assign(new Error(error.message), { code: error.code })),
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const code = (error as { readonly code?: unknown }).code;
    throw new Problem(
      502,
      error instanceof UntrustedServer
        ? `The router at ${address} is not the one of this certificate: ${message}`
        : words({ code: typeof code === "string" ? code : "", message }),
      { cause: error },
    );
  }
}
