export default {
  paused: 'Приостановлено',
  pause: 'Пауза',
  resume: 'Продолжить',
  resumeWith_one: 'Продолжить, {{number}} новая',
  resumeWith_few: 'Продолжить, {{number}} новые',
  resumeWith_many: 'Продолжить, {{number}} новых',
  resumeWith_other: 'Продолжить, {{number}} новые',
  older: 'Записи {{from}}–{{to}}',
  newest: 'К самым новым',
} as const
