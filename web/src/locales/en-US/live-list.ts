/** Lists that move by themselves: logs, events, submissions. */
export default {
  paused: 'Held still',
  pause: 'Pause',
  resume: 'Resume',
  resumeWith_one: 'Resume, {{number}} new',
  resumeWith_other: 'Resume, {{number}} new',
  older: 'Entries {{from}} to {{to}}',
  newest: 'Back to the newest',
} as const
