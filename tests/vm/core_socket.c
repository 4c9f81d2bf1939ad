// SPDX-License-Identifier: Apache-2.0
// core_socket PATH FILE: a collector of crashes as Linux 6.16 and newer can have it, a socket that
// `kernel.core_pattern` names (@PATH). Writes what it is sent to FILE. For the test machine only.
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char** argv) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  if (argc != 3 || strlen(argv[1]) >= sizeof at.sun_path) return 2;
  strcpy(at.sun_path, argv[1]);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  FILE* out = fopen(argv[2], "w");
  if (fd < 0 || out == NULL || bind(fd, (struct sockaddr*)&at, sizeof at) != 0 || listen(fd, 8) != 0) {
    perror("core_socket");
    return 1;
  }
  for (;;) {
    const int crash = accept(fd, NULL, NULL);
    if (crash < 0) continue;
    char bytes[4096];
    ssize_t n;
    while ((n = read(crash, bytes, sizeof bytes)) > 0) fwrite(bytes, 1, (size_t)n, out);
    fflush(out);
    close(crash);
  }
}
