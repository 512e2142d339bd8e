/* Installed with the setuid bit and owned by root. Exit code 0: it runs as root; 1: the setuid bit had no effect. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
  printf("effective user %d\n", (int)geteuid());
  return geteuid() == 0 ? 0 : 1;
}
