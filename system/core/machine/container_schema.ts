import * as z from "zod";

/** Most entries of one answer of a container engine. */
const MAX_ENTRIES = 512;

const Text = z.string().max(512);

/** Where a container is in a network of the engine. */
const Attachment = z.object({ IPAddress: Text.default(""), MacAddress: Text.default("") });

/** A container, or a process of the program in the shape of one, as existing clients read it. */
export const Container = z.object({
  Id: Text,
  Names: z.array(Text),
  Image: Text,
  State: Text,
  Status: Text,
  Created: z.int(),
  NetworkSettings: z.object({ Networks: z.record(Text, Attachment) }),
}).meta({ id: "Container" });
export type Container = z.output<typeof Container>;

/** What is done with containers that are there. */
export const ContainerAct = z.enum(["start", "stop", "restart"]);
export type ContainerAct = z.output<typeof ContainerAct>;

/** A network of the container engine. */
export const ContainerNetwork = z.object({
  Id: Text,
  Name: Text,
  Driver: Text.default(""),
  Scope: Text.default(""),
  Internal: z.boolean().default(false),
  IPAM: z.object({
    Config: z.array(z.object({ Subnet: Text.default(""), Gateway: Text.default("") })).nullish()
      .transform((list) => list ?? []),
  }).default({ Config: [] }),
  /** The name of its bridge is among them. */
  Options: z.record(Text, Text).nullish().transform((options) => options ?? {}),
}).meta({ id: "ContainerNetwork" });
export type ContainerNetwork = z.output<typeof ContainerNetwork>;

/** A virtual machine that runs here. */
export const VirtualMachine = z.object({
  ID: z.string(),
  PID: z.int(),
  Name: z.string(),
  State: z.string(),
  /** The program that runs it. */
  Runtime: z.string(),
  CPUs: z.int().exactOptional(),
  MemoryMiB: z.int().exactOptional(),
}).meta({ id: "VirtualMachine" });
export type VirtualMachine = z.output<typeof VirtualMachine>;

/** What is known of virtual machines: those that are processes of this machine. */
export const VirtualMachines = z.object({
  Discovery: z.literal("processes"),
  /** Whether one of them uses KVM. */
  KVMAvailable: z.boolean(),
  ContainerMetadataAvailable: z.boolean(),
  VirtualMachines: z.array(VirtualMachine),
}).meta({ id: "VirtualMachines" });
export type VirtualMachines = z.output<typeof VirtualMachines>;

/** The containers of an engine's answer; what has another shape is left out, and all unknown fields. */
export function readContainers(answer: unknown): readonly Container[] {
  return readAll(answer, Container);
}

/** The networks of an engine's answer. */
export function readNetworks(answer: unknown): readonly ContainerNetwork[] {
  return readAll(answer, ContainerNetwork);
}

function readAll<T>(answer: unknown, shape: z.ZodType<T>): readonly T[] {
  return (Array.isArray(answer) ? answer.slice(0, MAX_ENTRIES) : []).flatMap((one) => {
    const { success, data } = shape.safeParse(one);
    return success ? [data] : [];
  });
}
