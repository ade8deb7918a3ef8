/**
 * Constants and structure sizes of Linux and glibc, as x86-64 and arm64 have them (bits/socket.h,
 * asm-generic/socket.h, netinet/in.h, poll.h, sys/epoll.h, bits/eventfd.h, bits/time.h, asm-generic/errno.h).
 */

export const AF_INET = 2, AF_INET6 = 10, AF_NETLINK = 16, AF_PACKET = 17;
export const SOCK_DGRAM = 2, SOCK_RAW = 3, SOCK_CLOEXEC = 0o2000000;
export const SOL_SOCKET = 1;
export const SO_REUSEADDR = 2, SO_BROADCAST = 6, SO_SNDBUF = 7, SO_RCVBUF = 8;
export const SO_RCVTIMEO = 20, SO_BINDTODEVICE = 25, SO_ATTACH_FILTER = 26, SO_RCVBUFFORCE = 33;
export const IPPROTO_IP = 0, IPPROTO_ICMP = 1, IPPROTO_UDP = 17, IPPROTO_ICMPV6 = 58;
export const IPPROTO_RAW = 255;
export const IP_HDRINCL = 3, IP_MULTICAST_LOOP = 34, IP_ADD_MEMBERSHIP = 35, IP_MULTICAST_ALL = 49;
/** Of poll.h. */
export const POLLIN = 1;
/** Flag of reading and sending: never wait. */
export const MSG_DONTWAIT = 0x40;
/** An EtherType (linux/if_ether.h). */
export const ETH_P_IP = 0x0800;

export const EPOLL_CLOEXEC = 0o2000000, EPOLL_CTL_ADD = 1, EPOLL_CTL_DEL = 2, EPOLLIN = 1;
export const EFD_CLOEXEC = 0o2000000, EFD_NONBLOCK = 0o4000;
export const CLOCK_MONOTONIC = 1;
export const EACCES = 13, EADDRINUSE = 98, EADDRNOTAVAIL = 99;

/** Sizes of struct sockaddr_in (ip(7)) and sockaddr_ll (packet(7)). */
export const SOCKADDR_IN_SIZE = 16, SOCKADDR_LL_SIZE = 20;
/** Sizes of struct mmsghdr and iovec. */
export const MMSGHDR_SIZE = 64, IOVEC_SIZE = 16;
/** struct epoll_event, packed on x86-64 alone: its size, and where its data lies. */
export const EPOLL_EVENT_SIZE = Deno.build.arch === "x86_64" ? 12 : 16;
export const EPOLL_EVENT_DATA = EPOLL_EVENT_SIZE - 8;
