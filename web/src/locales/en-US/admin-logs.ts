/** Administration: system log. */
export default {
  title: 'Logs',
  search: 'Search logs',
  searchHint: 'Message, user, address, or result',
  level: 'Level',
  levels: { All: 'All', Information: 'Information', Warning: 'Warning', Error: 'Error', Fatal: 'Fatal' },
  table: 'System log',
  column: { time: 'Time', level: 'Level', user: 'User', address: 'Address', result: 'Result', message: 'Message' },
  ordered: 'Ordered among the newest {{number}} entries',
  through: 'Looking through entries {{from}} to {{to}}, newest first',
  emptyTitle: 'The log is empty',
  emptyText: 'Logins, team actions, instances, judged flags, admin changes, and failures appear here.',
  noneTitle: 'Nothing matches',
  noneText: 'Nothing in entries {{from}} to {{to}} matches. Older ones are on the next pages.',
  noneLevel: 'No entries at this level',
  noneLevelText: 'New ones appear here automatically.',
  clear: 'Clear search and level',
} as const
