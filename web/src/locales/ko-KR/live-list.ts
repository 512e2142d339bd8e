export default {
  paused: '일시 중지됨',
  pause: '일시 정지',
  resume: '계속',
  resumeWith_other: '계속, 새 항목 {{number}}개',
  older: '{{from}}~{{to}}번째 항목',
  newest: '최신으로 돌아가기',
} as const
