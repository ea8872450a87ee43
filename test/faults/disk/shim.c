// Loaded before libc into the engine: makes the disk below one directory slow, failing or watched, as a page of memory that
// the test shares says. Compiled at run time with the machine's cc; nothing of it is part of the product.
//
//   SHIM_DIRECTORY  what is below it is concerned, nothing else
//   SHIM_CONTROL    a file of four 32-bit numbers, mapped: microseconds per sync, syncs that fail (-1: all), syncs seen,
//                   syncs failed
//   SHIM_LOG        where every change of the disk and every answer sent is recorded, absent: nowhere
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/types.h>
#include <unistd.h>

enum { SLOW_US, FAILING, SEEN, FAILED };
enum { CREATED = 1, TRUNCATED, WRITE_BEGINS, WRITE_ENDS, SYNCED, RENAMED, REMOVED, DIRECTORY_SYNCED, ANSWERED };

static char directory[4096];
static size_t directory_length;
static volatile int32_t *control;
static int log_fd = -1;
static pthread_mutex_t log_turn = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("SHIM_DIRECTORY");
  if (path == NULL) return;
  snprintf(directory, sizeof directory, "%s", path);
  directory_length = strlen(directory);
  const char *page = getenv("SHIM_CONTROL");
  if (page != NULL) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, page, O_RDWR | O_CLOEXEC, 0);
    void *mapped = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0 && mapped != MAP_FAILED) control = mapped;
  }
  const char *log = getenv("SHIM_LOG");
  if (log != NULL) log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  // The processes that this one starts are nobody's concern.
  unsetenv("LD_PRELOAD");
}

static int below(const char *path) {
  return directory_length > 0 && strncmp(path, directory, directory_length) == 0 &&
         (path[directory_length] == '/' || path[directory_length] == '\0');
}

/* The path behind a descriptor when it is below the directory, else 0. */
static int concerns(int fd, char *path, size_t size) {
  if (directory_length == 0) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return below(path);
}

struct head {
  uint32_t bytes;
  uint32_t kind;
  uint64_t inode;
  uint64_t at;
};

/* One record: head, a name, a zero, data. */
static void record(uint32_t kind, uint64_t inode, uint64_t at, const char *name, const void *data, size_t length) {
  if (log_fd < 0) return;
  size_t name_length = name == NULL ? 0 : strlen(name);
  size_t bytes = sizeof(struct head) + name_length + 1 + length;
  char *record = malloc(bytes);
  if (record == NULL) abort();
  struct head head = {(uint32_t)bytes, kind, inode, at};
  memcpy(record, &head, sizeof head);
  if (name_length > 0) memcpy(record + sizeof head, name, name_length);
  record[sizeof head + name_length] = '\0';
  if (length > 0) memcpy(record + sizeof head + name_length + 1, data, length);
  pthread_mutex_lock(&log_turn);
  syscall(SYS_write, log_fd, record, bytes);
  pthread_mutex_unlock(&log_turn);
  free(record);
}

static uint64_t inode_of(int fd) {
  struct stat stats;
  return fstat(fd, &stats) == 0 ? (uint64_t)stats.st_ino : 0;
}

/* What a sync costs, and whether it fails: true then. */
static int sync_fails(void) {
  if (control == NULL) return 0;
  __sync_fetch_and_add(&control[SEEN], 1);
  if (control[SLOW_US] > 0) usleep((useconds_t)control[SLOW_US]);
  int32_t failing = control[FAILING];
  if (failing == 0) return 0;
  if (failing > 0 && !__sync_bool_compare_and_swap(&control[FAILING], failing, failing - 1)) return 0;
  __sync_fetch_and_add(&control[FAILED], 1);
  errno = EIO;
  return 1;
}

static int is_synchronous(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_DSYNC) != 0;
}

/* An answer of the network port leaves: its entry must be on disk by now. */
static void note_answer(const void *data, size_t length) {
  static const char mark[] = "{\"message_id\":";
  if (log_fd >= 0 && memmem(data, length, mark, sizeof mark - 1) != NULL) record(ANSWERED, 0, 0, NULL, data, length);
}

static ssize_t put(int fd, const void *data, size_t length, off_t at, int positioned) {
  char path[4096];
  int concerned = concerns(fd, path, sizeof path);
  if (!concerned && !positioned) note_answer(data, length);
  if (!concerned)
    return positioned ? syscall(SYS_pwrite64, fd, data, length, at) : syscall(SYS_write, fd, data, length);
  if (!positioned) at = lseek(fd, 0, SEEK_CUR);
  int synchronous = is_synchronous(fd);
  uint64_t inode = inode_of(fd);
  record(WRITE_BEGINS, inode, (uint64_t)at, synchronous ? "sync" : "", data, length);
  if (synchronous && sync_fails()) return -1;
  ssize_t written =
      positioned ? syscall(SYS_pwrite64, fd, data, length, at) : syscall(SYS_write, fd, data, length);
  if (synchronous && written >= 0) record(WRITE_ENDS, inode, (uint64_t)at, NULL, NULL, 0);
  return written;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at) { return put(fd, data, length, at, 1); }
ssize_t pwrite64(int fd, const void *data, size_t length, off_t at) { return put(fd, data, length, at, 1); }
ssize_t write(int fd, const void *data, size_t length) { return put(fd, data, length, 0, 0); }

static int synced(int fd, int number) {
  char path[4096];
  if (!concerns(fd, path, sizeof path)) return (int)syscall(number, fd);
  if (sync_fails()) return -1;
  int done = (int)syscall(number, fd);
  struct stat stats;
  if (done == 0 && fstat(fd, &stats) == 0)
    record(S_ISDIR(stats.st_mode) ? DIRECTORY_SYNCED : SYNCED, (uint64_t)stats.st_ino, 0, NULL, NULL, 0);
  return done;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static int opened(int at, const char *path, int flags, mode_t mode) {
  int existed = log_fd >= 0 && (flags & O_CREAT) != 0 ? faccessat(at, path, F_OK, 0) == 0 : 1;
  int fd = (int)syscall(SYS_openat, at, path, flags, mode);
  if (fd < 0 || log_fd < 0) return fd;
  char full[4096];
  if (!concerns(fd, full, sizeof full)) return fd;
  if (!existed) record(CREATED, inode_of(fd), 0, full, NULL, 0);
  else if ((flags & O_TRUNC) != 0) record(TRUNCATED, inode_of(fd), 0, NULL, NULL, 0);
  return fd;
}

#define MODE_OF(flags)                  \
  mode_t mode = 0;                      \
  if (((flags) & O_CREAT) != 0) {       \
    va_list more;                       \
    va_start(more, flags);              \
    mode = va_arg(more, mode_t);        \
    va_end(more);                       \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags)
  return opened(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE_OF(flags)
  return opened(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int rename(const char *from, const char *to) {
  int done = REAL(rename)(from, to);
  if (done == 0 && below(to)) record(RENAMED, 0, 0, from, to, strlen(to));
  return done;
}

int unlink(const char *path) {
  int done = REAL(unlink)(path);
  if (done == 0 && below(path)) record(REMOVED, 0, 0, path, NULL, 0);
  return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  for (int i = 0; i < count; i++) note_answer(parts[i].iov_base, parts[i].iov_len);
  return syscall(SYS_writev, fd, parts, count);
}

ssize_t send(int fd, const void *data, size_t length, int flags) {
  note_answer(data, length);
  return syscall(SYS_sendto, fd, data, length, flags, NULL, 0);
}
