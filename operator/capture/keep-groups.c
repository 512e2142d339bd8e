/*
 * When tcpdump starts, it changes its groups, even if it stays root (-Z root), and ends if that fails. The sidecar may not change
 * groups, because NET_RAW is its only capability. This function is preloaded into tcpdump and replaces that step: it does nothing
 * and reports success.
 */
int initgroups(const char *user, unsigned int group) {
  (void)user;
  (void)group;
  return 0;
}
