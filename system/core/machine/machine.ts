import type {
  Container,
  ContainerAct,
  ContainerNetwork,
  VirtualMachines,
} from "./container_schema.ts";
import type {
  ContainerPlan,
  Deployed,
  DeployOptions,
  PlanOwner,
  RegistryLogin,
} from "./container_plan.ts";
import type { PingRequest, PingResult, SocketEntry } from "./schema.ts";

/** What the machine does besides network plans. */
export interface Machine {
  /** Pings from one link; throws Problem 400 where there is no such link, 502, 503. */
  ping(ask: PingRequest): Promise<PingResult>;
  /** IPv4 sockets of the machine. */
  sockets(): Promise<readonly SocketEntry[]>;
  /** Containers of an engine on the machine, in any state; none where there is no engine. */
  containers(): Promise<readonly Container[]>;
  // What concerns the containers of one plugin is done one after the other, of several beside each other.
  /**
   * Starts, stops or restarts the containers that were made for a plugin of its compose file. Returns how
   * many there are; null where there is no engine. Throws Problem 502.
   */
  actOnContainers(act: ContainerAct, owner: PlanOwner): Promise<number | null>;
  /**
   * Makes the containers of a plan, anew where something of them has changed, and starts them. Where one
   * does not stay up, those before run again. Null where there is no engine. Throws Problem 409, 502.
   */
  deployContainers(plan: ContainerPlan, options: DeployOptions): Promise<Deployed | null>;
  /**
   * Removes the containers that were made for a plugin of its compose file. Returns how many there were;
   * null where there is no engine. Throws Problem 502.
   */
  removeContainers(owner: PlanOwner): Promise<number | null>;
  /** True where ghcr.io takes the credentials; null where there is no engine. Throws Problem 502. */
  checkRegistryLogin(login: RegistryLogin): Promise<boolean | null>;
  /** Networks of that engine. */
  networks(): Promise<readonly ContainerNetwork[]>;
  /** Virtual machines that run as processes of the machine. */
  virtualMachines(): Promise<VirtualMachines>;
  /** Sets the clock by what keeps it. Throws Problem 502, 503 where nothing does. */
  syncTime(): Promise<void>;
  /** Sets the clock to unix milliseconds. Throws Problem 502, 503 where that is not possible. */
  setClock(milliseconds: number): Promise<void>;
  /** True where a time server is known to keep the clock right. Throws Problem 502. */
  isClockSynchronised(): Promise<boolean>;
}
