export default {
  paused: 'En pausa',
  pause: 'Pausar',
  resume: 'Reanudar',
  resumeWith_one: 'Reanudar, {{number}} nueva',
  resumeWith_many: 'Reanudar, {{number}} nuevas',
  resumeWith_other: 'Reanudar, {{number}} nuevas',
  older: 'Entradas {{from}} a {{to}}',
  newest: 'Volver a las más recientes',
} as const
