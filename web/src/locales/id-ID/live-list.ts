/** Lists that move by themselves: logs, events, submissions. */
export default {
  paused: 'Ditahan',
  pause: 'Jeda',
  resume: 'Lanjutkan',
  resumeWith_other: 'Lanjutkan, {{number}} baru',
  older: 'Entri {{from}} sampai {{to}}',
  newest: 'Kembali ke yang terbaru',
} as const
