#!/bin/sh
# Usage: report.sh          prints the public addresses of this host, one per line, between the lines "begin" and "end"
#        report.sh change   waits until these addresses change, then prints the new addresses
#
# Runs on the network of a node. Kubernetes lists only some addresses of a node, and the kernel lists all of them. Private addresses are
# omitted, because challenges never reach them. In tests PROC_NET replaces the folder /proc/net. Kubernetes cuts long reports, at the
# start or at the end. The first and the last line show that a report is complete.
folder=${PROC_NET:-/proc/net}

# In fib_trie, an address is in one line and its kind is in the next line.
ipv4() {
  awk '/[|]--/ { address = $2 } /\/32 host LOCAL/ { print address }' "$folder/fib_trie" 2>/dev/null |
    grep -Ev '^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2[0-9]|3[01])|100\.(6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7]))\.'
}

# In if_inet6, an address has 32 digits without colons. The fourth column is 00 if the address is global.
ipv6() {
  awk '$4 == "00" && $1 !~ /^f[cd]/ {
    address = substr($1, 1, 4)
    for (at = 5; at < 32; at += 4) address = address ":" substr($1, at, 4)
    print address
  }' "$folder/if_inet6" 2>/dev/null
}

addresses() {
  { ipv4; ipv6; } | sort -u
}

if [ "$1" = change ]; then
  trap 'exit 0' TERM INT
  known=$(addresses)
  while [ "$(addresses)" = "$known" ]; do
    sleep "${INTERVAL_SECONDS:-15}" &
    wait $!
  done
fi
echo begin
addresses
echo end
