/* Installed setuid root: exit code 0 if running it gives root, 1 if not. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
  printf("effective user %d\n", (int)geteuid());
  return geteuid() == 0 ? 0 : 1;
}
