export default {
  paused: 'Dijeda',
  pause: 'Jeda',
  resume: 'Lanjutkan',
  resumeWith_other: 'Lanjutkan, {{number}} baru',
  older: 'Entri {{from}} sampai {{to}}',
  newest: 'Kembali ke terbaru',
} as const
