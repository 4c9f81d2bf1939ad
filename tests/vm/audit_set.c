// SPDX-License-Identifier: Apache-2.0
// audit_set ENABLED BACKLOG: sets the kernel's audit, as auditctl does. For the test machine only.
#include <errno.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  struct {
    struct nlmsghdr header;
    struct audit_status status;
  } request;
  memset(&request, 0, sizeof request);
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = AUDIT_SET;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  request.status.mask = AUDIT_STATUS_ENABLED | AUDIT_STATUS_BACKLOG_LIMIT;
  request.status.enabled = (unsigned)atoi(argv[1]);
  request.status.backlog_limit = (unsigned)atoi(argv[2]);
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT);
  if (fd < 0 || sendto(fd, &request, sizeof request, 0, (struct sockaddr*)&kernel, sizeof kernel) < 0) {
    perror("audit_set");
    return 1;
  }
  struct {
    struct nlmsghdr header;
    struct nlmsgerr answer;
    char rest[512];
  } answer;
  if (recv(fd, &answer, sizeof answer, 0) < (ssize_t)(sizeof answer.header + sizeof answer.answer.error)) return 1;
  if (answer.answer.error != 0) fprintf(stderr, "audit_set: %s\n", strerror(-answer.answer.error));
  return answer.answer.error == 0 ? 0 : 1;
}
