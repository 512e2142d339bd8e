export default {
  paused: 'Pausiert',
  pause: 'Anhalten',
  resume: 'Fortsetzen',
  resumeWith_one: 'Fortsetzen, {{number}} neu',
  resumeWith_other: 'Fortsetzen, {{number}} neu',
  older: 'Einträge {{from}} bis {{to}}',
  newest: 'Zurück zu den neuesten',
} as const
