/*
 * Usage: attempt NAME [NUMBER]
 *
 * Makes one system call that a challenge must not be allowed to make. Exit code 0: it was allowed; 1: it was blocked, and standard
 * output says how; 2: there is no attempt of this name. Some calls would do harm if they succeeded. They get an invalid argument:
 * if the kernel rejects only that argument, the call itself was allowed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <net/if.h>
#include <net/route.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef IP_TRANSPARENT
#define IP_TRANSPARENT 19
#endif
#define SCRATCH "/tmp/isolation-probe-scratch"

static long number;

/* Allowed if the call succeeded, or if the kernel rejected only the invalid argument, with this error. */
static int permitted(long result, int error) { return result == 0 || errno == error ? 0 : -1; }

static int scratch_file(void) {
  int file = open(SCRATCH, O_CREAT | O_RDWR, 0600);
  if (file >= 0) close(file);
  return file < 0 ? -1 : 0;
}
static int scratch_folder(void) { return mkdir(SCRATCH ".d", 0700) == 0 || errno == EEXIST ? 0 : -1; }

static int user_namespace(void) { return unshare(CLONE_NEWUSER); }
static int mount_namespace(void) { return unshare(CLONE_NEWNS); }
static int network_namespace(void) { return unshare(CLONE_NEWNET); }
static int process_namespace(void) { return unshare(CLONE_NEWPID); }
static int clone_user(void) {
  long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, NULL, 0);
  return child < 0 ? -1 : 0;
}
static int enter_namespace(void) {
  int file = open("/proc/1/ns/uts", O_RDONLY);
  return file < 0 ? -1 : setns(file, 0);
}
static int mount_memory(void) { return scratch_folder() < 0 ? -1 : mount("tmpfs", SCRATCH ".d", "tmpfs", 0, ""); }
static int mount_proc(void) { return scratch_folder() < 0 ? -1 : mount("proc", SCRATCH ".d", "proc", 0, ""); }
static int mount_cgroup(void) { return scratch_folder() < 0 ? -1 : mount("cgroup", SCRATCH ".d", "cgroup", 0, "pids"); }
static int remount_proc(void) { return mount("", "/proc/sys", "", MS_REMOUNT | MS_BIND, ""); }
static int unmount_mask(void) { return umount2("/proc/kcore", MNT_DETACH); }
static int new_mount_api(void) {
#ifdef SYS_fsopen
  return syscall(SYS_fsopen, "tmpfs", 0) < 0 ? -1 : 0;
#else
  errno = ENOSYS;
  return -1;
#endif
}
static int change_root(void) { return chroot("/tmp"); }
static int pivot_root_call(void) { return permitted(syscall(SYS_pivot_root, "/tmp", "/tmp"), EINVAL); }
static int block_device(void) {
  unlink(SCRATCH ".b");
  return mknod(SCRATCH ".b", S_IFBLK | 0600, makedev(7, 0));
}
static int memory_device(void) {
  unlink(SCRATCH ".c");
  return mknod(SCRATCH ".c", S_IFCHR | 0600, makedev(1, 1));
}
static int file_handle(void) {
  union { struct file_handle head; char room[sizeof(struct file_handle) + 8]; } handle = { .room = { 0 } };
  handle.head.handle_bytes = 8;
  handle.head.handle_type = 1;
  int root = open("/", O_RDONLY);
  int file = open_by_handle_at(root, &handle.head, O_RDONLY);
  return file >= 0 || errno == ESTALE || errno == EOPNOTSUPP || errno == EINVAL ? 0 : -1;
}
static int trace_process(void) { return ptrace(PTRACE_SEIZE, (pid_t)number, 0, 0) < 0 ? -1 : 0; }
static int signal_process(void) { return kill((pid_t)number, 0); }
static int kexec(void) { return permitted(syscall(SYS_kexec_load, 0, 99999UL, 0, 0), EINVAL); }
static int load_module(void) { return permitted(syscall(SYS_init_module, "", 0UL, ""), ENOEXEC); }
static int load_module_file(void) { return permitted(syscall(SYS_finit_module, -1, "", 0), EBADF); }
static int remove_module(void) { return permitted(syscall(SYS_delete_module, "isolation_probe_no_such_module", O_NONBLOCK), ENOENT); }
static int kernel_program(void) {
  unsigned int map[18] = { 2 /* array */, 4, 4, 1 };
  return syscall(SYS_bpf, 0 /* BPF_MAP_CREATE */, map, sizeof map) < 0 ? -1 : 0;
}
static int performance_events(void) {
  unsigned int attributes[32] = { 0 /* hardware */, sizeof attributes };
  long result = syscall(SYS_perf_event_open, attributes, -1, 0, -1, 0);
  return result >= 0 || errno == ENOENT || errno == EINVAL ? 0 : -1;
}
static int user_fault(void) { return syscall(SYS_userfaultfd, O_CLOEXEC) < 0 ? -1 : 0; }
static int keyring(void) { return syscall(SYS_add_key, "user", "isolation-probe", "x", 1UL, -2 /* process */) < 0 ? -1 : 0; }
static int read_keyring(void) { return syscall(SYS_keyctl, 0 /* get keyring */, -4 /* user */, 0) < 0 ? -1 : 0; }
static int restart_machine(void) { return permitted(syscall(SYS_reboot, 1, 2, 3, 0), EINVAL); }
static int host_name(void) {
  char name[256];
  return gethostname(name, sizeof name) < 0 ? -1 : sethostname(name, strlen(name));
}
static int system_clock(void) {
  struct timex clock = { 0 };
  if (adjtimex(&clock) < 0) return -1;
  clock.modes = ADJ_STATUS;
  return adjtimex(&clock) < 0 ? -1 : 0;
}
static int swap(void) { return permitted(swapoff("/tmp/isolation-probe-no-such-file"), ENOENT); }
static int kernel_log(void) {
  char text[64];
  return syscall(SYS_syslog, 3, text, sizeof text) < 0 ? -1 : 0;
}
static int hardware_ports(void) {
#ifdef SYS_iopl
  return syscall(SYS_iopl, 3);
#else
  return permitted(open("/dev/port", O_RDWR), 0);
#endif
}
static int accounting(void) { return permitted(syscall(SYS_acct, "/tmp/isolation-probe-no-such-file"), ENOENT); }
static int file_watch(void) { return syscall(SYS_fanotify_init, 0x4 /* content */, O_RDONLY) < 0 ? -1 : 0; }
static int hang_up(void) { return vhangup(); }
static int priority(void) { return setpriority(PRIO_PROCESS, 0, -20); }
static int real_time(void) {
  struct sched_param parameter = { 50 };
  return sched_setscheduler(0, SCHED_FIFO, &parameter);
}
static int more_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -1;
  limit.rlim_max += 1;
  return setrlimit(RLIMIT_NOFILE, &limit);
}
static int raw_socket(void) { return socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) < 0 ? -1 : 0; }
static int raw_socket_six(void) { return socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6) < 0 ? -1 : 0; }
static int packet_socket(void) { return socket(AF_PACKET, SOCK_RAW, htons(3)) < 0 ? -1 : 0; }
static int foreign_source(void) {
  int on = 1, file = socket(AF_INET, SOCK_STREAM, 0);
  return file < 0 ? -1 : setsockopt(file, IPPROTO_IP, IP_TRANSPARENT, &on, sizeof on);
}
static int interface_flags(void) {
  struct ifreq request = { 0 };
  int file = socket(AF_INET, SOCK_DGRAM, 0);
  strcpy(request.ifr_name, "lo");
  if (file < 0 || ioctl(file, SIOCGIFFLAGS, &request) < 0) return -1;
  return ioctl(file, SIOCSIFFLAGS, &request);
}
static int route(void) {
  struct rtentry entry = { 0 };
  int file = socket(AF_INET, SOCK_DGRAM, 0);
  entry.rt_dst.sa_family = entry.rt_genmask.sa_family = AF_INET;
  ((struct sockaddr_in *)&entry.rt_dst)->sin_addr.s_addr = htonl(0xc6336407);
  ((struct sockaddr_in *)&entry.rt_genmask)->sin_addr.s_addr = 0xffffffff;
  return file < 0 ? -1 : permitted(ioctl(file, SIOCDELRT, &entry), ESRCH);
}
/* Root becomes another user, and any other user becomes root. Both need a capability. */
static int another_user(void) {
  uid_t other = geteuid() == 0 ? 12345 : 0;
  return setresuid(other, other, other);
}
static int another_group(void) { return setresgid(12345, 12345, 12345); }
static int more_groups(void) {
  gid_t group = 0;
  return setgroups(1, &group);
}
static int give_away(void) { return scratch_file() < 0 ? -1 : chown(SCRATCH, 12345, 12345); }
static int file_capability(void) {
  struct vfs_cap_data data = { VFS_CAP_REVISION_2, { { 1 << CAP_NET_RAW, 0 } } };
  return scratch_file() < 0 ? -1 : setxattr(SCRATCH, "security.capability", &data, sizeof data, 0);
}
static int capability_set(void) {
  struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[2] = { { 1 << CAP_NET_RAW, 1 << CAP_NET_RAW, 0 }, { 0, 0, 0 } };
  return syscall(SYS_capset, &head, data);
}
static int ambient_capability(void) { return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_RAW, 0, 0); }
static int blocked(void) {
  errno = EPERM;
  return -1;
}
static int bounding_set(void) {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
    if (prctl(PR_CAPBSET_READ, capability) == 1) return 0;
  return blocked();
}
static int new_privileges(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ? 0 : blocked(); }
static int unfiltered(void) { return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0 ? 0 : blocked(); }

/* Starts NUMBER processes that do nothing, then ends them all. */
static int processes(void) {
  long started = 0;
  int failure = 0;
  sigset_t end;
  /* Block the signal before the forks. A child that has not run yet then receives the signal when the child unblocks it. */
  sigemptyset(&end);
  sigaddset(&end, SIGUSR1);
  sigprocmask(SIG_BLOCK, &end, NULL);
  if (setpgid(0, 0) < 0) return -1;
  for (; started < number; started++) {
    pid_t child = fork();
    if (child == 0) {
      sigprocmask(SIG_UNBLOCK, &end, NULL);
      for (;;) pause();
    }
    if (child < 0) {
      failure = errno;
      break;
    }
  }
  kill(0, SIGUSR1);
  while (waitpid(-1, NULL, 0) > 0);
  printf("%ld processes: ", started);
  errno = failure;
  return failure == 0 ? 0 : -1;
}

static const struct { const char *name; int (*run)(void); } attempts[] = {
  { "user-namespace", user_namespace }, { "mount-namespace", mount_namespace }, { "network-namespace", network_namespace },
  { "process-namespace", process_namespace }, { "clone-user", clone_user }, { "enter-namespace", enter_namespace },
  { "mount-memory", mount_memory }, { "mount-proc", mount_proc }, { "mount-cgroup", mount_cgroup },
  { "remount-proc", remount_proc }, { "unmount-mask", unmount_mask }, { "new-mount-api", new_mount_api },
  { "change-root", change_root }, { "pivot-root", pivot_root_call }, { "block-device", block_device },
  { "memory-device", memory_device }, { "file-handle", file_handle }, { "trace-process", trace_process },
  { "signal-process", signal_process }, { "kexec", kexec }, { "load-module", load_module },
  { "load-module-file", load_module_file }, { "remove-module", remove_module }, { "kernel-program", kernel_program },
  { "performance-events", performance_events }, { "user-fault", user_fault }, { "keyring", keyring },
  { "read-keyring", read_keyring }, { "restart-machine", restart_machine }, { "host-name", host_name },
  { "system-clock", system_clock }, { "swap", swap }, { "kernel-log", kernel_log }, { "hardware-ports", hardware_ports },
  { "accounting", accounting }, { "file-watch", file_watch }, { "hang-up", hang_up },
  { "priority", priority }, { "real-time", real_time }, { "more-files", more_files }, { "raw-socket", raw_socket },
  { "raw-socket-six", raw_socket_six }, { "packet-socket", packet_socket }, { "foreign-source", foreign_source },
  { "interface-flags", interface_flags }, { "route", route }, { "another-user", another_user },
  { "another-group", another_group }, { "more-groups", more_groups }, { "give-away", give_away },
  { "file-capability", file_capability }, { "capability-set", capability_set }, { "ambient-capability", ambient_capability },
  { "bounding-set", bounding_set }, { "new-privileges", new_privileges }, { "unfiltered", unfiltered },
  { "processes", processes },
};

int main(int count, char **arguments) {
  const char *name = count > 1 ? arguments[1] : "";
  number = count > 2 ? atol(arguments[2]) : 0;
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
    if (strcmp(attempts[i].name, name) != 0) continue;
    errno = 0;
    if (attempts[i].run() == 0) {
      puts("worked");
      return 0;
    }
    puts(strerror(errno));
    return 1;
  }
  fprintf(stderr, "no such attempt: %s\n", name);
  return 2;
}
