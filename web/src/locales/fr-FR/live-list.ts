export default {
  paused: 'En pause',
  pause: 'Pause',
  resume: 'Reprendre',
  resumeWith_one: 'Reprendre, {{number}} nouvelle',
  resumeWith_many: 'Reprendre, {{number}} nouvelles',
  resumeWith_other: 'Reprendre, {{number}} nouvelles',
  older: 'Entrées {{from}} à {{to}}',
  newest: 'Revenir aux plus récentes',
} as const
