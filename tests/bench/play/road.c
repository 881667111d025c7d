// A bad road between two network namespaces: a tun device in each, and this process between them. It sees whole IP packets,
// so what repairs losses (SCTP, TCP) meets them as on a real road. It keeps the order of a direction, as a queue does.
//   road NAMESPACE_A ADDRESS_A NAMESPACE_B ADDRESS_B DELAY_MS JITTER_MS LOSS_PERCENT BURST
//   BURST: packets that are lost together, in the mean; 1: each loss is independent
// Prints "ready", then passes packets until SIGTERM, and prints how many it has seen and lost. Root.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { PACKET_MAX = 1500, WAITING_MAX = 4096 };

typedef struct {
  double due;  // milliseconds
  ssize_t size;
  unsigned char bytes[PACKET_MAX];
} Packet;

typedef struct {
  int from, to;
  Packet waiting[WAITING_MAX];  // a ring, by `due`
  unsigned first, count;
  int is_losing;
  long seen, lost;
} Direction;

static Direction ways[2];
static volatile sig_atomic_t is_over;

static void end(int signal) {
  (void)signal;
  is_over = 1;
}

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/// Enters the namespace, and makes its end of the road there.
static int open_end(const char* space, const char* address, const char* peer) {
  char text[256];
  snprintf(text, sizeof text, "/var/run/netns/%s", space);
  const int entry = open(text, O_RDONLY);
  if (entry < 0 || setns(entry, CLONE_NEWNET) != 0) fail(text);
  close(entry);
  const int file = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI, .ifr_name = "road"};
  if (file < 0 || ioctl(file, TUNSETIFF, &request) != 0) fail("/dev/net/tun");
  snprintf(text, sizeof text, "ip addr add %s peer %s dev road && ip link set road up mtu 1400 && ip link set lo up", address,
           peer);
  if (system(text) != 0) fail("ip");
  return file;
}

/// Loses `share` of all packets, `burst` together in the mean: a chain of two states.
static int is_lost(Direction* way, double share, double burst) {
  const double to_losing = share / (1 - share) / burst;
  way->is_losing = drand48() < (way->is_losing ? 1 - 1 / burst : to_losing);
  return way->is_losing;
}

static void take(Direction* way, double delay, double jitter, double share, double burst) {
  for (;;) {
    Packet* const packet = &way->waiting[(way->first + way->count) % WAITING_MAX];
    packet->size = read(way->from, packet->bytes, PACKET_MAX);
    if (packet->size <= 0) return;
    ++way->seen;
    if (way->count == WAITING_MAX - 1 || is_lost(way, share, burst)) {
      ++way->lost;
      continue;
    }
    packet->due = now_ms() + delay + (2 * drand48() - 1) * jitter;
    const double last = way->count > 0 ? way->waiting[(way->first + way->count - 1) % WAITING_MAX].due : 0;
    if (packet->due < last) packet->due = last;
    ++way->count;
  }
}

/// Sends what is due. Returns for how many milliseconds nothing is.
static double give(Direction* way) {
  while (way->count > 0) {
    const Packet* const packet = &way->waiting[way->first];
    const double left = packet->due - now_ms();
    if (left > 0) return left;
    if (write(way->to, packet->bytes, (size_t)packet->size) < 0) ++way->lost;  // that end is gone
    way->first = (way->first + 1) % WAITING_MAX;
    --way->count;
  }
  return 1e3;
}

int main(int count, char** words) {
  if (count != 9) {
    fprintf(stderr, "usage: road NAMESPACE_A ADDRESS_A NAMESPACE_B ADDRESS_B DELAY_MS JITTER_MS LOSS_PERCENT BURST\n");
    return 2;
  }
  const double delay = atof(words[5]), jitter = atof(words[6]), share = atof(words[7]) / 100, burst = atof(words[8]);
  ways[0].from = ways[1].to = open_end(words[1], words[2], words[4]);
  ways[0].to = ways[1].from = open_end(words[3], words[4], words[2]);
  signal(SIGTERM, end);
  signal(SIGINT, end);
  srand48(7);
  printf("ready\n");
  fflush(stdout);
  while (!is_over) {
    const double a = give(&ways[0]), b = give(&ways[1]), left = a < b ? a : b;
    const struct timespec wait = {.tv_sec = (time_t)(left / 1e3), .tv_nsec = (long)(left * 1e6) % 1000000000};
    struct pollfd ends[2] = {{.fd = ways[0].from, .events = POLLIN}, {.fd = ways[1].from, .events = POLLIN}};
    ppoll(ends, 2, &wait, NULL);
    for (int i = 0; i < 2; ++i) take(&ways[i], delay, jitter, share, burst);
  }
  printf("lost %ld of %ld and %ld of %ld packets\n", ways[0].lost, ways[0].seen, ways[1].lost, ways[1].seen);
  return 0;
}
