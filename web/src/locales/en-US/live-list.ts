export default {
  paused: 'Paused',
  pause: 'Pause',
  resume: 'Resume',
  resumeWith_one: 'Resume, {{number}} new',
  resumeWith_other: 'Resume, {{number}} new',
  older: 'Entries {{from}} to {{to}}',
  newest: 'Back to newest',
} as const
