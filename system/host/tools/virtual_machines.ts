import type { VirtualMachine, VirtualMachines } from "../../core/machine/container_schema.ts";

/** Programs that are one virtual machine each, by the first letters of their names. */
const RUNTIMES = ["qemu-system-", "qemu-kvm", "cloud-hypervis", "firecracker", "crosvm"];

/** Bytes of the units in which memory is given (qemu(1), -m; MiB where none is named). */
const UNITS: Readonly<Record<string, number>> = { k: 1 / 1024, m: 1, g: 1024, t: 1024 ** 2 };

function valueOf(words: readonly string[], ...options: readonly string[]): string | undefined {
  const at = words.findIndex((word) => options.includes(word));
  return at < 0 ? undefined : words[at + 1];
}

/** The value without its key: `guest=box,debug-threads=on` and `box` both name a box. */
function named(text: string | undefined, key: string): string | undefined {
  const first = text?.split(",").find((part) => part.startsWith(`${key}=`));
  return first?.slice(key.length + 1) ?? text?.split(",")[0];
}

function count(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}

function mebibytes(text: string | undefined): number | undefined {
  const match = /^(\d{1,9})([kmgt]?)b?$/i.exec(text ?? "");
  if (match === null) return undefined;
  return Math.round(Number(match[1]) * (UNITS[match[2]!.toLowerCase() || "m"] ?? 1));
}

/**
 * Virtual machines in the output of `ps -ww -e -o pid=,comm=,args=`, sorted by name. A line that is
 * none is left out; nothing of their arguments is shown but name, processors and memory.
 */
export function parseVirtualMachines(text: string): VirtualMachines {
  const found = text.split("\n").flatMap((line): readonly (VirtualMachine & { kvm: boolean })[] => {
    const match = /^ *([1-9]\d{0,9}) +(\S+) +(.*)$/.exec(line);
    if (match === null) return [];
    const [, pid = "", Runtime = "", args = ""] = match;
    if (!RUNTIMES.some((one) => Runtime.startsWith(one))) return [];
    const words = args.split(/ +/);
    const CPUs = count(named(valueOf(words, "-smp"), "cpus"));
    const MemoryMiB = mebibytes(named(valueOf(words, "-m"), "size"));
    const name = named(valueOf(words, "-name", "--id"), "guest") ?? `${Runtime}-${pid}`;
    return [{
      ...{ ID: pid, PID: Number(pid), Name: name.slice(0, 128), State: "running", Runtime },
      ...(CPUs === undefined ? {} : { CPUs }),
      ...(MemoryMiB === undefined ? {} : { MemoryMiB }),
      kvm: /(?:^| )-enable-kvm(?: |$)|accel=kvm|(?:^| )-accel kvm/.test(args) ||
        !Runtime.startsWith("qemu-system-"),
    }];
  });
  return {
    Discovery: "processes",
    KVMAvailable: found.some(({ kvm }) => kvm),
    ContainerMetadataAvailable: false,
    VirtualMachines: found.map(({ kvm: _, ...one }) => one)
      .toSorted((a, b) => a.Name < b.Name ? -1 : a.Name > b.Name ? 1 : a.PID - b.PID),
  };
}
