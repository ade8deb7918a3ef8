/** Folders whose units begin with Debian's own boot. */
const BEGINNING = [
  "/etc/systemd/system/*.wants/*",
  "/usr/lib/systemd/system/multi-user.target.wants/*",
  "/usr/lib/systemd/system/sysinit.target.wants/*",
  "/usr/lib/systemd/system/timers.target.wants/*",
];
/** Those among them that matter to a router; the others only cost an emulated machine its time. */
const KEPT = [
  "dbus.service",
  "systemd-journald.service",
  "systemd-journal-flush.service",
  "systemd-sysctl.service",
  "systemd-sysusers.service",
  "systemd-timesyncd.service",
  "systemd-tmpfiles-setup.service",
];
/** Says that a disk's system was made leaner already: what was enabled since is to stay. */
const LEAN = "/etc/systemd/vm";
const END = "END_OF_FILE";

/**
 * The lines that go on under Debian's systemd as the machine's first process, with the work as a unit
 * of its own. A disk that was begun with is taken as it was left.
 */
export function underSystemd(work: readonly string[]): readonly string[] {
  return [
    `if [ ! -e ${LEAN} ]; then`,
    `for unit in ${BEGINNING.join(" ")}; do`,
    `case "\${unit##*/}" in ${KEPT.join("|")}) ;; *) set -- "$@" "$unit" ;; esac`,
    "done",
    'rm -f "$@"',
    // They make units of what this machine's files hold: of its discs and its old services.
    "rm -f /usr/lib/systemd/system-generators/*",
    // By this file systemd takes the machine for a container.
    "rm -f /.dockerenv",
    "echo >/etc/fstab",
    "[ -s /etc/machine-id ] || tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id",
    `echo >${LEAN}`,
    "fi",
    // What lies in this machine's would be removed one by one.
    "mount -t tmpfs tmpfs /tmp",
    ...file("/run/vm-work", work),
    ...file("/run/systemd/system/vm-work.service", [
      "[Unit]",
      "Description=What this machine was started for",
      "[Service]",
      "Type=exec",
      "ExecStart=/bin/sh /run/vm-work",
    ]),
    "mkdir -p /run/systemd/system/multi-user.target.wants",
    "ln -s ../vm-work.service /run/systemd/system/multi-user.target.wants/",
    "exec /lib/systemd/systemd --unit=multi-user.target --show-status=no --log-target=journal",
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
