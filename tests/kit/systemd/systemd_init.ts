/** The task of a machine in namespaces. */
export interface SystemdTask {
  readonly command: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Read-only bind mounts: paths of the host by their path inside. */
  readonly binds: Readonly<Record<string, string>>;
  /** Host folder of the overlay's writes, kept from one boot to the next. */
  readonly disk: string;
  /** Host folder that is shared with the machine. */
  readonly shared: string;
}

/** Path of the shared folder inside. */
const SHARED = "/run/shared";
/** Marks a prepared disk, whose enabled units stay. */
const PREPARED_MARK = "etc/prepared";
/** Units that Debian starts at boot. */
const BOOT_UNITS = [
  "etc/systemd/system/*.wants/*",
  "usr/lib/systemd/system/multi-user.target.wants/*",
  "usr/lib/systemd/system/sysinit.target.wants/*",
  "usr/lib/systemd/system/timers.target.wants/*",
];
/** Those of them that a router needs, and that touch nothing of the host. */
const KEPT_UNITS = [
  "dbus.service",
  "systemd-journald.service",
  "systemd-journal-flush.service",
  "systemd-sysusers.service",
  "systemd-timesyncd.service",
  "systemd-tmpfiles-setup.service",
];
/** Capabilities that would affect the host. */
const DROPPED_CAPABILITIES = ["-sys_time", "-sys_module", "-sys_rawio"];
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty", "net/tun"];
const END = "END_OF_FILE";

/** A word quoted for the shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * The script that becomes systemd, run in new namespaces of mounts, processes, network, names and
 * control groups: an overlay of the host's files, with writes to the disk.
 */
export function systemdInit(task: SystemdTask): string {
  return [
    "set -e",
    "mount --make-rprivate /",
    `cd ${quoted(task.disk)}`,
    "mkdir -p upper work root",
    "mount -t overlay -o lowerdir=/,upperdir=upper,workdir=work overlay root",
    "cd root",
    ...kernelFolders(),
    ...devices(),
    ...["run", "tmp"].map((name) =>
      `mount -t tmpfs -o mode=${name === "tmp" ? 1777 : 755} tmpfs ${name}`
    ),
    `mkdir -p run/lock .${SHARED}`,
    `mount --bind ${quoted(task.shared)} .${SHARED}`,
    ...Object.entries(task.binds).flatMap(([to, from]) => bindMounts(from, to)),
    ...prepareBoot(),
    ...workUnit(task),
    "ip link set lo up",
    "hostname machine",
    "mkdir run/old",
    "pivot_root . run/old",
    "umount -l /run/old",
    "exec env -i container=tests PATH=/usr/sbin:/usr/bin:/sbin:/bin " +
    `setpriv --bounding-set ${DROPPED_CAPABILITIES.join(",")} /lib/systemd/systemd ` +
    "--unit=multi-user.target --log-target=journal --show-status=no",
    "",
  ].join("\n");
}

/** Network sysctls are the machine's own; all others are read-only. */
function kernelFolders(): readonly string[] {
  return [
    "mount -t proc proc proc",
    "mount --bind proc/sys proc/sys",
    "mount -o remount,bind,ro proc/sys",
    "mount -t proc proc mnt",
    "mount --bind mnt/sys/net proc/sys/net",
    "umount -l mnt",
    "mount -t sysfs -o ro sysfs sys",
    "mount -t cgroup2 cgroup2 sys/fs/cgroup",
  ];
}

function devices(): readonly string[] {
  return [
    "mount -t tmpfs -o mode=755 tmpfs dev",
    "mkdir dev/net",
    ...DEVICES.flatMap((name) => [`touch dev/${name}`, `mount --bind /dev/${name} dev/${name}`]),
    "mkdir dev/pts dev/shm",
    "mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts",
    "mount -t tmpfs tmpfs dev/shm",
    "ln -s pts/ptmx dev/ptmx",
    "ln -s /proc/self/fd dev/fd",
    "ln -s fd/0 dev/stdin",
    "ln -s fd/1 dev/stdout",
    "ln -s fd/2 dev/stderr",
  ];
}

function bindMounts(from: string, to: string): readonly string[] {
  const [source, target, parent] = [from, `.${to}`, `.${to.slice(0, to.lastIndexOf("/"))}`]
    .map(quoted);
  return [
    `if [ -L ${target} ]; then rm ${target}; fi`,
    `if [ -d ${source} ]; then mkdir -p ${target}; else mkdir -p ${parent}; touch ${target}; fi`,
    `mount --bind ${source} ${target}`,
    `mount -o remount,bind,ro ${target}`,
  ];
}

/** Removes what this machine does not need from Debian's boot, once. */
function prepareBoot(): readonly string[] {
  return [
    `if [ ! -e ${PREPARED_MARK} ]; then`,
    `for unit in ${BOOT_UNITS.join(" ")}; do`,
    `case "\${unit##*/}" in ${KEPT_UNITS.join("|")}) ;; *) set -- "$@" "$unit" ;; esac`,
    "done",
    'rm -f "$@"',
    // They generate units from the host's files, such as fstab and init scripts.
    "rm -f usr/lib/systemd/system-generators/* .dockerenv",
    "echo >etc/fstab",
    "[ -s etc/machine-id ] || tr -d - </proc/sys/kernel/random/uuid >etc/machine-id",
    "mkdir -p var/log/journal",
    // It would not start here, where it cannot set the clock.
    ...file("etc/systemd/system/systemd-timesyncd.service.d/tests.conf", [
      "[Unit]",
      "ConditionVirtualization=",
      "ConditionCapability=",
      "[Service]",
      "AmbientCapabilities=",
      "CapabilityBoundingSet=",
    ]),
    `echo >${PREPARED_MARK}`,
    "fi",
  ];
}

/** The task as a systemd unit. */
function workUnit({ command, folder, env }: SystemdTask): readonly string[] {
  const unit = "run/systemd/system/work.service";
  return [
    ...file("run/work", [
      ...Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`),
      `cd ${quoted(folder)}`,
      `${command.map(quoted).join(" ")} </dev/null >${SHARED}/output 2>&1`,
      `echo $? >${SHARED}/status.new`,
      `mv ${SHARED}/status.new ${SHARED}/status`,
    ]),
    ...file(unit, ["[Service]", "Type=exec", "ExecStart=/bin/sh /run/work"]),
    "mkdir -p run/systemd/system/multi-user.target.wants",
    "ln -s ../work.service run/systemd/system/multi-user.target.wants/",
  ];
}

function file(path: string, lines: readonly string[]): readonly string[] {
  return [
    `mkdir -p ${path.slice(0, path.lastIndexOf("/"))}`,
    `cat >${path} <<'${END}'`,
    ...lines,
    END,
  ];
}
