/*
 * tcpdump gives up root's groups when it starts, even to stay root (-Z root), and ends if it may not. The sidecar has no right
 * to change groups: it holds NET_RAW alone. This stand-in, preloaded into tcpdump, lets that one step succeed by doing nothing.
 */
int initgroups(const char *user, unsigned int group) {
  (void)user;
  (void)group;
  return 0;
}
