export default {
  paused: '一時停止中',
  pause: '一時停止',
  resume: '再開',
  resumeWith_other: '再開（新着 {{number}} 件）',
  older: '{{from}}〜{{to}} 件目',
  newest: '最新に戻る',
} as const
