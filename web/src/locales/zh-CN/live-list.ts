export default {
  paused: '已暂停',
  pause: '暂停',
  resume: '继续',
  resumeWith_other: '继续，{{number}} 条新内容',
  older: '第 {{from}} 至 {{to}} 条',
  newest: '回到最新',
} as const
